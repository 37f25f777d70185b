import fc from 'fast-check';
import t from 'tap';
import type { FieldDefect, Outcome } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { compileContract } from './contract.ts';
import { dataUrl, makePng } from '../../../test/fixtures/images.ts';
import { REASONS } from './reasons.ts';
import type { FieldDescriptor, FieldValue, FieldValues, PlainField } from './types.ts';
import { PLAIN_TYPES } from './types.ts';

const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);

function check(
  fields: readonly FieldDescriptor[],
  data: unknown,
): Outcome<FieldValues> | Promise<Outcome<FieldValues>> {
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  return compileContract(fields, 'th').check(bytes(json));
}

/** The outcome for one required field `f`: its value, or the reason it is refused. */
async function one(
  field: Omit<PlainField, 'name' | 'required'>,
  value: unknown,
): Promise<FieldValue | string | null | undefined> {
  const outcome = await check([{ ...field, name: 'f', required: true }], { f: value });
  return outcome.ok ? outcome.value[0] : defectOf(outcome.fields).reason;
}

function defectOf(fields: readonly FieldDefect[] | undefined): FieldDefect {
  const [defect, ...others] = fields ?? [];
  if (defect === undefined || others.length > 0) throw new Error('not one defect');
  return defect;
}

/** The outcome for the JSON text of the value of a number field. */
async function number(json: string): Promise<string> {
  const field: FieldDescriptor = { name: 'f', type: 'number', required: true };
  const outcome = await check([field], `{"f":${json}}`);
  if (!outcome.ok) {
    return outcome.fields === undefined ? outcome.code : defectOf(outcome.fields).reason;
  }
  const value = outcome.value[0];
  return value?.type === 'number' ? value.raw : 'no number';
}

t.test('data has to be a JSON object in UTF-8', async (t) => {
  const fields: FieldDescriptor[] = [{ name: 'f', type: 'text', required: true }];
  for (const json of ['', '{', '[]', 'null', '1', '"x"', '{"f":1,}', "{'f':1}", '\ufeff{}']) {
    t.match(await check(fields, json), { ok: false, code: 'bad_request' }, json);
  }
  const invalid = Uint8Array.from([0x7b, 0x22, 0x66, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
  const outcome = await compileContract(fields, 'th').check(invalid);
  t.match(outcome, { ok: false, code: 'bad_request' });
});

t.test('lists every defective field once, in the order of the contract', async (t) => {
  const fields: FieldDescriptor[] = [
    { name: 'c', type: 'number', required: true },
    { name: 'a', type: 'image', required: true },
    { name: 'ok', type: 'text', required: true },
    { name: 'b', type: 'svg', required: false },
    { name: 'missing', type: 'table', required: true },
    { name: 'cut', type: 'image', required: true },
    { name: 'd', type: 'date', required: true },
  ];
  const png = makePng({ widthPx: 9, heightPx: 9 });
  const outcome = await check(fields, {
    d: '2026-02-30',
    cut: dataUrl(png.subarray(0, 60), 'image/png'),
    b: '<svg>',
    a: 'http://bank.example/a.png',
    c: 'x',
    ok: 'y',
    extra: { nested: [1] },
  });
  t.same(outcome, {
    ok: false,
    code: 'invalid_data',
    message: 'data does not match the field contract of the template.',
    fields: [
      { field: 'c', reason: REASONS.number },
      { field: 'a', reason: REASONS.image },
      { field: 'b', reason: REASONS.svg },
      { field: 'missing', reason: REASONS.required },
      { field: 'cut', reason: REASONS.imageDamaged },
      { field: 'd', reason: REASONS.date },
    ],
  });
});

t.test('a required field that is absent, null or empty is missing', async (t) => {
  for (const type of PLAIN_TYPES) {
    for (const json of ['{}', '{"f":null}', '{"f":""}']) {
      const required = await check([{ name: 'f', type, required: true }], json);
      t.match(required, { fields: [{ field: 'f', reason: 'required' }] }, `${type} ${json}`);
      t.same(await check([{ name: 'f', type, required: false }], json), {
        ok: true,
        value: [null],
      });
    }
  }
  t.equal(await one({ type: 'text' }, '\u0000\u0007'), 'required', 'nothing is left of it');
});

t.test('names of Object.prototype are names like any other', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const fields = names.map((name) => ({ name, type: 'text', required: true }) as const);
  const missing = await check(fields, '{}');
  t.same(
    missing.ok ? [] : missing.fields,
    names.map((field) => ({ field, reason: 'required' })),
  );
  const json = `{${names.map((name) => `"${name}":"${name}"`).join(',')}}`;
  const outcome = await check(fields, json);
  t.same(
    outcome.ok ? outcome.value : [],
    names.map((display) => ({ type: 'text', display })),
  );
  t.equal(Object.hasOwn(Object.prototype, 'display'), false);
});

t.test('a repeated key counts with its last value', async (t) => {
  const field: FieldDescriptor = { name: 'f', type: 'number', required: true };
  const outcome = await check([field], '{"f":"x","f":1.50,"g":{"f":3},"h":[4]}');
  t.match(outcome, { value: [{ raw: '1.50' }] });
  t.match(await check([field], '{"\\u0066":2.0}'), { value: [{ raw: '2.0' }] });
});

t.test('number: its digits are found wherever else its name occurs', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const fields = names.map((name) => ({ name, type: 'number', required: true }) as const);
  const digits = names.map((_, index) => `${index}.500`);
  const members = names.map((name, index) => `"${name}" :\n ${digits[index] ?? ''} `);
  const decimals = digits.map((raw) => ({ raw }));
  const others = ['"x":"a"', '"x":["f","b"]', '"x":{"c":7}', '"x":"a\\"b"', '"x":"ก a"', '"x":1'];
  for (const other of others) {
    for (const json of [`{${other},${members.join(',')}}`, `{${members.join(',')},${other}}`]) {
      t.match(await check(fields, json), { value: decimals }, json);
    }
  }
});

