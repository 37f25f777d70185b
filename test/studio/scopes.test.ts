import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { TEAM_SCOPES } from '../../src/api/keys.ts';
import { HOME } from '../../lab/home.ts';

/** The texts between `start` and the next semicolon of a source of the Studio. */
function textsOf(path: string, start: string): Set<string> {
  const source = readFileSync(join(HOME, 'studio/src', path), 'utf8');
  const [, after = ''] = source.split(start);
  const [list = ''] = after.split(';');
  return new Set(Array.from(list.matchAll(/'([\w.:-]+)'/g), ([, text = '']) => text));
}

t.test('the Studio offers each scope that a key of a team can have', async (t) => {
  t.strictSame(textsOf('pages/keys.tsx', 'const SCOPES ='), new Set(TEAM_SCOPES));
});
