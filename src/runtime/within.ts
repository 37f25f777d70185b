/** Resolves to the value of `work`, or, after `ms`, to what `late` returns or throws. */
export async function within<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  try {
    const first = await Promise.race([work, over]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol('late');
