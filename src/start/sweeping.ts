import { describeError, type Log } from '../log/log.ts';
import { SETTINGS } from '../settings/config.ts';
import type { Store } from '../store/store.ts';

/**
 * Returns what looks for missing keys of stored files, at the start and with each sweep, and logs
 * them when they are others than before. The service goes on: only documents that need them are not
 * served.
 */
export function missingKeysReport(
  fileKeys: Pick<Store['fileKeys'], 'missing'>,
  log: Log,
): () => Promise<void> {
  let reported = '';
  return async () => {
    const keys = await fileKeys.missing();
    const found = keys.toSorted().join();
    if (found !== '' && found !== reported) {
      const msg = 'stored files are encrypted under keys that are not listed; they answer 500';
      log.error({ msg, keys, setting: SETTINGS.encryptionKeys.variable });
    }
    reported = found;
  };
}

/** Sweeps at once and after each pause, also after a failed sweep. */
export function startSweeping(
  documents: Pick<Store['documents'], 'sweep'>,
  reportMissingKeys: () => Promise<void>,
  pauseMs: number,
  log: Log,
): { stop: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const sweep = async (): Promise<void> => {
    try {
      const { expired, orphans } = await documents.sweep(Date.now());
      if (expired + orphans > 0) log.info({ msg: 'swept', expired, orphans });
      await reportMissingKeys();
    } catch (error) {
      if (!isStopped) log.warn({ msg: 'sweep failed', err: describeError(error) });
    }
    if (isStopped) return;
    timer = setTimeout(() => void sweep(), pauseMs);
    timer.unref();
  };
  void sweep();
  return {
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