t.test('number: numeric strings and JSON numbers keep their digits', async (t) => {
  const good: Readonly<Record<string, string>> = {
    '"1250.50"': '1250.50',
    '"-0.005"': '-0.005',
    '"007"': '007',
    '1.10': '1.10',
    '-5': '-5',
    '0': '0',
    '12345678901234567890': '12345678901234567890',
    '0.1000000000000000055511151231257827': '0.1000000000000000055511151231257827',
    '1e2': '100',
    '1.5E+3': '1500',
    '25e-4': '0.0025',
    '1.25e1': '12.5',
    '-1e0': '-1',
  };
  for (const [json, decimal] of Object.entries(good)) t.equal(await number(json), decimal, json);
  const bad = [
    ' 1',
    '1 ',
    '+1',
    '.5',
    '5.',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '1,000',
    '1_0',
    '-',
    '.',
    '๑๒',
    '１',
    '1.2.3',
    '--1',
    '-.5',
    '฿1',
    '1\n',
    '\u00001',
    '1\u0000',
    '1-',
  ].map((text) => JSON.stringify(text));
  for (const json of [...bad, 'true', '[]', '[1]', '{}', '{"a":1}']) {
    t.equal(await number(json), REASONS.number, json);
  }
});

t.test('number: at most 40 digits', async (t) => {
  t.equal(LIMITS.numberDigitsMax, 40);
  const digits = '1234567890'.repeat(4);
  for (const text of [digits, `-${digits}`, `${digits.slice(0, 20)}.${digits.slice(20)}`]) {
    t.equal(await number(JSON.stringify(text)), text);
    t.equal(await number(text), text);
    t.equal(await number(JSON.stringify(`${text}0`)), REASONS.numberDigits);
    t.equal(await number(`${text}0`), REASONS.numberDigits);
  }
  for (const json of ['9'.repeat(100_000), '1e40', '-1e40', '1e999', '1e-41']) {
    t.equal(await number(json), REASONS.numberDigits, json.slice(0, 9));
  }
  for (const text of [`${digits}0x`, `${digits}0 `, `+${digits}0`, `${digits}0.`, `1,${digits}`]) {
    t.equal(await number(JSON.stringify(text)), REASONS.number, text);
  }
});

t.test('number: min and max are exact', async (t) => {
  const validation = { min: 0, max: '99999999999999999999.99' };
  const bounded = { type: 'number', validation } as const;
  t.match(await one(bounded, '0'), { raw: '0' });
  t.match(await one(bounded, '-0.00'), { raw: '-0.00' });
  t.match(await one(bounded, '99999999999999999999.99'), { type: 'number' });
  t.equal(await one(bounded, '-0.0000001'), 'number of at least 0 expected');
  t.equal(
    await one(bounded, '99999999999999999999.990000001'),
    'number of at most 99999999999999999999.99 expected',
  );
  const tiny = { type: 'number', validation: { min: 1e-7 } } as const;
  t.equal(await one(tiny, '0.00000009'), 'number of at least 0.0000001 expected');
  t.match(await one(tiny, '0.0000001'), { type: 'number' });
});

