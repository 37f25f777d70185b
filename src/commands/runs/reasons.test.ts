import t from 'tap';
import { sayReason } from './reasons.ts';

/** The words for one reason of a stopped run. */
function told(
  name: string,
  expected: string,
  actual: string,
  counts = {},
  change = {},
  unread = {},
): string {
  const reason = { name, expected, actual, ...unread };
  const all = { received: 100, stored: 0, invalid: 0, failed: 0, pages: 0, pending: 4, ...counts };
  const rest = {
    withdrawn: 0,
    identical: 0,
    refused: 0,
    bytesReceived: 0,
    bytesChecked: 0,
    bytes: 0,
  };
  const expects = { sums: { amount: '10' } };
  const run = {
    runId: 'r',
    state: 'stopped',
    invalidShareMax: 0.05,
    counts: { ...rest, ...all },
    expected: expects,
    reasons: [reason],
    sums: { amount: '10' },
    fileSums: { amount: '10' },
    ...change,
  };
  return sayReason(run as Parameters<typeof sayReason>[0], reason);
}

t.test('a run of invalid rows alone is not to leave them out', async (t) => {
  const text = told('invalid', '0', '100', { invalid: 100, pending: 0 });
  t.equal(text, '100 rows are invalid, 100 % of all: correct them');
});

t.test('the reasons of a run are said as they stand now, with what to do', async (t) => {
  t.equal(
    told('invalid', '0', '5', { invalid: 4 }),
    '4 rows are invalid (the last check found 5): correct or withdraw them, or make the others:' +
      ' ./intaglio runs start r --on-invalid skip',
  );
  t.equal(
    told('invalid', '0', '8', { invalid: 8 }),
    '8 rows are invalid, 8 % of all: correct or withdraw them. This run may leave out 5 % of its rows;' +
      ' for more, make a new one with runs create --invalid-share-max',
  );
  t.equal(
    told('invalid', '0', '1'),
    'the last check found 1 invalid row, and none is left: go on with ./intaglio runs start r',
  );
  const other = 'correct the rows, or start with another total: ./intaglio runs start r';
  t.equal(
    told('amount', '10', '12.5'),
    `the sum of amount is 12.5, and the control total 10: ${other} --sum amount=12.5`,
  );
  t.equal(
    told('rows', '10', '9'),
    `rows of the file: 9, and the control total is 10: ${other} --rows 9`,
  );
  t.match(told('rows', '10', '9', { stored: 9, pending: 0 }), /^stored or withdrawn rows: 9,/);
  const open = 'correct or withdraw the rows without a document, and start again:';
  const made = { received: 60, stored: 58, pending: 0, invalid: 2 };
  t.equal(
    told('rows', '60', '58', made),
    `stored or withdrawn rows: 58, and the control total is 60: ${open} ./intaglio runs start r`,
  );
  t.equal(
    told('rows', '58', '60', made),
    `rows of the file: 60, and the control total is 58: ${open} ./intaglio runs start r`,
    'the check of the file after documents were made',
  );
  t.match(told('amount', '10', '12.5', made), `control total 10: ${open}`);
  t.match(told('rows', '58', '60', { ...made, invalid: 0, withdrawn: 1 }), other);
  t.match(told('invalid_share', 'at most 0.05', '0.123400'), /^12\.34 % .* at most 5 %/);
  t.equal(told('source', 'a', 'b'), 'source: expected a, actual b');
  t.match(
    told('signer', 'a signature', 'it answered 503'),
    /^it waits for its signer: it answered/,
  );
  t.match(
    told('key', 'key 00a1', 'missing'),
    /^it waits for the key .*\(key 00a1\).*ENCRYPTION_KEYS/,
  );
  t.match(told('protection', 'qpdf', 'missing'), /^it waits for qpdf/);
});

t.test(
  'rows beyond the total are said in the words of the service, with the commands',
  async (t) => {
    const reason = { name: 'rows', expected: '60', actual: '63', advice: 'All 60 are stored.' };
    const say = (counts: object): string => {
      const all = { received: 120, stored: 60, pending: 0, invalid: 0, failed: 0, withdrawn: 0 };
      const run = { runId: 'r', state: 'stopped', counts: { ...all, ...counts }, expected: {} };
      // Only these members are read.
      return sayReason(run as unknown as Parameters<typeof sayReason>[0], reason);
    };
    t.equal(
      say({ invalid: 3 }),
      'rows of the file: 63, and the control total is 60. All 60 are stored. Withdraw:' +
        ' ./intaglio runs withdraw r LINE…. Start: ./intaglio runs start r',
    );
  },
);

