import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { readPatiently } from '../api/patience.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: ApiError };

/**
 * Loads when `keys` change, and on `reload`. The shown value stays during a reload, and the
 * response to an outdated request is dropped.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): { readonly loaded: Loaded<T>; readonly reload: () => void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      try {
        const { signal } = controller;
        const value = await readPatiently(() => latest.current(signal), signal);
        if (!controller.signal.aborted) setLoaded({ state: 'ready', value });
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setLoaded({ state: 'failed', error });
      }
    };
    void run();
    return () => controller.abort();
  }, [...keys, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { loaded, reload };
}
