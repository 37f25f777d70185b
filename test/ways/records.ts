/**
 * The table of ways: 200 values, each in one field of a record that holds nothing else. `json` is the
 * value as it stands in JSON; '' leaves the field out.
 */
export interface WayRecord {
  readonly ref: string;
  readonly field: 'n' | 't' | 'd' | 'rows';
  readonly json: string;
}

const NUMBERS = [
  // As JSON numbers.
  '0',
  '-0',
  '1',
  '-1',
  '1.10',
  '1.5e3',
  '1e3',
  '1E3',
  '1e+3',
  '1e-3',
  '-1.25e-2',
  '0.10',
  '-0.0',
  '12345678901234567890.12',
  '-12345678901234567890.12',
  '9007199254740993',
  '-9007199254740993',
  '0.1234567890123456789',
  '100000000000000000000000000000000000000.1',
  '1234567890123456789012345678901234567890',
  '12345678901234567890123456789012345678901',
  '1e39',
  '1e40',
  '1e400',
  '1e-39',
  '1e-400',
  '0e9',
  '1.0',
  '1.000000000000000000000000000000000000000',
  // As strings.
  '"0"',
  '"-0"',
  '"-0.00"',
  '"007"',
  '"0012.50"',
  '"-0012.50"',
  '"1.10"',
  '"12345678901234567890.12"',
  '"-12345678901234567890.12"',
  '"9007199254740993"',
  '"+5"',
  '"1e3"',
  '"1E3"',
  '".5"',
  '"5."',
  '"-.5"',
  '"-5."',
  '"."',
  '"-"',
  '"--5"',
  '"5-"',
  '"(5.00)"',
  '"\u22125"',
  '"1,250.50"',
  '"1 250.50"',
  '"1\u00A0250.50"',
  '"1.250,50"',
  '"12,34,567.00"',
  '"฿5"',
  '"5 THB"',
  '"๕"',
  '"๑,๒๕๐.๕๐"',
  '"５"',
  '" 5"',
  '"5 "',
  '"\\t5"',
  '"5\\n"',
  '"5\\r\\n"',
  '"\uFEFF5"',
  '"\u00A05"',
  '"0x10"',
  '"Infinity"',
  '"NaN"',
  '"null"',
  '"true"',
  '"1_000"',
  '"1.2.3"',
  '"1234567890123456789012345678901234567890"',
  '"12345678901234567890123456789012345678901"',
  '"-1234567890123456789012345678901234567890"',
  '"0.0000000000000000000000000000000000000001"',
  // Neither.
  '""',
  '" "',
  '"\\n"',
  'null',
  '',
  'true',
  'false',
  '[]',
  '["5"]',
  '{}',
  '{"n":5}',
  '"[5]"',
  '"\\"5\\""',
];

const TEXTS = [
  // The first cell of the first row of a file, where a byte order mark would stand.
  '"\uFEFFfirst"',
  '"abc"',
  '"สมชาย ใจดี"',
  '"  two before"',
  '"two after  "',
  '"\u00A0nbsp\u00A0"',
  '"a\u00A0b"',
  '"\uFEFFmark"',
  '"ma\uFEFFrk"',
  '"mark\uFEFF"',
  '"\u200Bzero\u200Bwidth"',
  '"a,b"',
  '"a;b"',
  '"a\\tb"',
  '"\\"quoted\\""',
  '"say \\"yes\\", please"',
  '"it\'s"',
  '"a\\nb"',
  '"a\\r\\nb"',
  '"a\\rb"',
  '"\\na"',
  '"a\\n"',
  '"a\\n\\nb"',
  '"\\n"',
  '"\\r\\n"',
  '"\\""',
  '"\\"\\""',
  '","',
  '"a\u2028b"',
  '"a\u2029b"',
  '"a\u0085b"',
  '"\\u0001a"',
  '"\\u0000"',
  '"a\\u007Fb"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"a\\ud800b"',
  '"\uFFFD"',
  '"e\\u0301"',
  '"\\u00e9"',
  '"น้ำ"',
  '"นํ้า"',
  '"=1+1"',
  '"@a"',
  '"-a"',
  '"+66812345678"',
  '"0812345678"',
  '"007"',
  '"1e3"',
  '"1.10"',
  '"null"',
  '"true"',
  '"{}"',
  '"[]"',
  '"[[\\"a\\"]]"',
  '"\\\\"',
  '"a\\\\nb"',
  '"a/b"',
  '"<b>&amp;</b>"',
  '"{{n}}"',
  '"%s"',
  '""',
  '" "',
  '"   "',
  '"\\t"',
  '"\u00A0"',
  'null',
  '',
  'true',
  'false',
  '0',
  '5',
  '1.10',
  '12345678901234567890',
  '{}',
  '{"a":{"b":[1,2.50]}}',
  '[]',
  '["a"]',
  `"${'x'.repeat(300)}"`,
  '"#"',
  '"\\u0026"',
];

