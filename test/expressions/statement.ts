import {
  BOOLEAN,
  DATE,
  type Fields,
  listOf,
  NUMBER,
  optional,
  recordOf,
  TEXT,
} from '../../src/expressions/index.ts';

/** The scope of the suite: a customer with accounts, and values beside it. */
export const SCOPE: Fields = {
  customer: recordOf({
    name: TEXT,
    email: optional(TEXT),
    segment: TEXT,
    since: DATE,
    address: optional(recordOf({ city: TEXT })),
  }),
  accounts: listOf(
    recordOf({
      number: TEXT,
      kind: TEXT,
      balance: NUMBER,
      entries: listOf(
        recordOf({
          date: DATE,
          amount: NUMBER,
          text: TEXT,
          note: optional(TEXT),
          fee: optional(NUMBER),
        }),
      ),
    }),
  ),
  net: NUMBER,
  zero: NUMBER,
  rate: optional(NUMBER),
  discount: optional(NUMBER),
  due: DATE,
  leap: DATE,
  isUrgent: BOOLEAN,
  title: TEXT,
  empty: listOf(NUMBER),
};

/** Data of that scope; `rate`, `customer.email` and `customer.address` are absent. */
export const DATA = {
  customer: { name: 'สมชาย ใจดี', segment: 'private', since: '2019-02-28' },
  accounts: [
    {
      number: '001',
      kind: 'savings',
      balance: '-150.25',
      entries: [
        { date: '2026-01-05', amount: '100.25', text: 'ฝาก', note: 'เงินสด', fee: '1.50' },
        { date: '2026-01-06', amount: '-250.25', text: 'ถอน' },
      ],
    },
    {
      number: '002',
      kind: 'current',
      balance: '250.50',
      entries: [{ date: '2026-01-07', amount: '100.25', text: 'โอน' }],
    },
    { number: '003', kind: 'savings', balance: '1000.00', entries: [] },
  ],
  net: '1250.50',
  zero: '0.00',
  discount: '0.00',
  due: '2026-02-28',
  leap: '2028-02-29',
  isUrgent: true,
  title: 'ใบแจ้งยอด',
  empty: [],
};
