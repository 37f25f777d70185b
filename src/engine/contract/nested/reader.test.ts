import t from 'tap';
import { seededRandom, type Random } from '../../../../lab/random.ts';
import { compileContract } from '../contract.ts';
import type { FieldDescriptor } from '../types.ts';
import { compileMembers } from './check.ts';
import { compileTakeLists } from './take.ts';

/**
 * Lists are read either from the text or by a walk over parsed data. Both must give the same
 * result.
 */

const money = { decimals: 2, thousandsSeparator: true } as const;
const FIELDS: readonly FieldDescriptor[] = [
  { name: 'note', type: 'text', required: false },
  { name: 'count', type: 'number', required: false },
  {
    name: 'accounts',
    type: 'list',
    required: true,
    validation: { minItems: 1, maxItems: 5, maxItemsTotal: 12 },
    fields: [
      { name: 'number', type: 'text', required: true, format: { mask: 'XX-xx' } },
      { name: 'opened', type: 'date', required: false, format: { pattern: 'd MMM yyyy' } },
      { name: 'until', type: 'date', required: false, validation: { max: '2026-12-31' } },
      { name: 'balance', type: 'number', required: true, format: money },
      { name: 'limit', type: 'number', required: false, validation: { min: 0 } },
      { name: 'kind', type: 'text', required: false, validation: { choices: ['a', 'b'] } },
      { name: 'code', type: 'qrcode', required: false },
      {
        name: 'owner',
        type: 'record',
        required: false,
        fields: [
          { name: 'name', type: 'text', required: true },
          { name: 'phones', type: 'list', required: false, fields: [text('digits')] },
        ],
      },
      { name: 'entries', type: 'list', required: false, fields: [text('t'), number('n')] },
    ],
  },
  { name: 'cards', type: 'list', required: false, fields: [text('holder'), number('used')] },
];

function text(name: string): FieldDescriptor {
  return { name, type: 'text', required: false };
}

function number(name: string): FieldDescriptor {
  return { name, type: 'number', required: true, format: money };
}

const TEXTS = [
  '"A"',
  '"ฝากเงินสดเข้าบัญชี 123"',
  '"a \\"quoted\\" one"',
  '"\\u0e01"',
  '"x\\ty"',
  '" "',
];
const NUMBERS = ['0', '-0', '1250.50', '1250.5', '"1250.50"', '1e3', '-999999.99', '"-1"'].concat([
  '1234567.891',
  '12345678901234567890.10',
  '"0012.5"',
  '1E-2',
  '999999.995',
  '0.5',
  '".5"',
]);
const DAYS = ['"2026-01-31"', '"2024-02-29"', '"2026-12-01"', '"1921-06-30"', '"0001-01-01"'];
const ODD = [
  'null',
  '""',
  'true',
  '[]',
  '{}',
  '7',
  '"x"',
  '01',
  '1.',
  '"\u0001"',
  '"\\q"',
  '"2026-02-30"',
];

/** JSON of a value for the field; about one in `oddity` is a value that the field refuses. */
function made(field: FieldDescriptor, random: Random, oddity: number): string {
  if (random.below(oddity) === 0) return pick(ODD, random);
  const { type, format, validation } = field;
  if (type === 'list') {
    const items = Array.from({ length: random.below(4) }, () =>
      members(field.fields, random, oddity),
    );
    return `[${items.join(space(random, ','))}]`;
  }
  if (type === 'record') return members(field.fields, random, oddity);
  if (type === 'number') return random.below(2) === 0 ? pick(NUMBERS, random) : amount(random);
  if (type === 'date') return pick(DAYS, random);
  if (format?.mask !== undefined) return pick(['"1234"', '"ab12"'], random);
  return validation?.choices === undefined ? pick(TEXTS, random) : pick(['"a"', '"b"'], random);
}

/** A number of a few digits, in quotes or not. */
function amount(random: Random): string {
  const sign = random.below(4) === 0 ? '-' : '';
  const places = random.below(5);
  const fraction = places === 0 ? '' : `.${random.digits(places)}`;
  const number = `${sign}${random.below(10 ** (1 + random.below(9)))}${fraction}`;
  return random.below(2) === 0 ? number : `"${number}"`;
}

