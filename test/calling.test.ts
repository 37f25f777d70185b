import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../lab/home.ts';
import { withErrorTable } from '../lab/pages/error-table.ts';
import { CALLING, serveLetter } from './fixtures/letter.ts';

/**
 * Runs every command of docs/calling.md against a service, and compares each response with the
 * page.
 */

interface Block {
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...CALLING.matchAll(/^```(\S*)[^\n]*\n(.*?)^```$/gms)].map(
  ([, language = '', text = '']) => ({ language, text }),
);

t.test('the table of errors is up to date (npm run generate)', async (t) => {
  t.equal(CALLING, withErrorTable(CALLING));
});

t.test('the key that README.md adds serves the commands of the page', async (t) => {
  const [first] = scopesIn(readFileSync(join(HOME, 'README.md'), 'utf8'));
  const [demanded] = scopesIn(CALLING);
  t.ok(demanded !== undefined && demanded.length > 1);
  t.strictSame(first, demanded);
});

/** The scopes of each key that the commands of a page add. */
function scopesIn(page: string): readonly (readonly string[])[] {
  return [...page.matchAll(/intaglio keys add .*/g)].map(([command]) =>
    [...command.matchAll(/--scope (\S+)/g)].map(([, scope = '']) => scope).toSorted(),
  );
}

t.test('every command on the page gives the answer that the page shows', async (t) => {
  const folder = t.testdir();
  const { url, apiKey } = await serveLetter(t);
  const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', URL: url, KEY: apiKey };
  const commands = blocks.filter(({ language }) => language === 'sh');
  t.ok(commands.length >= 12, `${commands.length} commands`);
  for (const command of commands) {
    const args = ['-euo', 'pipefail', '-c', command.text];
    const done = spawnSync('bash', args, { cwd: folder, env: shell, encoding: 'utf8' });
    t.equal(done.status, 0, `${command.text}\n${done.stdout}${done.stderr}`);
    const [, written] = / -o (\S+)/.exec(command.text) ?? [];
    if (written !== undefined) {
      t.match(readFileSync(join(folder, written), 'latin1'), /^%PDF-/, written);
    }
    const shown = blocks[blocks.indexOf(command) + 1];
    if (shown?.language === 'http') {
      t.strictSame(new Set(namesIn(done.stdout)), new Set(namesIn(shown.text)), command.text);
    }
    if (shown?.language !== 'json') continue;
    const answer: unknown = JSON.parse(done.stdout);
    t.strictSame(shapeOf(answer), shapeOf(JSON.parse(shown.text)), command.text);
    // Later commands use values of this response.
    const { documentId, url: link, sha256 } = answer as Readonly<Record<string, string>>;
    Object.assign(shell, documentId === undefined ? {} : { ID: documentId });
    Object.assign(shell, link === undefined ? {} : { LINK: link });
    Object.assign(shell, sha256 === undefined ? {} : { SHA256: sha256 });
  }
});

/** The names of the headers that the page shows, in lower case. */
function namesIn(head: string): readonly string[] {
  const names = [...head.matchAll(/^([\w-]+):/gm)].map(([, name = '']) => name.toLowerCase());
  return names.filter((name) => !UNMENTIONED.has(name));
}

/** Headers that every HTTP server sends; the page does not show them. */
const UNMENTIONED = new Set([
  'cache-control',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'uwebsockets',
  'x-content-type-options',
]);

/** Names of values that differ between responses. */
const CHANGING = new Set([
  'documentId',
  'url',
  'sha256',
  'createdAt',
  'expiresAt',
  'requestId',
  'at',
]);

/** Replaces each value that differs between responses by its name. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, CHANGING.has(key) ? key : shapeOf(item)]),
  );
}
