import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

import { describeError } from './log.ts';

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
  'a line has the level by name, a UTC time, the message, and nothing of the machine',
  async (t) => {
    const [line] = lines(`log.debug('not shown'); log.info({ url: 'u', msg: 'listening' });`);
    t.match(line, { level: 'info', time: /^\d{4}-\d\d-\d\dT.*Z$/, msg: 'listening', url: 'u' });
    t.strictSame(Object.keys(line ?? {}).toSorted(), ['level', 'msg', 'time', 'url']);
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
