import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';

import { environment, serve } from '../../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../../fixtures/note.ts';
import { HOME } from '../../../lab/home.ts';
import {
  buildJava,
  javaArgs,
  PYTHON_ENV,
  runProgram,
  withoutJava,
  withoutPython,
} from '../programs.ts';
import { serveBadly } from './bad-proxy.ts';

/**
 * Documents through a proxy that cuts connections and refuses calls at random: each is stored once,
 * and each file is the stored one. `../flood.ts` makes as many as it is told, by one client.
 */
const { FLOOD_DOCUMENTS: count = '300', FLOOD_CLIENT: only } = process.env;
const FOLDER = join(HOME, 'test/clients/flood');
const path = { PATH: process.env['PATH'] ?? '' };

type Made = Awaited<ReturnType<typeof runProgram>>;
const CLIENTS: Readonly<
  Record<string, { skip: string | false; run: (words: readonly string[]) => Promise<Made> }>
> = {
  node: {
    skip: false,
    run: async (words) => {
      const args = ['--no-warnings', join(FOLDER, 'flood-node.ts'), ...words];
      return runProgram(process.execPath, FOLDER, args, path);
    },
  },
  python: {
    skip: withoutPython(),
    run: async (words) => runProgram('python3', FOLDER, ['flood.py', ...words], PYTHON_ENV),
  },
  java: {
    skip: withoutJava(),
    run: async (words) => {
      const built = await buildJava(join(t.testdirName, 'built'));
      return runProgram('java', FOLDER, [...javaArgs(built, 'Flood'), ...words], path);
    },
  },
};

/** A generator of chances that gives the same ones each time (mulberry32). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

for (const [name, { skip, run }] of Object.entries(CLIENTS)) {
  if (only !== undefined && only !== name) continue;
  t.test(`${name}: ${count} documents through a bad proxy`, { skip }, async (t) => {
    const folder = folderOf(t);
    const apiKey = await setUpNote(folder);
    const service = await serve(t, environment(folder));
    const proxy = await serveBadly(t, service.url, chances(7));
    const to = join(folder, 'made');
    mkdirSync(to);
    const start = performance.now();
    const { code, out } = await run([proxy.url, apiKey, to, count]);
    t.equal(code, 0, code === 0 ? 'the client ends with 0' : out);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    t.comment(`${seconds} s, ${JSON.stringify(proxy.mischief)}`);
    judge(t, out.trimEnd().split('\n'), to, folder);
  });
}

function judge(t: Test, lines: readonly string[], to: string, folder: string): void {
  const made = lines.map((line) => line.split(' '));
  t.equal(made.length, Number(count));
  const ids = made.map(([id = '']) => id).toSorted();
  t.equal(new Set(ids).size, ids.length, 'each has its own identifier');
  const database = new DatabaseSync(join(folder, 'intaglio.db'), {
    readOnly: true,
    timeout: 60_000,
  });
  const rows = database.prepare('SELECT document_id AS id FROM documents ORDER BY 1').all();
  database.close();
  const stored = rows.map(({ id }) => String(id));
  t.equal(stored.length, ids.length, 'none is stored twice');
  t.strictSame(stored, ids);
  for (const [number, [, written, told]] of made.entries()) {
    const path = join(to, `${number}.pdf`);
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (sha256 !== written || sha256 !== told) t.fail(`${number}.pdf is another file`);
    if ((statSync(path).mode & 0o777) !== 0o600) t.fail(`${number}.pdf is not private`);
  }
  t.equal(readdirSync(to).length, ids.length, 'no partial file is left');
}
