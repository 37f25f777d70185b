import t from 'tap';

import { startStepLine } from './step-line.ts';

/** Shows two steps with a line between them, and returns what was written. */
function shown(isTTY: boolean): string {
  let text = '';
  const write = (more: string): void => void (text += more);
  const line = startStepLine({ isTTY, write });
  line.begin('start service 1 of 2');
  line.aside(() => write('a warning\n'));
  line.begin('start service 2 of 2');
  line.end();
  return text;
}

t.test('each step is a line where nobody watches', async (t) => {
  t.equal(shown(false), 'start service 1 of 2\na warning\nstart service 2 of 2\n');
});

t.test('on a terminal one line is rewritten, and removed at the end', async (t) => {
  const parts = shown(true).split('\r\u001B[K');
  t.equal(parts.length, 6);
  t.match(parts[1], /^start service 1 of 2/);
  t.equal(parts[2], 'a warning\n', 'a line that stays has no rest of a step');
  t.match(parts[4], /^start service 2 of 2/);
  t.equal(parts.at(-1), '');
});

t.test('a slow step is rewritten while it runs', async (t) => {
  const written = Promise.withResolvers<void>();
  let count = 0;
  const write = (): void => {
    count += 1;
    if (count === 3) written.resolve();
  };
  const line = startStepLine({ isTTY: true, write }, 1);
  line.begin('measure');
  // The timer alone does not keep the test alive.
  const alive = setInterval(() => undefined, 1_000);
  await written.promise;
  clearInterval(alive);
  line.end();
  t.ok(count >= 3);
});
