const TIMEOUT = Symbol('timeout');

/** Resolves to the value of `work` or, after `ms`, to what `onTimeout` returns or throws. */
export async function within<T>(work: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMEOUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMEOUT), ms);
  });
  try {
    const first = await Promise.race([work, timeout]);
    return first === TIMEOUT ? onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
}
