import { describeError, type Log } from '../log/log.ts';
import type { Seals } from '../store/seals/types.ts';

/** The store looks for seals of other instances this often, and seals when a seal is due. */
const EVERY_MS = 60_000;
/** After a seal there may be more to seal. */
const NEXT_MS = 1_000;

/**
 * Seals the audit from now on. Each seal goes to the log, where the administrator of the database
 * cannot change it; what is wrong with the seals is an error there, once for each change.
 */
export function startSealing(seals: Seals, log: Log): { stop: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  let reported = '';
  const seal = async (): Promise<void> => {
    let waitMs = EVERY_MS;
    try {
      const { sealed, faults } = await seals.seal(Date.now());
      if (sealed !== null) {
        log.info({ msg: 'audit sealed', ...sealed });
        waitMs = NEXT_MS;
      }
      const found = faults.join('; ');
      if (found !== '' && found !== reported) {
        log.error({ msg: 'seals of the audit are not as they were made', found, run: VERIFY });
      }
      reported = found;
    } catch (error) {
      if (!isStopped) log.error({ msg: 'the audit was not sealed', err: describeError(error) });
    }
    if (isStopped) return;
    timer = setTimeout(() => void seal(), waitMs);
    timer.unref();
  };
  void seal();
  return {
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

const VERIFY = './intaglio audit verify';
