import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { settingsTable } from '../src/settings/config.ts';
import { templateSchema } from '../src/engine/template/schema.ts';
import { runTypesOfNode, typesOfNode, typesOfPython } from '../lab/pages/client-types.ts';
import { typesOfJava } from '../lab/pages/client-types-java.ts';
import { withErrorTable } from '../lab/pages/error-table.ts';
import { keyReference } from '../lab/pages/key-reference.ts';
import { permissionsPage } from '../lab/pages/permissions.ts';
import { withSizing } from '../lab/pages/sizing.ts';
import { fieldTypesOfStudio, runTypesOfStudio, typesOfStudio } from '../lab/pages/studio-types.ts';

/**
 * Writes every page that is made from the code: `npm run generate`. With `--pictures` also the
 * pictures of docs/templates.md and the generated parts of templates/ (needs poppler-utils). A test
 * fails for each page that is stale.
 */
const home = new URL('../', import.meta.url);

/** The generated files: each function makes the new text from the present one. */
const PAGES: Readonly<Record<string, (text: string) => string>> = {
  'docs/settings.md': (text) => replaceTable(text, settingsTable()),
  'docs/calling.md': withErrorTable,
  'docs/sizing.md': (text) => withSizing(text, readHome('docs/performance.md')),
  'docs/template-keys.md': () => keyReference(),
  'docs/permissions.md': () => permissionsPage(),
  'clients/node/src/types.ts': typesOfNode,
  'clients/node/src/run-types.ts': runTypesOfNode,
  'clients/python/intaglio_client/types.py': typesOfPython,
  'clients/java/src/intaglio/client/Api.java': typesOfJava,
  'studio/src/api/field-types.ts': fieldTypesOfStudio,
  'studio/src/api/types.ts': typesOfStudio,
  'studio/src/runs/types.ts': runTypesOfStudio,
  'templates/template.schema.json': () => `${JSON.stringify(templateSchema(), null, 1)}\n`,
};

function readHome(path: string): string {
  return readFileSync(new URL(path, home), 'utf8');
}

/** Replaces the only table of a page. */
function replaceTable(text: string, table: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const last = lines.findLastIndex((line) => line.startsWith('|'));
  return [...lines.slice(0, first), ...table.split('\n'), ...lines.slice(last + 1)].join('\n');
}

function run(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { cwd: home, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

const { values } = parseArgs({ options: { pictures: { type: 'boolean', default: false } } });
if (values.pictures) run(['scripts/make-samples.ts']);
for (const [path, make] of Object.entries(PAGES)) {
  const file = new URL(path, home);
  writeFileSync(file, make(existsSync(file) ? readFileSync(file, 'utf8') : ''));
}
// The table of attempts in docs/security.md.
run(['test/trust/attempts-page.ts']);
const pages = [...Object.keys(PAGES), 'docs/security.md'].filter((path) =>
  /\.md$|^studio/.test(path),
);
run(['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level=warn', ...pages]);
if (values.pictures) run(['scripts/make-guide.ts']);
