import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { KeyedSemaphore } from './keyed-semaphore.ts';

t.test('each key has its own permits, given in the order of arrival', async (t) => {
  const semaphore = new KeyedSemaphore(2);
  const begun: string[] = [];
  const ends = new Map<string, (succeeds: boolean) => void>();
  const run = (key: string, name: string): Promise<void> =>
    semaphore.run(key, async () => {
      begun.push(name);
      const succeeds = await new Promise<boolean>((resolve) => ends.set(name, resolve));
      if (!succeeds) throw new Error(name);
    });
  const tasks = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => run(name.charAt(0), name));
  t.strictSame(begun, ['a1', 'a2', 'b1']);
  ends.get('a2')?.(false);
  await t.rejects(tasks[1] ?? Promise.resolve(), /a2/);
  // Its permit goes to the task that has waited longest, not to one that comes later.
  tasks.push(run('a', 'a5'));
  await nextTurn();
  t.strictSame(begun, ['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1', 'a4', 'a5']) {
    ends.get(name)?.(true);
    await nextTurn();
  }
  await Promise.all(tasks.toSpliced(1, 1));
  t.strictSame(begun, ['a1', 'a2', 'b1', 'a3', 'a4', 'a5']);
  const again = run('a', 'a6');
  ends.get('a6')?.(true);
  await again;
});
