import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { readEnvelope } from '../../../src/gateway/body/envelope.ts';
import {
  checkingWellFormed,
  CROWDED,
  parsingBody,
  SHORT_BYTES_MAX,
} from '../../../src/gateway/body/parsed-body.ts';
import type { ParsedBody } from '../../../src/gateway/body/parsed-body.ts';
import type { Outcome } from '../../../src/errors.ts';
import { isObject } from '../../../src/runtime/json-object.ts';
import { runAtOnce } from '../../../src/runtime/time-slice.ts';
import { mutateJson } from '../mutate-json.ts';
import type { Target } from './target.ts';

const BODY = {
  templateId: 'receipt',
  version: 3,
  mode: 'sync',
  data: { text: 'ก "{}[],:\\', rows: [['1', '2'], []], data: { data: 1 } },
  options: {
    metadata: { title: 'a', subject: 'b' },
    protection: { userPassword: 'a', permissions: { print: true } },
    attach: ['0190f3a2-0000-7000-8000-000000000000'],
    watermark: { text: 'COPY', opacity: 0.5 },
  },
};

/** Blanks that make any body a longer one. */
const PADDING = Buffer.alloc(SHORT_BYTES_MAX + 1, 0x20);

/**
 * Bodies of generate calls. The gateway locates `data` without parsing; what it locates must equal
 * what JSON.parse finds.
 */
export const envelopeTarget: Target = {
  seeds: async () => [
    JSON.stringify(BODY),
    JSON.stringify(BODY, null, 2),
    '{"data":{"a":1},"data":{"b":[{"c":"\\"}"}]},"mode":"async"}',
    '{"\\u0064ata":{},"mode":"sync","templateId":"x"}',
    '[]',
  ],
  dictionary: [
    ...'{ } [ ] : , " \\ "data" "data":{ \\u0064 "mode" "sync" null 1e5 -0'.split(' '),
    ...'"__proto__" "options" \ufeff \u0000'.split(' '),
  ],
  mutate: mutateJson,
  run(input) {
    const close = input.lastIndexOf('}');
    const padded =
      close < 0 ? input : Buffer.concat([input.subarray(0, close), PADDING, input.subarray(close)]);
    const short = compareWithParse(input);
    if (padded !== input) compareWithParse(padded);
    return short;
  },
};

function compareWithParse(body: Buffer): string {
  const expected = isUtf8(body) ? parsedOrNull(body.toString('utf8')) : null;
  const parsed = parseAsGateway(body);
  if (!parsed.ok) {
    // A crowded long body is refused before its syntax is checked, so there is nothing to compare.
    if (parsed.message === CROWDED && body.length > SHORT_BYTES_MAX) return CROWDED;
    if (expected !== null) throw new Error('JSON.parse accepts the body');
    return parsed.code;
  }
  if (expected === null) throw new Error('JSON.parse refuses the body');
  const { value, dataStart, dataEnd } = parsed.value;
  // Without `data` nothing is located. Data that is no object is refused, wherever it was located.
  if (isObject(expected.value) && isObject(expected.value['data'])) {
    const slice = body.subarray(dataStart, dataEnd).toString('utf8');
    if (!isDeepStrictEqual(JSON.parse(slice), expected.value['data'])) {
      throw new Error('the slice is not data');
    }
  }
  const envelope = readEnvelope(value);
  return envelope.ok ? Object.keys(envelope.value).join() : envelope.message.slice(0, 60);
}

/** Locates `data` and checks its syntax, which the gateway does in two steps. */
function parseAsGateway(body: Buffer): Outcome<ParsedBody> {
  const parsed = runAtOnce(parsingBody(body));
  if (!parsed.ok) return parsed;
  const wellFormed = runAtOnce(checkingWellFormed(body, parsed.value));
  return wellFormed.ok ? parsed : wellFormed;
}

function parsedOrNull(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