t.test('rows that came after the documents lead to no second document', async (t) => {
  const reasons = [{ name: 'amount', expected: '10', actual: '20' }];
  const made = { stored: 20, pending: 20 };
  t.equal(
    told('amount', '10', '20', made, { reasons, sums: { amount: '20' } }),
    'the sum of amount is 20, and the control total 10: 20 documents are stored, and 20 valid rows' +
      ' without one cannot be withdrawn. If rows were added by mistake, such as the same documents' +
      ' with other ids, cancel the run, and make no new one: it would make all documents again. If' +
      ' such rows are to have documents, start with other totals: ./intaglio runs start r --sum amount=20',
  );
  const rows = { name: 'rows', expected: '20', actual: '40', advice: 'All 20 are stored.' };
  const both = { reasons: [rows, ...reasons] };
  t.equal(
    told('amount', '10', '20', made, both),
    'the sum of amount is 20, and the control total 10',
    'the advice of the other reason counts',
  );
  const run = { runId: 'r', state: 'stopped', counts: { ...made, invalid: 0, failed: 0 }, ...both };
  const expected = { sums: { amount: '10' } };
  // Only these members are read.
  const said = sayReason({ ...run, expected } as unknown as Parameters<typeof sayReason>[0], rows);
  t.match(said, /higher totals: \.\/intaglio runs start r --rows 40 --sum amount=20 Cancel: .* r$/);
});

t.test('a new run is proposed with what it does to documents that are stored', async (t) => {
  t.match(
    told('invalid', '0', '8', { invalid: 8, stored: 92, pending: 0 }),
    /--invalid-share-max, which makes all its documents again; the 92 that are stored stay valid/,
  );
  const counts = { invalid: 8, stored: 92, pending: 0 };
  t.match(
    told('invalid', '0', '8', counts, { documentsExpired: true }),
    /which makes all its documents again; the 92 that were stored have expired$/,
  );
});

t.test(
  'no control total is proposed while amounts of the file may be missing from its sum',
  (t) => {
    t.equal(
      told('amount', '400.00', '390.00', { invalid: 1 }, {}, { unread: 1 }),
      'the sum of amount is 390.00, and the control total 400.00; the amount of 1 faulty row cannot be' +
        ' read and counts as 0: correct the faulty row, and start again: ./intaglio runs start r; or' +
        ' withdraw it, and lower the total by its amount',
    );
    t.equal(
      told('amount', '400.00', '380.00', { invalid: 3 }, {}, { unread: 2 }),
      'the sum of amount is 380.00, and the control total 400.00; the amounts of 2 faulty rows cannot be' +
        ' read and count as 0: correct these 2 faulty rows, and start again: ./intaglio runs start r;' +
        ' or withdraw them, and lower the total by their amounts',
    );
    t.equal(
      told('amount', '400.00', '390.00', { invalid: 1 }),
      'the sum of amount is 390.00, and the control total 400.00: correct or withdraw the invalid row' +
        ' first, and start again: ./intaglio runs start r',
      'its amount can be read',
    );
    t.notMatch(told('rows', '40', '39', { invalid: 1 }), '--rows');
    const dry = { state: 'receiving' };
    t.match(
      told('amount', '400.00', '390.00', { invalid: 1 }, dry, { unread: 1 }),
      /400\.00; the amount of 1 faulty row cannot be read and counts as 0$/,
    );
    t.equal(
      told('amount', '400.00', '390.00', { withdrawn: 1 }, {}, { unreadWithdrawn: 1 }),
      'the sum of amount is 390.00, and the control total 400.00; the amount of 1 withdrawn row cannot' +
        ' be read and counts as 0: lower the total by its amount, and start again:' +
        ' ./intaglio runs start r --sum amount=390.00',
    );
    t.match(
      told('amount', '400.00', '370.00', { withdrawn: 2 }, {}, { unread: 1, unreadWithdrawn: 2 }),
      /; the amounts of 1 faulty row and 2 withdrawn rows cannot be read and count as 0: correct /,
    );
    t.match(told('amount', '400.00', '390.00', { withdrawn: 1 }), /--sum amount=390\.00$/);
    t.end();
  },
);

t.test('leaving out invalid rows is proposed with what the control totals do about it', (t) => {
  const skip = /or make the others: .*--on-invalid skip$/;
  const untilCorrected =
    / --on-invalid skip \(the run then stops at its control totals, until it is corrected or withdrawn\)$/;
  const one = { invalid: 1 };
  const wrong = [
    { name: 'invalid', expected: '0', actual: '1' },
    { name: 'amount', expected: '400.00', actual: '390.00' },
  ];
  t.match(told('invalid', '0', '1', one), skip, 'the amount of the row counts as 0 in both sums');
  t.equal(
    told('invalid', '0', '1', one, { reasons: wrong }),
    '1 row is invalid: correct or withdraw it',
  );
  const sums = { sums: { amount: '9' } };
  t.match(told('invalid', '0', '1', one, sums), untilCorrected);
  t.match(told('invalid', '0', '1', one, { expected: { rows: 100 } }), untilCorrected);
  t.match(told('invalid', '0', '1', one, { expected: { rows: null, sums: {} } }), skip);
  t.end();
});
