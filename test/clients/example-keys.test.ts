import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../../lab/home.ts';

/** A literal Idempotency-Key in curl, TypeScript, Java or Python. */
const KEY =
  /(?:Idempotency-Key: |idempotencyKey: '|idempotencyKey\("|idempotency_key=")([\w-]*\d[\w-]*)['"]/g;

t.test('no two examples share an Idempotency-Key, so that all run in one team', (t) => {
  const pages = ['README.md', 'docs/**/*.md', 'clients/*/README.md', 'clients/*/example.*'];
  const files = globSync([...pages, 'examples/**/*.*'], { cwd: HOME });
  const places = new Map<string, string>();
  for (const file of files) {
    for (const [, key = ''] of readFileSync(join(HOME, file), 'utf8').matchAll(KEY)) {
      t.notOk(places.has(key), `${key} in ${file}, and in ${places.get(key) ?? 'no other file'}`);
      places.set(key, file);
    }
  }
  t.ok(places.size >= 6, `${places.size} examples have a key`);
  t.end();
});
