import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

import { describeError, RepeatedWarning } from './log.ts';

const CANARY = 'canary-4711';

function lines(code: string): Record<string, unknown>[] {
  const url = JSON.stringify(join(import.meta.dirname, 'log.ts'));
  const script = `import { createLog } from ${url}; const log = createLog('info'); ${code}`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return done.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

t.test(
  'a line has the level by name, a UTC time and the message, and nothing about the machine',
  async (t) => {
    const [line] = lines(`log.debug('not shown'); log.info({ url: 'u', msg: 'listening' });`);
    t.match(line, { level: 'info', time: /^\d{4}-\d\d-\d\dT.*Z$/, msg: 'listening', url: 'u' });
    t.strictSame(Object.keys(line ?? {}).toSorted(), ['level', 'msg', 'time', 'url']);
  },
);

t.test(
  'the log of a command whose result is on standard output goes to standard error',
  async (t) => {
    const url = JSON.stringify(join(import.meta.dirname, 'log.ts'));
    const script = `import { createLog } from ${url}; createLog('info', 'stderr').info('started');`;
    const args = ['--input-type=module', '-e', script];
    const done = spawnSync(process.execPath, args, { encoding: 'utf8' });
    t.equal(done.stdout, '');
    // Node warns of type stripping there, before it or after.
    const line = done.stderr.split('\n').find((text) => text.startsWith('{'));
    t.match(JSON.parse(line ?? ''), { msg: 'started' });
  },
);

t.test('errors keep type, code and frames; quoting messages are dropped', async (t) => {
  const parse = (): unknown => JSON.parse(`{"secret": ${CANARY}`);
  t.throws(parse);
  const errors = [
    caught(parse),
    Object.assign(new Error(`Duplicate entry '${CANARY}'`), { sql: `INSERT ${CANARY}` }),
    new RangeError(`bad ${CANARY}`),
    new Error('outer', { cause: new SyntaxError(CANARY) }),
    CANARY,
  ];
  for (const error of errors) t.notMatch(JSON.stringify(describeError(error)), CANARY);
  t.match(describeError(new TypeError('x is not a function')), {
    type: 'TypeError',
    message: 'x is not a function',
    stack: [/^at /],
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

t.test('a warning that each request repeats is logged once per second with a count', async (t) => {
  const seen: object[] = [];
  const paused: (() => void)[] = [];
  const log = { warn: (line: object): void => void seen.push(line) };
  const warning = new RepeatedWarning(log, 'away', (tell) => void paused.push(tell));
  for (let count = 0; count < 100; count += 1) warning.warn({ requestId: String(count) });
  t.strictSame(seen, [{ msg: 'away', requestId: '0', requests: 1 }], 'the first at once');
  paused.shift()?.();
  t.strictSame(seen[1], { msg: 'away', requestId: '99', requests: 99 });
  paused.shift()?.();
  t.equal(seen.length, 2);
  t.equal(paused.length, 0);
  warning.warn({});
  t.equal(seen.length, 3, 'after a pause at once again');
});
