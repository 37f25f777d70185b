import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { readEnvelope } from '../../../src/gateway/body/envelope.ts';
import { checkingWellFormed, parsingBody } from '../../../src/gateway/body/parsed-body.ts';
import { runAtOnce } from '../../../src/runtime/time-slice.ts';
import { mutateJson } from '../mutate-json.ts';
import type { Target } from './target.ts';
import { isObject } from '../../../src/runtime/json-object.ts';

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

/** A longer body is refused if it holds too much beside `data`. */
const SHORT_BYTES_MAX = 64 * 1024;
/** Blanks that make any body a longer one. */
const PADDING = Buffer.alloc(SHORT_BYTES_MAX + 1, 0x20);

/**
 * Bodies of generate calls. The gateway finds `data` without parsing it; its result must agree with
 * that of JSON.parse.
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

const CROWDED = 'The body holds too much beside data.';

function compareWithParse(body: Buffer): string {
  const known = isUtf8(body) ? parsedOrNull(body.toString('utf8')) : null;
  const parsed = runAtOnce(parsingBody(body));
  // It is refused for its size before it is checked to be JSON.
  if (!parsed.ok && parsed.message === CROWDED && body.length > SHORT_BYTES_MAX) {
    return CROWDED;
  }
  const wellFormed = parsed.ok ? runAtOnce(checkingWellFormed(body, parsed.value)) : parsed;
  if (wellFormed.ok !== (known !== null)) throw new Error('JSON.parse judges otherwise');
  if (!parsed.ok || known === null) return wellFormed.ok ? '' : wellFormed.code;
  const { value, dataStart, dataEnd } = parsed.value;
  if (isObject(known.value) && isObject(known.value['data'])) {
    const slice = body.subarray(dataStart, dataEnd).toString('utf8');
    if (!isDeepStrictEqual(JSON.parse(slice), known.value['data'])) {
      throw new Error('the slice is not data');
    }
  }
  const envelope = readEnvelope(value);
  return envelope.ok ? Object.keys(envelope.value).join() : envelope.message.slice(0, 60);
}

function parsedOrNull(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
