import { readFileSync } from 'node:fs';
import t from 'tap';

/** docs/engine.md and the types of the library name the same verbs and settings. */

const page = readFileSync(new URL('../../docs/engine.md', import.meta.url), 'utf8');
const source = readFileSync(new URL('engine.ts', import.meta.url), 'utf8');

/** The members of an interface of engine.ts: `name(` of a method, `name:` of a property. */
function membersOf(name: string, end: '(' | ':'): readonly string[] {
  const body = new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, 'ms').exec(source)?.[1] ?? '';
  const member = new RegExp(`^  (?:readonly )?(\\w+)\\${end}`, 'gm');
  return Array.from(body.matchAll(member), ([, found = '']) => found).toSorted();
}

/** The names in the first column of the table under this header. */
function namesUnder(header: string): readonly string[] {
  const table = new RegExp(`^\\| ${header} .*\\n((?:\\|.*\\n)+)`, 'm').exec(page)?.[1] ?? '';
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const names = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`(\w+)/g), ([, name = '']) => name),
  );
  return names.toSorted();
}

t.test('the page names every verb of an engine, and no other', async (t) => {
  t.ok(membersOf('Engine', '(').length > 5);
  t.strictSame(membersOf('Engine', '('), namesUnder('verb'));
});

t.test('the page names every setting, and no other', async (t) => {
  t.ok(membersOf('EngineSettings', ':').length > 3);
  t.strictSame(membersOf('EngineSettings', ':'), namesUnder('setting'));
});
