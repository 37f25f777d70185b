/** Bodies of about 1 MB that are as costly to read as a caller can make them, for each route. */

const BYTES_MAX = 1_048_576;

const HEAD = '{"templateId":"x","mode":"sync","data":';

/** `unit` repeated until `room` bytes are used up. */
function fill(unit: string, room = BYTES_MAX - 300): string {
  return unit.repeat(Math.floor(room / Buffer.byteLength(unit)));
}

/** Members with short names, each different. */
function members(nameOf: (index: number) => string, room = BYTES_MAX - 300): string {
  const parts: string[] = [];
  for (let bytes = 0, index = 0; ; index += 1) {
    const part = `"${nameOf(index)}":1`;
    bytes += part.length + 1;
    if (bytes > room) return parts.join(',');
    parts.push(part);
  }
}

const DEPTH = BYTES_MAX / 2 - 200;
const ARRAYS = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const OBJECTS = `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`;
const SMALL_KEYS = members((index) => index.toString(36));
const ESCAPED_KEYS = members((index) => `\\u0e01${index.toString(36)}`);
const INTEGER_KEYS = members((index) => String((index * 7919) % 4_294_967_290));

/** Values that may be long: each is sent in `data`, beside it, and in `options`. */
const VALUES: Readonly<Record<string, string>> = {
  'nested arrays': ARRAYS,
  'nested objects': OBJECTS,
  'small keys': `{${SMALL_KEYS}}`,
  'integer keys': `{${INTEGER_KEYS}}`,
  'escaped keys': `{${ESCAPED_KEYS}}`,
  'the same key': `{${fill('"a":1,')}"a":1}`,
  'one key': `{"${fill('k')}":1}`,
  numbers: `[${fill('1,')}1]`,
  'long doubles': `[${fill('2.2250738585072011e-308,')}1]`,
  'one number': fill('9'),
  'one fraction': `0.${fill('123456789')}`,
  'one exponent': `1e${fill('9')}`,
  'empty objects': `[${fill('{},')}{}]`,
  'empty strings': `[${fill('"",')}""]`,
  letters: `"${fill('x')}"`,
  thai: `"${fill('ก')}"`,
  escapes: `"${fill('\\u0041')}"`,
  surrogates: `"${fill('\\ud800')}"`,
  quotes: `"${fill('\\"')}"`,
  backslashes: `"${fill('\\\\')}"`,
};

export const ROUTES = {
  generate: 'POST /v1/generate',
  draft: 'PUT /v1/templates/x/draft',
  identities: 'POST /v1/sync/identities',
  everybody: 'GET /v1/sync/identities',
} as const;
export type Route = keyof typeof ROUTES;

export interface HostileBody {
  readonly route: Route;
  readonly name: string;
  readonly body: Uint8Array;
  /** Sent chunked, in pieces of this size; null: sent at once with its length. */
  readonly pieceBytes: number | null;
}

/** All hostile bodies; none of them can be rendered. */
export function hostileBodies(): HostileBody[] {
  return [...generateBodies(), ...draftBodies(), ...identityBodies()];
}

type Add = (name: string, text: string | Uint8Array, pieceBytes?: number | null) => void;

function adder(route: Route, bodies: HostileBody[]): Add {
  return (name, text, pieceBytes = null) => {
    const body = new Uint8Array(Buffer.from(text));
    if (body.length > BYTES_MAX) throw new Error(`${name} has ${body.length} bytes`);
    bodies.push({ route, name: `${route}: ${name}`, body, pieceBytes });
  };
}

function draftBodies(): HostileBody[] {
  const bodies: HostileBody[] = [];
  const add = adder('draft', bodies);
  for (const [name, value] of Object.entries(VALUES)) {
    add(`${name} as the file`, value);
    add(`${name} as templateId`, `{"templateId":${value}}`);
    add(`${name} as fields`, `{"templateId":"x","fields":${value}}`);
  }
  for (const name of ['nested arrays', 'nested objects', 'small keys', 'escaped keys'] as const) {
    const value = VALUES[name] ?? '';
    add(`${name} as name`, `{"templateId":"x","name":${value}}`);
    add(`${name} as document`, `{"templateId":"x","document":${value}}`);
    add(`${name} as content`, `{"templateId":"x","document":{"content":${value}}}`);
    add(`${name} as styles`, `{"templateId":"x","document":{"content":[],"styles":${value}}}`);
  }
  const wrong = members((index) => index.toString(36), 10_000);
  const long = fill('k', 900_000);
  add(
    'faults under a long name',
    `{"templateId":"x","document":{"styles":{"${long}":{${wrong}}}}}`,
  );
  add('blanks', `${fill(' ')}{}`);
  return bodies;
}