const DATES = [
  '"2026-11-24"',
  '"2024-02-29"',
  '"2025-02-29"',
  '"0001-01-01"',
  '"9999-12-31"',
  '"0000-01-01"',
  '"10000-01-01"',
  '"2026-2-3"',
  '"2026-13-01"',
  '"2026-04-31"',
  '"24/11/2026"',
  '"2026/11/24"',
  '"20261124"',
  '"2026-11-24T00:00:00Z"',
  '" 2026-11-24"',
  '"2026-11-24 "',
  '"๒๕๖๙-๑๑-๒๔"',
  '"\uFEFF2026-11-24"',
  '20261124',
  '46350',
  '""',
  '" "',
  'null',
  '',
];

const TABLES = [
  '[["a","1.10"],["b","-0"]]',
  '"[[\\"a\\",\\"1.10\\"],[\\"b\\",\\"-0\\"]]"',
  '[]',
  '"[]"',
  '[[]]',
  '[[""]]',
  '[["a"],["b","c","d"]]',
  '[["a",1]]',
  '"[[\\"a\\",1]]"',
  '[["a",12345678901234567890.12]]',
  '[["a",null]]',
  '["a"]',
  '"a"',
  '"[["',
  '{}',
  '{"a":[["b"]]}',
  'true',
  '5',
  '[[" a ","\\"q\\"\\nnext"]]',
  '" [[\\"a\\"]] "',
  '[["\uFEFFa","\u00A0"]]',
  '""',
  '" "',
  'null',
  '',
];

/** Values of which the last one counts: their name stands again in the same object. */
const REPEATED = [
  ['n', '1,"n":2'],
  ['n', '12345678901234567890.12,"n":"-7.50"'],
  ['n', '"-7.50","n":12345678901234567890.12'],
  ['n', '1,"\\u006e":2.10'],
  ['n', '1,"n":null'],
  ['n', '"x","t":"between","n":3'],
  ['n', '3,"n":"x"'],
  ['t', '"a","t":"b"'],
  ['t', '"a\\\\","t":"\\"t\\":1"'],
  ['rows', '[["a","1"]],"rows":[["b","2"]]'],
] as const;

const LISTS = [
  ['t', TEXTS],
  ['n', NUMBERS],
  ['d', DATES],
  ['rows', TABLES],
] as const;

export const RECORDS: readonly WayRecord[] = LISTS.flatMap(([field, values]) =>
  values.map((json, index) => ({ ref: `${field}-${index + 1}`, field, json })),
).concat(REPEATED.map(([field, json], index) => ({ ref: `r-${index + 1}`, field, json })));

/** The data of a record, as the text that a caller sends. */
export function jsonOf({ ref, field, json }: WayRecord): string {
  return `{"ref":"${ref}"${json === '' ? '' : `,"${field}":${json}`}}`;
}

/** A column of the table as CSV. */
export type WayColumn = 'ref' | WayRecord['field'];

/**
 * What a record is in CSV: the text of its cell. A string is its characters; any other value is its
 * JSON text, because CSV has no other types.
 */
export function cellOf({ json }: WayRecord): string {
  if (json === '' || json === 'null') return '';
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/**
 * Data with which CSV must agree: every value is the text of its cell, and an empty cell is absent.
 */
export function csvDataOf(record: WayRecord): string {
  const cell = cellOf(record);
  return jsonOf({ ...record, json: cell === '' ? '' : JSON.stringify(cell) });
}

/** A record with a name twice: JSON can say it, a form and a CSV file cannot. */
export function isRepeated({ ref }: WayRecord): boolean {
  return ref.startsWith('r-');
}

/** A record that CSV cannot hold: UTF-8 has no lone surrogates, and a header no name twice. */
export function isBeyondCsv(record: WayRecord): boolean {
  return isRepeated(record) || !cellOf(record).isWellFormed();
}

interface Difference {
  readonly reason: string;
  readonly field: WayRecord['field'];
  readonly values: readonly string[];
}

/**
 * The values that mean something else in CSV than in JSON, because CSV has no types. All others mean
 * the same: an empty cell is an absent field, as null and "" are.
 */
export const DIFFERENT_IN_CSV: readonly Difference[] = [
  {
    reason: 'a text field takes the cell, and refuses the JSON value that is no string',
    field: 't',
    values: [
      'true',
      'false',
      '0',
      '5',
      '1.10',
      '12345678901234567890',
      '{}',
      '{"a":{"b":[1,2.50]}}',
      '[]',
      '["a"]',
    ],
  },
  {
    reason: 'a JSON number may have an exponent, the text of a number may not',
    field: 'n',
    values: [
      '1.5e3',
      '1e3',
      '1E3',
      '1e+3',
      '1e-3',
      '-1.25e-2',
      '1e39',
      // As JSON, these are refused as too long.
      '1e40',
      '1e400',
      '1e-39',
      '1e-400',
      '0e9',
    ],
  },
];