t.test('date: real calendar days, exactly YYYY-MM-DD', async (t) => {
  for (const day of ['2026-11-21', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31']) {
    t.match(await one({ type: 'date' }, day), { raw: day, display: day });
  }
  for (const value of [
    '2026-02-29',
    '2026-02-30',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-01-00',
    '2026-1-1',
    '26-01-01',
    '2026/01/01',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
    '+2026-01-01',
    '-2026-01-01',
    '12026-01-01',
    '๒๐๒๖-๐๑-๐๑',
    '2569-13-01',
    '0000-01-01',
    'today',
    20260101,
    true,
    [],
    ['2026-01-01'],
    {},
  ]) {
    t.equal(await one({ type: 'date' }, value), REASONS.date, JSON.stringify(value));
  }
  const bounded = { type: 'date', validation: { min: '2026-01-01', max: '2026-12-31' } } as const;
  t.match(await one(bounded, '2026-01-01'), { type: 'date' });
  t.equal(await one(bounded, '2025-12-31'), 'date from 2026-01-01 on expected');
  t.equal(await one(bounded, '2027-01-01'), 'date until 2026-12-31 expected');
});

t.test('text: control characters are removed, line breaks stay', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    'สวัสดี โลก': 'สวัสดี โลก',
    'a\u0000b\u0007c\u001bd\u007fe\u0085f\u009fg': 'abcdefg',
    'a\r\nb\nc\rd': 'a\nb\ncd',
    'a\tb': 'a b',
    'x\ud800y\udc00z': 'xyz',
    '\udc00\ud800': '',
    '😀\ud83d': '😀',
    'a\u00a0b\u200bc\u202ed\ufeff': 'a\u00a0b\u200bc\u202ed\ufeff',
  };
  for (const [sent, display] of Object.entries(cases)) {
    const kept = sent === display ? {} : { sent };
    const expected = display === '' ? 'required' : { type: 'text', display, ...kept };
    t.same(await one({ type: 'text' }, sent), expected, JSON.stringify(sent));
  }
  // Raw, not as an escape: DEL and C1 are legal in JSON text.
  const field: FieldDescriptor = { name: 'f', type: 'text', required: true };
  t.match(await check([field], '{"f":"a\u007fb\u0090c"}'), { value: [{ display: 'abc' }] });
  for (const value of [1, true, [], ['a'], {}]) {
    t.equal(await one({ type: 'text' }, value), REASONS.text, JSON.stringify(value));
  }
});

t.test('text: length in code points, pattern, mask', async (t) => {
  const short = { type: 'text', validation: { minLength: 2, maxLength: 4 } } as const;
  t.equal(await one(short, '😀'), 'text of at least 2 characters expected');
  t.match(await one(short, '😀😀😀😀'), { type: 'text' });
  t.equal(await one(short, '😀😀😀😀1'), 'text of at most 4 characters expected');
  t.match(await one(short, 'ab\u0000cd'), { display: 'abcd' }, 'counted after cleaning');
  const code = { type: 'text', validation: { pattern: '^[A-Z]{2}\\d+$' } } as const;
  t.match(await one(code, 'TH123'), { type: 'text' });
  t.equal(await one(code, 'TH'), REASONS.pattern);
  t.equal(await one(code, 'TH'.repeat(6000)), 'text of at most 10000 characters expected');
  const account = { type: 'text', format: { mask: 'xxx-x-xxxxx-x' } } as const;
  t.match(await one(account, '1234567890'), { display: '123-4-56789-0' });
  t.match(await one(account, '123 4-56789.0'), { display: '123-4-56789-0' });
  t.equal(await one(account, '123456789'), REASONS.mask);
});