/** Users with different ids, up to `room` bytes. */
function users(room: number, extra = ''): string {
  const parts: string[] = [];
  for (let bytes = 0, index = 0; ; index += 1) {
    const part = `{"userId":"${index.toString(36)}","teamId":"t","role":"Editor"${extra}}`;
    bytes += Buffer.byteLength(part) + 1;
    if (bytes > room) return parts.join(',');
    parts.push(part);
  }
}

function identityBodies(): HostileBody[] {
  const bodies: HostileBody[] = [];
  const add = adder('identities', bodies);
  const room = BYTES_MAX - 300;
  const team = '"teams":[{"teamId":"t","name":"t"}]';
  add('nobody yet', '{}');
  add('small users', `{${team},"users":[${users(room)}]}`);
  add('small users again', `{${team},"users":[${users(room)}]}`);
  add('all of them changed', `{${team},"users":[${users(room, ',"email":"e"')}]}`);
  add(
    'escaped names',
    `{${team},"users":[${users(room, `,"displayName":"${'\u0e01'.repeat(200)}"`)}]}`,
  );
  const teams = Array.from({ length: 30_000 }, (_, index) => `{"teamId":"${index}","name":""}`);
  add('small teams', `{"teams":[${teams.join(',')}]}`);
  bodies.push({ route: 'everybody', name: 'everybody', body: new Uint8Array(), pieceBytes: null });
  add('one more', '{"users":[{"userId":"one","teamId":"t","role":"Viewer"}]}');
  add('everybody gone', `{${team},"full":true}`);
  add('everybody back', `{${team},"users":[${users(room)}],"full":true}`);
  for (const [name, value] of Object.entries(VALUES)) {
    add(`${name} as the body`, value);
    add(`${name} as users`, `{"users":${value}}`);
    add(`${name} as a user`, `{"users":[${value}]}`);
    add(`${name} as full`, `{"full":${value}}`);
    add(`${name} beside`, `{"a":${value}}`);
  }
  add('small keys at the top', `{${SMALL_KEYS}}`);
  add('the same users', `{${fill('"users":[],')}"users":[]}`);
  add('commas', `{"users":[${fill(',')}`);
  add('blanks', `{"users":[${fill(' ')}]}`);
  add('a fault at the end', `{${team},"users":[${users(room - 10)},{]}`);
  add('a user twice', `{${team},"users":[${users(room - 100)},${users(60)}]}`);
  return bodies;
}

function generateBodies(): HostileBody[] {
  const bodies: HostileBody[] = [];
  const add = adder('generate', bodies);
  for (const [name, value] of Object.entries(VALUES)) {
    add(`${name} in data`, `${HEAD}{"a":${value}}}`);
    add(`${name} as data`, `${HEAD}${value}}`);
    add(`${name} beside data`, `${HEAD}{},"a":${value}}`);
    add(`${name} as options`, `${HEAD}{},"options":${value}}`);
    add(`${name} as templateId`, `{"mode":"sync","data":{},"templateId":${value}}`);
    add(`${name} as the body`, value);
  }
  for (const place of ['title', 'subject']) {
    add(`metadata.${place}`, `${HEAD}{},"options":{"metadata":{"${place}":"${fill('😀')}"}}}`);
  }
  add('watermark.text', `${HEAD}{},"options":{"watermark":{"text":"${fill('ก')}"}}}`);
  add('userPassword', `${HEAD}{},"options":{"protection":{"userPassword":"${fill('x')}"}}}`);
  add('attach', `${HEAD}{},"options":{"attach":[${fill('"",')}""]}}`);
  add('small keys at the top', `${HEAD}{},${SMALL_KEYS}}`);
  add('the same templateId', `{${fill('"templateId":"x",')}"data":{}}`);
  add('the same data', `{${fill('"data":{},')}"data":{}}`);
  add('the same escaped data', `{${fill('"\\u0064\\u0061\\u0074\\u0061":{},')}"data":{}}`);
  add('two long data', `{"data":${ARRAYS.slice(0, 1)}${fill('1,', 900_000)}1],"data":{}}`);
  add('blanks', `${fill(' ')}{}`);
  add('commas', `{${fill(',')}`);
  add('colons', `{"a"${fill(':')}`);
  add('open arrays', `{"data":${fill('[')}`);
  add('open strings', `{"data":${fill('"')}`);
  add('an open string', `{"data":"${fill('\\"')}`);
  add('zeros', new Uint8Array(BYTES_MAX));
  add('a fault at the end', `${HEAD}{"a":[${fill('1,')}x]}}`);
  const cut = Buffer.from(`${HEAD}{"a":"${fill('ก')}"}}`);
  cut[cut.length - 4] = 0xff;
  add('invalid UTF-8 at the end', cut);
  add('small pieces', `${HEAD}{${members((index) => index.toString(36), 100_000)}}}`, 1);
  return bodies;
}
