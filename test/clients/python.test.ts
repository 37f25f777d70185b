import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { typesOfPython } from '../../scripts/client-types.ts';
import { HOME } from '../source.ts';
import { conform } from './conformance/judge.ts';
import { adapterOf } from './conformance/programs.ts';
import { serveDescription } from './described-api.ts';
import { PYTHON_ENV, runProgram, withoutPython } from './programs.ts';

const KIT = join(HOME, 'clients/python');
const skip = withoutPython();

t.test('its types match the schemas (npm run generate)', async (t) => {
  t.equal(readFileSync(join(KIT, 'intaglio_client/types.py'), 'utf8'), typesOfPython());
});

t.test('the table of cases', { skip }, async (t) => {
  await conform(t, adapterOf('python3', ['-W', 'error', 'adapter.py'], PYTHON_ENV));
});

t.test(
  'every operation for keys has a method, which sends what is described',
  { skip },
  async (t) => {
    const api = await serveDescription(t);
    const args = ['-W', 'error', join(HOME, 'test/clients/everything.py'), api.url, t.testdir()];
    const { code, out } = await runProgram('python3', HOME, args, PYTHON_ENV);
    t.equal(code, 0, out);
    t.strictSame(api.faults, []);
    t.strictSame(JSON.parse(out.split('\n')[0] ?? ''), api.operations);
    t.strictSame(new Set(api.called), new Set(Object.keys(api.operations)));
  },
);