t.test('qrcode: any text that fits, without lone surrogates', async (t) => {
  t.match(await one({ type: 'qrcode' }, 'a\n\u001dข'), { display: 'a\n\u001dข' });
  t.match(await one({ type: 'qrcode' }, 'a\ud800'), { display: 'a' });
  t.equal(await one({ type: 'qrcode' }, 5), REASONS.qrcode);
  for (const [text, max] of [
    ['7', 7089],
    ['A', 4296],
    ['a', 2953],
    ['ก', 984],
  ] as const) {
    t.match(await one({ type: 'qrcode' }, text.repeat(max)), { type: 'qrcode' });
    t.equal(await one({ type: 'qrcode' }, text.repeat(max + 1)), REASONS.qrcodeTooLong);
  }
  const high = compileContract([{ name: 'f', type: 'qrcode', required: true }], 'th', {
    qrUses: new Map([['f', [{ eccLevel: 'H', version: null, mode: null, before: '', after: '' }]]]),
  });
  t.match(high.check(bytes(`{"f":"${'a'.repeat(1273)}"}`)), { ok: true });
  t.match(high.check(bytes(`{"f":"${'a'.repeat(1274)}"}`)), { ok: false });
  const framed = compileContract([{ name: 'f', type: 'qrcode', required: true }], 'th', {
    qrUses: new Map([['f', [{ eccLevel: 'L', version: 1, mode: null, before: 'ab', after: 'c' }]]]),
  });
  t.match(framed.check(bytes(`{"f":"${'a'.repeat(14)}"}`)), { ok: true });
  t.match(framed.check(bytes(`{"f":"${'a'.repeat(15)}"}`)), { ok: false });
});

t.test('table: rows of strings, as array or as JSON text', async (t) => {
  const rows = [['1', 'ก'], [], ['a\u0007b\r\nc', '😀\ud800', '']];
  const cleaned = [['1', 'ก'], [], ['ab\nc', '😀', '']];
  t.same(await one({ type: 'table' }, rows), { type: 'table', rows: cleaned });
  t.same(await one({ type: 'table' }, JSON.stringify(rows)), { type: 'table', rows: cleaned });
  t.same(await one({ type: 'table' }, []), { type: 'table', rows: [] });
  t.same(await one({ type: 'table' }, '[]'), { type: 'table', rows: [] });
  const raw = await check([{ name: 'f', type: 'table', required: true }], '{"f":[["a\u007f"]]}');
  t.match(raw, { value: [{ rows: [['a']] }] });
  for (const value of [
    'text',
    '{}',
    '[',
    'null',
    '"[]"',
    5,
    {},
    ['a'],
    [['a'], 'b'],
    [null],
    [{}],
  ]) {
    t.equal(await one({ type: 'table' }, value), REASONS.table, JSON.stringify(value));
  }
  for (const value of [[[1]], [['a', null]], [[['a']]], [[true]], '[[1]]']) {
    t.equal(await one({ type: 'table' }, value), REASONS.tableCell, JSON.stringify(value));
  }
});

function table(rows: number, columns: number): string[][] {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => 'x'));
}

t.test('table: at most 2,000 rows and 20,000 cells', async (t) => {
  for (const encode of [(value: unknown) => value, (value: unknown) => JSON.stringify(value)]) {
    t.match(await one({ type: 'table' }, encode(table(2000, 10))), { type: 'table' });
    t.equal(await one({ type: 'table' }, encode(table(2001, 1))), REASONS.tableRows);
    t.match(await one({ type: 'table' }, encode(table(1, 20_000))), { type: 'table' });
    t.equal(await one({ type: 'table' }, encode(table(1, 20_001))), REASONS.tableCells);
    const oneOver = [...table(1999, 10), Array.from({ length: 11 }, () => 'x')];
    t.equal(await one({ type: 'table' }, encode(oneOver)), REASONS.tableCells);
  }
});

t.test('image: only base64 data URLs of the four types, true to their label', async (t) => {
  const png = makePng({ widthPx: 3, heightPx: 3 });
  const base64 = png.toString('base64');
  const image = { type: 'image' } as const;
  for (const head of [
    'data:image/png;base64,',
    'DATA:IMAGE/PNG;BASE64,',
    'data:image/png;name=a.png;base64,',
  ]) {
    t.match(await one(image, head + base64), { image: { widthPx: 3 } }, head);
  }
  const refused: Readonly<Record<string, readonly unknown[]>> = {
    [REASONS.image]: [
      'http://bank.example/a.png',
      'https://bank.example/a.png',
      'file:///a.png',
      base64,
      `data:image/png,${base64}`,
      'data:image/png;base64',
      'data:',
      'data:,',
      ` data:x,`,
      5,
      [],
      {},
      true,
      `data:${'x'.repeat(300)};base64,AAAA`,
    ],
    [REASONS.imageType]: [
      `data:image/svg+xml;base64,${base64}`,
      `data:image/avif;base64,${base64}`,
      `data:text/html;base64,${base64}`,
      `data:;base64,${base64}`,
      'data:image/png;base64,PHN2Zz48L3N2Zz4=',
    ],
    [REASONS.imageBase64]: [
      'data:image/png;base64,',
      `data:image/png;base64,${base64.slice(0, -1)}`,
      `data:image/png;base64,${base64.slice(0, 40)}\n${base64.slice(40)}`,
      `data:image/png;base64, ${base64}`,
      `data:image/png;base64,${base64.slice(0, 8)}====${base64.slice(8)}`,
      `data:image/png;base64,${base64.replaceAll('+', '-').replace(/^..../, '-_-_')}`,
      `data:image/png;base64,${base64.slice(0, -4)}!!!!`,
      `data:image/png;base64,${base64.slice(0, -4)}กกกก`,
      `data:image/png;base64,%89PNG`,
    ],
    [REASONS.imageMismatch]: [
      `data:image/jpeg;base64,${base64}`,
      `data:image/gif;base64,${base64}`,
      `data:image/webp;base64,${base64}`,
    ],
  };
  for (const [reason, urls] of Object.entries(refused)) {
    for (const url of urls) t.equal(await one(image, url), reason, String(url).slice(0, 60));
  }
});

