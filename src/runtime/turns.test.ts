import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { Turns } from './turns.ts';

t.test('each key has its own turns, given in the order of arrival', async (t) => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const ends = new Map<string, (isWell: boolean) => void>();
  const hold = (key: string, name: string): Promise<void> =>
    turns.hold(key, async () => {
      begun.push(name);
      const isWell = await new Promise<boolean>((resolve) => ends.set(name, resolve));
      if (!isWell) throw new Error(name);
    });
  const held = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => hold(name.charAt(0), name));
  t.strictSame(begun, ['a1', 'a2', 'b1']);
  ends.get('a2')?.(false);
  await t.rejects(held[1] ?? Promise.resolve(), /a2/);
  // Its turn goes to the next in line, not to one that comes later.
  held.push(hold('a', 'a5'));
  await turn();
  t.strictSame(begun, ['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1', 'a4', 'a5']) {
    ends.get(name)?.(true);
    await turn();
  }
  await Promise.all(held.toSpliced(1, 1));
  t.strictSame(begun, ['a1', 'a2', 'b1', 'a3', 'a4', 'a5']);
  const again = hold('a', 'a6');
  ends.get('a6')?.(true);
  await again;
});
