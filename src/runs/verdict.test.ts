import t from 'tap';
import type { RunRecord } from '../store/runs/types.ts';
import { afterWithdrawal } from './verdict.ts';

const NONE = { open: [], withdrawn: [], unread: { open: [], withdrawn: [] } };

/** Judges a run of 30 rows again, of which 29 are stored and one is withdrawn: the reasons left. */
function left(reasons: readonly string[], counts = {}, spec = {}, exceptions: object = {}) {
  const run = {
    isDryRun: false,
    reasons: reasons.map((name) => ({ name, expected: '1', actual: '2' })),
    counts: {
      received: 30,
      stored: 29,
      pending: 0,
      invalid: 0,
      failed: 0,
      withdrawn: 1,
      identical: 0,
      refused: 0,
      ...counts,
    },
    spec: { onInvalid: 'stop', invalidShareMax: 0.05, expectedRows: 30, expectedSums: {}, ...spec },
  };
  const sums = { input: '290', total: '290' };
  // Only these members are read.
  const found = afterWithdrawal(run as unknown as RunRecord, sums, { ...NONE, ...exceptions });
  return found?.map(({ name, actual }) => `${name} ${actual}`) ?? null;
}

t.test('a withdrawal mends what rows gave cause for, and nothing else', async (t) => {
  t.strictSame(left(['rows']), []);
  t.strictSame(left(['invalid', 'rows'], {}, { expectedRows: 31 }), ['rows 30']);
  for (const name of ['input', 'source', 'documents', 'service', 'not_started']) {
    t.equal(left([name, 'rows']), null, name);
  }
  const input = { expectedSums: { input: '300' } };
  t.strictSame(left(['input'], {}, input, { withdrawn: ['10.00'] }), [], 'the sum of a field');
  t.strictSame(left(['input'], {}, input, { withdrawn: ['9.50'] }), ['input 299.50']);
});

t.test('rows without a document count as missing while none of their kind waits', async (t) => {
  const skip = { onInvalid: 'skip' };
  t.strictSame(left(['rows'], { stored: 28, invalid: 1 }, skip), ['rows 29']);
  t.strictSame(left(['rows'], { stored: 27, invalid: 1, pending: 1 }, skip), []);
  t.strictSame(left(['corrections'], { refused: 1 }), ['corrections 1 refused']);
});

t.test('a run of the rule stop keeps the share of rows that failed', async (t) => {
  const failed = { stored: 10, pending: 15, failed: 4 };
  t.strictSame(left(['invalid_share'], failed), ['invalid_share 0.137931']);
  t.strictSame(left(['invalid_share'], { ...failed, pending: 18, failed: 1 }), []);
});
