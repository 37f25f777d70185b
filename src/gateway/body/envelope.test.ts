import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { Outcome } from '../../errors.ts';
import { runAtOnce } from '../../runtime/time-slice.ts';
import { checkingWellFormed, type ParsedBody, parsingBody } from './parsed-body.ts';
import { readEnvelope, readingRequest } from './envelope.ts';
import { locatingData } from './locate-data.ts';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const read = (body: Uint8Array): Outcome<ParsedBody> => runAtOnce(parsingBody(body));

function slice(text: string): string | null {
  const body = bytes(text);
  const range = runAtOnce(locatingData(body)).data;
  return range === null ? null : Buffer.from(body.subarray(range.start, range.end)).toString();
}

t.test('the range of data is found', async (t) => {
  t.equal(slice('{"data":{}}'), '{}');
  t.equal(
    slice(' {"a":"data", "data" : {"data":[1,{"x":"}"}]} , "z":1}'),
    '{"data":[1,{"x":"}"}]}',
  );
  t.equal(slice('{"data":{"n":1},"data":{"n":2}}'), '{"n":2}', 'the last one counts');
  t.equal(slice('{"d\\u0061ta":{"n":1}}'), '{"n":1}', 'an escaped key is the same key');
  t.equal(slice('{"data":12.5e3,"x":0}'), '12.5e3');
  t.equal(slice(`{"x":"${'\\\\'.repeat(60)}","data":{}}`), '{}', 'long runs of backslashes');
  t.equal(slice(`{"x":"${'\\"'.repeat(60)}","data":{"y":"${'a'.repeat(99)}\\""}}`)?.length, 109);
  for (const text of [
    '',
    ' ',
    '[]',
    '"data"',
    '{',
    '{"data"',
    '{"data":',
    '{"data":{',
    '{"data":"',
  ]) {
    t.equal(slice(text), null, text);
  }
});

t.test('the range holds what JSON.parse reads as data', async () => {
  const value = fc.dictionary(
    fc.oneof(fc.constantFrom('data', 'a"b', 'da\\ta', 'mode'), fc.string()),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 5 },
  );
  const blank = fc.constantFrom('', ' ', 2, '\t');
  fc.assert(
    fc.property(value, blank, (object, space) => {
      const text = JSON.stringify(object, null, space);
      const found = slice(text);
      if (!Object.hasOwn(object, 'data')) return found === null;
      const expected = JSON.stringify(object['data']);
      return found !== null && JSON.stringify(JSON.parse(found)) === expected;
    }),
  );
});

