import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { typesOfPython } from '../../lab/pages/client-types.ts';
import { HOME } from '../../lab/home.ts';
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
  const adapter = adapterOf('python3', ['-W', 'error', 'adapter.py'], PYTHON_ENV);
  await conform(t, adapter);
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

t.test('what strangers send and what programs get wrong', { skip }, async (t) => {
  const folder = join(HOME, 'test/clients/python');
  for (const name of ['strangers_test.py', 'arguments_test.py']) {
    const { code, out } = await runProgram('python3', folder, ['-W', 'error', name], PYTHON_ENV);
    t.equal(code, 0, out);
  }
});

const NOT_FINITE = `
import json
from decimal import Decimal
from intaglio_client import Intaglio
around = []
around.append(around)
said = []
# Nothing listens there: a request would end in NoAnswerError.
with Intaglio("http://127.0.0.1:9", "ik_x", tries_max=1) as client:
    for data in ({"total": float("nan")}, {"a": [1, {"b": Decimal("-Infinity")}]}, {"a": around}):
        try:
            client.generate("receipt", data)
        except ValueError as error:
            said.append([type(error).__name__, str(error).split(":", maxsplit=1)[0]])
print(json.dumps(said))
`;

t.test('a number that JSON does not have is refused before the call', { skip }, async (t) => {
  const args = ['-W', 'error', '-c', NOT_FINITE];
  const { code, out } = await runProgram('python3', HOME, args, { ...PYTHON_ENV });
  t.equal(code, 0, out);
  t.strictSame(JSON.parse(out.split('\n')[0] ?? ''), [
    ['NotFiniteError', 'data.total is NaN or infinite, which JSON does not have'],
    ['NotFiniteError', 'data.a[1].b is NaN or infinite, which JSON does not have'],
    ['InvalidArgumentError', 'data.a[0] is a part of itself'],
  ]);
});
