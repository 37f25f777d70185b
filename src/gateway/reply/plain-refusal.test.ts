import t from 'tap';
import type { ErrorCode } from '../../errors.ts';
import { ERRORS, fail } from '../../errors.ts';
import { timing } from '../generate/stages.ts';
import { makeRequestId } from '../http/request-id.ts';
import { statusLine } from '../http/response.ts';
import type { RateVerdict } from '../types.ts';
import type { RefusalFigures } from './plain-refusal.ts';
import { plainRefusal } from './plain-refusal.ts';
import { failureReply, headOf } from './reply.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** The status line and the header lines in any order, and the body, as text replies have them. */
function asText(code: ErrorCode, figures: RefusalFigures): readonly string[] {
  const { requestId, totalMs, rate, retryAfterSeconds } = figures;
  const reply = failureReply(fail(code), requestId, retryAfterSeconds);
  const serverTiming = totalMs === null ? '' : timing('total', totalMs);
  const { status, fields } = headOf(reply, requestId, serverTiming, rate, false);
  return [statusLine(status), ...fields.split('\r\n').toSorted(), reply.body];
}

function asBytes(code: ErrorCode, figures: RefusalFigures): readonly string[] | null {
  const refusal = plainRefusal(fail(code));
  if (refusal === null) return null;
  const head = Buffer.from(refusal.write(figures)).toString('latin1');
  const [status = '', ...fields] = head.split('\r\n');
  return [status, ...fields.toSorted(), Buffer.from(refusal.body).toString('latin1')];
}

function rateOf(limit: number, remaining: number, retryAfterMs: number): RateVerdict {
  return { allowed: remaining > 0, limit, remaining, retryAfterMs };
}

const RATES: readonly (RateVerdict | null)[] = [
  rateOf(120, 119, 60_000),
  rateOf(120, 9, 59_999.5),
  rateOf(120, 10, 0.4),
  null,
  rateOf(120, 0, 0),
  rateOf(100_000_000, 99_999_999, 1),
  rateOf(1, 0, 30_000),
];
const TOTALS = [null, 0, 0.001, 0.0204, 0.1, 0.12, 0.999, 0.9996, 1, 9.05, 10, 12_345.678];

t.test('the bytes of a refusal say what its text says', async (t) => {
  for (const code of CODES) {
    const retries = plainRefusal(fail(code))?.hasRetryAfter === true ? [0] : [0, 1, 9, 10, 60];
    for (const rate of RATES) {
      for (const totalMs of TOTALS) {
        for (const retryAfterSeconds of retries) {
          const figures = { requestId: makeRequestId(), totalMs, rate, retryAfterSeconds };
          t.same(asBytes(code, figures), asText(code, figures), code);
        }
      }
    }
  }
});

t.test('a failure that says more than its code has no such bytes', async (t) => {
  t.equal(plainRefusal(fail('overloaded', 'Too many request bodies are under way.')), null);
  t.equal(plainRefusal(fail('invalid_data', ERRORS.invalid_data.message, [])), null);
  t.not(plainRefusal(fail('overloaded', ERRORS.overloaded.message)), null);
});