function members(fields: readonly FieldDescriptor[], random: Random, oddity: number): string {
  const pairs = fields
    .filter(({ required }) => required || random.below(3) > 0)
    .map((field) => `"${field.name}"${space(random, ':')}${made(field, random, oddity)}`);
  if (random.below(6) === 0) pairs.reverse();
  if (random.below(5) === 0)
    pairs.push(`"other":${pick([...TEXTS, ...NUMBERS, '[1,{"a":[]}]'], random)}`);
  if (random.below(oddity) === 0 && pairs[0] !== undefined) pairs.push(pairs[0]);
  return `{${pairs.join(space(random, ','))}}`;
}

function pick(from: readonly string[], random: Random): string {
  return from[random.below(from.length)] ?? '';
}

function space(random: Random, sign: string): string {
  return random.below(8) === 0 ? `\n ${sign}\t ` : sign;
}

t.test('the same rows and the same defects as from parsed data', async (t) => {
  const random = seededRandom(44);
  const contract = compileContract(FIELDS, 'en');
  let accepted = 0;
  for (let round = 0; round < 20_000; round++) {
    const body = members(FIELDS, random, round % 2 === 0 ? 1_000 : 20);
    // A list that occurs twice is left to the walk, where the last one counts.
    const twice = ['"accounts"', '"cards"'].filter((name) => body.includes(name));
    const walked = body.replace('{', `{${twice.map((name) => `${name}:0,`).join('')}`);
    const found = await contract.check(Buffer.from(body));
    const expected = await contract.check(Buffer.from(walked));
    if (found.ok) accepted++;
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    t.same(found, expected, body);
    return;
  }
  t.ok(accepted > 3_000, `${accepted} bodies were accepted`);
});

t.test('lists without a fault are read from the text', (t) => {
  const members = compileMembers(FIELDS, {
    language: 'en',
    qrUses: undefined,
    guard: (check) => check,
    readsRaw: () => true,
    replaced: () => false,
  });
  const take = compileTakeLists(members);
  const rest = (text: string): string | undefined => {
    const codes = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    const copy = (start: number, end: number): string => text.slice(start, end);
    return take?.({ text, codes, copy }, false, []);
  };
  const account = '{"number":"1234","balance":1250.50,"entries":[{"n":"1"},{"n":2}]}';
  t.equal(rest(`{"note":"x","accounts":[${account}]}`), '{"note":"x","accounts":0}');
  t.equal(rest('{"cards":[], "accounts" : [7]}'), '{"cards":0, "accounts" : [7]}');
  t.end();
});

t.test('faults of the JSON around and in lists are found', async (t) => {
  const contract = compileContract(
    [{ name: 'l', type: 'list', required: false, fields: [text('t')] }],
    'en',
  );
  const bodies = [
    '{"l":[{"t":"a"}]',
    '{"l":[{"t":"a"}],}',
    '{"l":[{"t":"a",}]}',
    '{"l":[{"t":"a"},]}',
  ].concat(
    ['{"l":[{"t":"a"}}', '{"l":[{"u":"\\q"}]}', '{"l":[{"u":"\u0001"}]}', '{"l":[{"t":"\u0001"}]}'],
    [
      '{"x":[{],"l":[]}',
      '{"l":[{"t":"a"}] 0}',
      '{"l":[{"t" "a"}]}',
      '{"l":[{,"t":"a"}]}',
      '{"l":[{"u":01}]}',
    ],
  );
  for (const body of bodies) {
    t.match(await contract.check(Buffer.from(body)), { ok: false, code: 'bad_request' }, body);
  }
  const twice = await contract.check(Buffer.from('{"l":[{"t":"a"}],"\\u006c":[{"t":"b"}]}'));
  t.match(twice, { ok: true, value: [{ rows: [{ 3: 'b' }] }] }, 'the last of two lists counts');
});
