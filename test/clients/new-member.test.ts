import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runTypesOfNode, typesOfPython } from '../../lab/pages/client-types.ts';
import { typesOfJava } from '../../lab/pages/client-types-java.ts';
import { runTypesOfStudio } from '../../lab/pages/studio-types.ts';
import { HOME } from '../../lab/home.ts';

/** Prints the description of runs and the types made from it, in the order below. */
const SCRIPT = `
import { COMPONENTS } from './src/gateway/openapi/components.ts';
import { runTypesOfNode, typesOfPython } from './lab/pages/client-types.ts';
import { typesOfJava } from './lab/pages/client-types-java.ts';
import { runTypesOfStudio } from './lab/pages/studio-types.ts';
const made = [runTypesOfNode(), typesOfPython(), typesOfJava(), runTypesOfStudio()];
console.log(JSON.stringify({ described: COMPONENTS.Run.properties.note, made }));
`;

t.test('a new member of a run, added in two files, reaches every client', async (t) => {
  const home = t.testdir();
  for (const name of ['src', 'lab', 'package.json']) {
    cpSync(join(HOME, name), join(home, name), { recursive: true });
  }
  symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
  insert(join(home, 'src/api/runs.ts'), '  runId: uuid,\n', '  note: text,\n');
  const mapping = join(home, 'src/gateway/routes/runs/run-call.ts');
  insert(mapping, '    runId: run.runId,\n', "    note: '',\n");
  const args = ['--input-type=module', '--eval', SCRIPT];
  const printed = execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
  // The script above prints it.
  const { described, made } = JSON.parse(printed) as { described: object; made: string[] };
  t.strictSame(described, { type: 'string' }, '/openapi.json, and /docs from it');
  const before = [runTypesOfNode(), typesOfPython(), typesOfJava(), runTypesOfStudio()];
  const declared = [
    'readonly note: string;',
    '    note: str\n',
    'String note,',
    'readonly note: string;',
  ];
  for (const [index, text] of declared.entries()) {
    const count = (types = ''): number => types.split(text).length;
    t.equal(count(made[index]) - count(before[index]), 2, `Run and RunWithParts: ${text}`);
  }
});

/** Inserts text behind the only occurrence of a line. */
function insert(file: string, line: string, text: string): void {
  const [before = '', after = '', ...others] = readFileSync(file, 'utf8').split(line);
  if (after === '' || others.length > 0) throw new Error(`${file} has not one line ${line}`);
  writeFileSync(file, before + line + text + after);
}