function parsedOrNull(text: string): object | null {
  try {
    // After any change, `base` below is an object or not JSON.
    return JSON.parse(text) as object;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

t.test('a body of any length is read as JSON.parse reads it, or refused', async () => {
  const padding = ' '.repeat(70_000);
  const base =
    '{"templateId":"t","mode":"sync","data":{"a":[["x","y\\\\"]],"b":"\\""},"options":{}}';
  const places = fc.nat({ max: base.length });
  const scrap = fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', ' ', 'data');
  fc.assert(
    fc.property(places, places, scrap, (from, length, insert) => {
      const text = base.slice(0, from) + insert + base.slice(from + (length % 4));
      const whole = parsedOrNull(text);
      // White space at the end makes the body long, which is read in another way with the same
      // result.
      return [text, text + padding].every((sent) => {
        const body = bytes(sent);
        const parsed = read(body);
        const isGood = parsed.ok && runAtOnce(checkingWellFormed(body, parsed.value)).ok;
        if (isGood !== (whole !== null)) return false;
        if (!parsed.ok || whole === null || parsed.value.whole) return true;
        const { value, dataStart, dataEnd } = parsed.value;
        const data = JSON.parse(
          Buffer.from(body.subarray(dataStart, dataEnd)).toString(),
        ) as unknown;
        return isDeepStrictEqual({ ...(value as object), data }, whole);
      });
    }),
    { numRuns: 500 },
  );
});

t.test('deep nesting is refused without a crash', async (t) => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  t.ok(read(bytes(`{"data":{"x":${deep}}}`)).ok);
  t.match(read(bytes(`{"options":${deep}}`)), { ok: false, code: 'bad_request' });
  t.match(read(bytes('['.repeat(500_000))), { ok: false, code: 'bad_request' });
});

const good = { templateId: 't', mode: 'sync', data: {} };
const withOptions = (options: unknown): unknown => ({ ...good, options });

t.test('a valid envelope is read with its defaults', async (t) => {
  t.same(readEnvelope(good), {
    ok: true,
    value: {
      templateId: 't',
      version: null,
      draft: false,
      mode: 'sync',
      metadata: null,
      protection: null,
      signature: false,
      attach: [],
      watermark: null,
    },
  });
  const protection = { ownerPassword: 'o', permissions: { print: false } };
  const full = withOptions({ protection, watermark: { text: 'x' }, attach: ['a'], metadata: {} });
  t.match(readEnvelope(full), {
    ok: true,
    value: {
      protection: { userPassword: '', ownerPassword: 'o', permissions: { print: false } },
      watermark: { text: 'x', opacity: 0.15 },
      attach: ['a'],
    },
  });
  const user = readEnvelope(withOptions({ protection: { userPassword: 'u' } }));
  t.match(user, { ok: true, value: { protection: { ownerPassword: 'u' } } });
});

const refused: readonly [unknown, RegExp][] = [
  [[], /body must be an object/],
  [null, /body must be an object/],
  [{ mode: 'sync', data: {} }, /^templateId is required/],
  [{ templateId: 't', data: {} }, /^mode is required/],
  [{ templateId: 't', mode: 'sync' }, /^data is required/],
  [{ ...good, templateId: 7 }, /^templateId must be a string/],
  [{ ...good, mode: 'SYNC' }, /^mode must be one of \["sync","async"\]/],
  [{ ...good, version: '1' }, /^version must be a number/],
  [{ ...good, version: null }, /^version must be a number/],
  [{ ...good, data: [] }, /^data must be an object/],
  [{ ...good, data: null }, /^data must be an object/],
  [{ ...good, options: null }, /^options must be an object/],
  [{ ...good, optoins: {}, x: 1 }, /"optoins", "x" are not known keys; known are templateId/],
  [JSON.parse('{"templateId":"t","mode":"sync","data":{},"__proto__":{}}'), /"__proto__" is not/],
  [{ ...good, draft: true, mode: 'async' }, /sync only/],
  [{ ...good, draft: true, version: 1 }, /exclude each other/],
  [withOptions({ protecton: {} }), /^"options\.protecton" is not a known key; known are metadata/],
  [withOptions({ protection: {} }), /needs a userPassword or an ownerPassword/],
  [withOptions({ protection: { userPassword: '', ownerPassword: '' } }), /not empty/],
  [withOptions({ protection: { userPassword: 'a\u0000' } }), /without control characters/],
  [withOptions({ protection: { userPassword: 'a\nb' } }), /without control characters/],
  [withOptions({ protection: { ownerPassword: '\ud800' } }), /without control characters/],
  [withOptions({ protection: { userPassword: 'ก'.repeat(43) } }), /at most 127 bytes/],
  [withOptions({ protection: { permissions: { print: true } } }), /needs a userPassword/],
  [withOptions({ protection: { userPassword: 'a', permissions: { print: 1 } } }), /a boolean/],
  [
    withOptions({ protection: { userPassword: '{{customer}}' } }),
    /userPassword has \{\{…\}\}.*runs/,
  ],
  [withOptions({ protection: { ownerPassword: 'x{{ a }}' } }), /ownerPassword has \{\{…\}\}.*runs/],
  [withOptions({ attach: ['a', 'b', 'c', 'd'] }), /options\.attach must list at most 3/],
  [withOptions({ attach: 'a' }), /options\.attach must be an array/],
  [withOptions({ attach: ['a', 1] }), /options\.attach\[1\] must be a string/],
  [withOptions({ watermark: {} }), /options\.watermark\.text is required/],
  [withOptions({ watermark: { text: '' } }), /options\.watermark\.text must not be empty/],
  [withOptions({ watermark: { text: ' \n\u0007' } }), /options\.watermark\.text must not be empty/],
  [withOptions({ watermark: { text: '😀'.repeat(31) } }), /at most 30 characters/],
  [withOptions({ watermark: { text: 'x', opacity: 1.01 } }), /opacity must be <= 1/],
  [withOptions({ watermark: { text: 'x', opacity: -0.01 } }), /opacity must be >= 0/],
  [withOptions({ watermark: { text: 'x', opacity: '1' } }), /opacity must be a number/],
  [withOptions({ metadata: { title: 'ก'.repeat(201) } }), /title must have at most 200/],
  [withOptions({ metadata: { subject: 'ก'.repeat(201) } }), /subject must have at most 200/],
  [withOptions({ metadata: { author: 'x' } }), /"options\.metadata\.author" is not a known key/],
];

t.test('refusals and their messages', async (t) => {
  for (const [value, message] of refused) {
    t.match(readEnvelope(value), { ok: false, code: 'bad_request', message }, String(message));
  }
});

t.test('limits of lengths count code points', async (t) => {
  t.ok(readEnvelope(withOptions({ watermark: { text: '😀'.repeat(30), opacity: 1 } })).ok);
  t.ok(readEnvelope(withOptions({ watermark: { text: 'x', opacity: 0 } })).ok);
  t.ok(readEnvelope(withOptions({ metadata: { title: '😀'.repeat(200) } })).ok);
  t.ok(readEnvelope(withOptions({ protection: { userPassword: 'a'.repeat(127) } })).ok);
});

t.test('braces that bind nothing may be in a password', async (t) => {
  for (const userPassword of ['{{', '}}', '}}{{', '{a}', 'a{{b}']) {
    t.ok(readEnvelope(withOptions({ protection: { userPassword } })).ok, userPassword);
  }
});

t.test('texts of the options are one line without control characters', async (t) => {
  const text = 'a\u0000b\r\nc\td\u009b\ud800😀';
  const read = readEnvelope(withOptions({ watermark: { text }, metadata: { title: text } }));
  t.match(read, {
    ok: true,
    value: {
      watermark: { text: 'ab c d😀', opacity: 0.15 },
      metadata: { title: 'ab c d😀', subject: undefined },
    },
  });
});

/** The error code for an API key; '' when the request is accepted. */
function codeOf(value: unknown): string {
  const outcome = runAtOnce(readingRequest(bytes(JSON.stringify(value)), true, false));
  return outcome.ok ? '' : outcome.code;
}

t.test('bulkOutput is noticed with any value', async (t) => {
  for (const bulkOutput of ['zip', '', null, {}, 0])
    t.equal(codeOf({ options: { bulkOutput } }), 'not_implemented');
  t.equal(codeOf({ options: [] }), 'bad_request');
  t.equal(codeOf({ bulkOutput: 'zip' }), 'bad_request');
  t.equal(codeOf(null), 'bad_request');
  t.equal(codeOf({ draft: true }), 'draft_requires_user', 'for a key this comes first');
});

function message(change: object): string {
  const read = readEnvelope({ templateId: 't', mode: 'sync', data: {}, ...change });
  return read.ok ? '' : read.message;
}

t.test('every fault of the envelope is in one message', async (t) => {
  t.equal(
    message({ options: { attach: [7], watermark: { text: '' }, protection: {} } }),
    'options.attach[0] must be a string; options.watermark.text must not be empty; ' +
      'options.protection needs a userPassword or an ownerPassword that is not empty.',
  );
  t.equal(
    message({ options: { watermark: { text: ' ' }, protection: {} } }),
    'options.protection needs a userPassword or an ownerPassword that is not empty; ' +
      'options.watermark.text must not be empty.',
  );
  t.equal(
    message({ mode: 'later', version: '1', extra: 1 }),
    '"extra" is not a known key; known are templateId, version, mode, draft, data, options; ' +
      'version must be a number; mode must be one of ["sync","async"].',
  );
  t.equal(
    message({ draft: true, version: 1, mode: 'async' }),
    'version and draft exclude each other; A draft can be generated in mode sync only.',
  );
  const passwords = { userPassword: 'a\n', ownerPassword: 'x'.repeat(200) };
  t.match(message({ options: { protection: passwords } }), /userPassword.*; .*ownerPassword/);
});

t.test('a bounded part of a body full of faults is examined and reported', async (t) => {
  const attach = Array.from({ length: 10_000 }, () => 1);
  const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
  const read = readEnvelope({ ...keys, options: { ...keys, attach, metadata: keys } });
  if (read.ok) return t.fail('it has faults');
  t.ok(read.message.length < 2_000, `${read.message.length} characters`);
  t.match(read.message, /and 4990 more are not known keys/);
  t.match(read.message, 'options.attach must list at most 3 items');
  // The faults are three unknown keys, three missing ones, the list and its first four items.
  t.match(read.message, /; and 1 more\.$/, 'the items beyond the first four are not examined');
});