t.test('image: pixels of one request together, at the limit and above', async (t) => {
  const png = makePng({ widthPx: 6000, heightPx: 5000, bitDepth: 1, colorType: 0 });
  const small = makePng({ widthPx: 1, heightPx: 1 });
  const fields = ['a', 'b', 'c'].map((name) => ({ name, type: 'image', required: false }) as const);
  const large = dataUrl(png, 'image/png');
  const atLimit = await check(fields, { a: large, b: large });
  t.match(atLimit, { ok: true });
  const over = await check(fields, { a: large, b: large, c: dataUrl(small, 'image/png') });
  t.match(over, { ok: false, fields: [{ field: 'c', reason: REASONS.imageSum }] });
  // Its data is not an image; the header alone decides.
  const interlaced = makePng({ widthPx: 6000, heightPx: 5000, interlace: 1, idat: Buffer.of(0) });
  const reencoded = dataUrl(interlaced, 'image/png');
  const twice = await check(fields, { a: reencoded, c: dataUrl(small, 'image/png') });
  const damaged = { field: 'a', reason: REASONS.imageDamaged };
  t.match(twice, { ok: false, fields: [damaged, { field: 'c', reason: REASONS.imageSum }] });
});

t.test('answers at once when no image has to be decoded', async (t) => {
  const field: FieldDescriptor = { name: 'f', type: 'image', required: true };
  const data = { f: dataUrl(makePng({ widthPx: 77, heightPx: 3 }), 'image/png') };
  const first = check([field], data);
  t.ok(first instanceof Promise);
  await first;
  t.notOk(check([field], data) instanceof Promise, 'cached by its content');
});

t.test('any JSON gets an outcome, never an exception', async () => {
  const fields: FieldDescriptor[] = [
    { name: 'text', type: 'text', required: true, validation: { pattern: '^a+$' } },
    { name: 'number', type: 'number', required: true, format: { decimals: 2 } },
    { name: 'date', type: 'date', required: true, format: { pattern: 'EEEE d MMMM y' } },
    { name: 'image', type: 'image', required: false },
    { name: 'qrcode', type: 'qrcode', required: false },
    { name: 'table', type: 'table', required: false },
    { name: 'svg', type: 'svg', required: false },
  ];
  const contract = compileContract(fields, 'th');
  const names = fields.map(({ name }) => name);
  const value = fc.oneof(
    fc.json(),
    fc.double().map(String),
    fc.jsonValue().map((v) => JSON.stringify(v)),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), async (members) => {
      const json = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
      const outcome = await contract.check(bytes(`{${json.join(',')}}`));
      if (outcome.ok) return outcome.value.length === fields.length;
      const order = (outcome.fields ?? []).map(({ field }) => names.indexOf(field));
      return (
        outcome.code === 'bad_request' ||
        order.every((at, i) => i === 0 || at > (order[i - 1] ?? -1))
      );
    }),
    { numRuns: 500 },
  );
});

t.test('a number keeps every digit, whatever stands around it', async () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,20})?$/);
  await fc.assert(
    fc.asyncProperty(digits, fc.jsonValue(), async (source, other) => {
      const json = `{"o":${JSON.stringify(other)},"f": ${source} ,"p":${JSON.stringify(other)}}`;
      const outcome = await check([{ name: 'f', type: 'number', required: true }], json);
      const value = outcome.ok ? outcome.value[0] : null;
      return value?.type === 'number' && value.raw === source;
    }),
    { numRuns: 300 },
  );
});
