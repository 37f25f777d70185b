import t from 'tap';

import { startSealing } from './audit-sealing.ts';
import type { Log } from '../log/log.ts';
import type { Seals } from '../store/seals/types.ts';

const figures = (): { missing: number; unsealedFromMs: number } => ({
  missing: 0,
  unsealedFromMs: 0,
});
const age = (): ReturnType<Seals['age']> =>
  Promise.resolve({ sealedAtMs: null, unsealedFromMs: null, missing: 0 });
async function* verify(): AsyncGenerator<never> {}
const failing = (): Promise<never> => Promise.reject(new Error('no disk'));

/** Runs one sealing that ends like `seal`, and returns the lines that it logs. */
async function linesOf(seal: Seals['seal']): Promise<readonly string[]> {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (line: { readonly msg: string; readonly found?: string }): void => {
      lines.push(`${level} ${line.msg} ${line.found ?? ''}`.trim());
    };
  // Only these two methods are called.
  const log = { info: write('info'), error: write('error') } as unknown as Log;
  const sealing = startSealing({ seal, figures, age, verify }, log);
  await new Promise(setImmediate);
  sealing.stop();
  return lines;
}

t.test(
  'a fault of the seals is an error in the log, and so is a sealing that failed',
  async (t) => {
    t.strictSame(await linesOf(async () => ({ sealed: null, faults: [] })), []);
    t.strictSame(await linesOf(async () => ({ sealed: null, faults: ['2 are missing', 'more'] })), [
      'error seals of the audit are not as they were made 2 are missing; more',
    ]);
    t.strictSame(await linesOf(failing), ['error the audit was not sealed']);
  },
);
