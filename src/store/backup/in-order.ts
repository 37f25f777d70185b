/**
 * Calls `work` for each item, `lanes` at a time, and yields the results in the order of the items.
 * After a failure no further item is started; the error is thrown when the items in progress have
 * ended, so that nothing is written afterwards.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  lanes: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // It may fail before its turn comes.
      result.catch(() => undefined);
      running.push(result);
      if (running.length < lanes) continue;
      const [first] = running;
      if (first !== undefined) yield await first;
      void running.shift();
    }
    for (const result of running) yield await result;
  } finally {
    await Promise.allSettled(running);
  }
}
