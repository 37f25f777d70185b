import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cutIntoParts } from './parts.ts';

t.test('a file of blank lines has no row, and its name is said', async (t) => {
  const path = join(t.testdir(), 'rows');
  for (const [format, text] of [
    ['ndjson', '\n\n'],
    ['ndjson', ' \r\n\t\r\n'],
    ['csv', 'a,b\n\n\n'],
    ['csv', 'a,b'],
    ['ndjson', ''],
  ] as const) {
    writeFileSync(path, text);
    const { message } = await cutIntoParts(path, format, null)
      .next()
      .then(
        () => new Error('a part'),
        (error: unknown) => error as Error,
      );
    t.equal(message, `${path}: no row is in the file`, JSON.stringify(text));
  }
});

t.test('blank lines between rows stay, and make no part of their own', async (t) => {
  const path = join(t.testdir(), 'rows');
  writeFileSync(path, '\n{"a":1}\n\n{"a":2}\n\n\n');
  const parts = [];
  for await (const { rows } of cutIntoParts(path, 'ndjson', null)) parts.push(rows.toString());
  t.strictSame(parts.join('').trim(), '{"a":1}\n\n{"a":2}');
});
