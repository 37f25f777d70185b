import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../../lab/home.ts';
import { ABILITIES, abilityTable } from './conformance/abilities.ts';
import { CASES } from './conformance/cases.ts';

t.test('each README has the one table of abilities', async (t) => {
  for (const client of ['java', 'node', 'python']) {
    const text = readFileSync(join(HOME, 'clients', client, 'README.md'), 'utf8');
    t.ok(text.includes(`\n${abilityTable()}\n`), `clients/${client}/README.md:\n${abilityTable()}`);
  }
});

t.test('cases that each client runs hold each ability', async (t) => {
  const names = new Set(CASES.map(({ name }) => name));
  for (const { what, cases } of ABILITIES) {
    t.ok(cases.length > 0, what);
    for (const name of cases) t.ok(names.has(name), `${what}: ${name}`);
  }
});
