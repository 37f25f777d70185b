import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { AUDIT_ACTIONS, OPERATOR_ACTIONS } from './audit-actions.ts';

/** How a command names the action of its record. The compiler checks the actions of routes. */
const NAMED = /\brecord\(\s*\w+,\s*\{\s*action: '([\w.-]+)'/g;

t.test('each action that a command records can be chosen in the audit', async (t) => {
  const listed: readonly string[] = [...AUDIT_ACTIONS, ...OPERATOR_ACTIONS];
  const files = globSync('src/commands/**/*.ts', { cwd: HOME });
  const recorded = files.flatMap((file) =>
    [...readFileSync(join(HOME, file), 'utf8').matchAll(NAMED)].map(([, action = '']) => action),
  );
  t.ok(recorded.includes('sessions.link'));
  t.ok(recorded.includes('files.sweep'));
  t.strictSame([...new Set(recorded.filter((action) => !listed.includes(action)))], []);
  t.equal(new Set(listed).size, listed.length);
});
