import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { isProtectedPdf } from '../../src/protect/check.ts';
import { environment, serve } from '../../lab/service/command-line.ts';
import { post } from '../../lab/service/gateway.ts';
import type { Answer } from './service.ts';
import { answerOf, canary, setUpTeam } from './service.ts';

/** A service as a separate process that protects documents, searched from outside for passwords. */

const ROUNDS = 12;

/** The encodings in which a password could be written down. */
function spellings(password: string): readonly Buffer[] {
  const bytes = Buffer.from(password);
  return [
    bytes,
    Buffer.from(password, 'utf16le'),
    Buffer.from(password, 'utf16le').swap16(),
    // Base64 has three encodings of the same bytes, depending on their offset.
    ...[0, 1, 2].map((skip) =>
      Buffer.from(bytes.subarray(skip, -3).toString('base64').slice(0, 40)),
    ),
    Buffer.from(bytes.toString('hex')),
  ];
}

/** The bytes of a file; none when it has disappeared or may not be read. */
function bytesOf(place: string): Buffer {
  try {
    return readFileSync(place);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return Buffer.alloc(0);
    throw error;
  }
}

function namesIn(folder: string, recursive: boolean): string[] {
  return readdirSync(folder, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

class Watch {
  readonly #forbidden: readonly Buffer[];
  readonly #folder: string;
  readonly #before: ReadonlySet<string>;
  readonly found = new Set<string>();
  rounds = 0;
  sawTool = 0;

  constructor(forbidden: readonly Buffer[], folder: string) {
    this.#forbidden = forbidden;
    this.#folder = folder;
    this.#before = new Set(namesIn('/dev/shm', false));
  }

  /** Searches every process, and every file in the folders for temporary files, once. */
  look(): void {
    this.rounds += 1;
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const line = bytesOf(`/proc/${pid}/cmdline`);
      this.#search(line, `arguments of ${pid}`);
      this.#search(bytesOf(`/proc/${pid}/environ`), `environment of ${pid}`);
      if (line.includes('--job-json-file')) this.sawTool += 1;
    }
    const shared = namesIn('/dev/shm', false).filter((name) => !this.#before.has(name));
    for (const name of [...shared, ...namesIn(this.#folder, true)])
      this.#search(bytesOf(name), name);
  }

  /** Searches all files of a folder; returns how many there are. */
  searchAll(folder: string): number {
    const names = namesIn(folder, true);
    for (const name of names) this.#search(bytesOf(name), name);
    return names.length;
  }

  #search(bytes: Buffer, place: string): void {
    if (this.#forbidden.some((text) => bytes.includes(text))) this.found.add(place);
  }
}

async function watchUntil(watch: Watch, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    watch.look();
    await nextTurn();
  }
}

t.test('no process, file, log or row shows a password', async (t) => {
  const folder = t.testdir({ var: {}, tmp: {}, out: {} });
  const inFolder = (name: string): string => join(folder, name);
  const apiKey = await setUpTeam(inFolder('var'));
  // A qpdf that is slow enough to be observed, and sometimes fails.
  writeFileSync(
    inFolder('qpdf'),
    '#!/bin/sh\nsleep 0.05\n[ $(($$ % 5)) = 0 ] && exit 2\nexec qpdf "$@"\n',
  );
  chmodSync(inFolder('qpdf'), 0o755);
  const env = environment(inFolder('var'), {
    TMPDIR: inFolder('tmp'),
    INTAGLIO_QPDF: inFolder('qpdf'),
    INTAGLIO_LOG_LEVEL: 'debug',
  });
  const toFile = ['sh', '-c', `exec "$@" 2>"${inFolder('out/err')}"`, 'sh'];
  const { url, child, exit, lines } = await serve(t, env, toFile);

  const passwords = Array.from(
    { length: 2 * ROUNDS },
    () => `รหัส${randomBytes(12).toString('hex')}`,
  );
  const names = Array.from({ length: ROUNDS }, canary);
  const watch = new Watch(
    [...passwords.flatMap(spellings), ...names.map((name) => Buffer.from(name))],
    inFolder('tmp'),
  );
  const generate = async (round: number): Promise<Answer> =>
    answerOf(
      await post(
        `${url}/v1/generate`,
        { 'x-api-key': apiKey },
        {
          templateId: 'letter',
          mode: round % 2 === 0 ? 'sync' : 'async',
          data: { name: names[round] },
          options: {
            metadata: { title: 'A title' },
            protection: {
              userPassword: passwords[2 * round],
              ownerPassword: passwords[2 * round + 1],
            },
          },
        },
      ),
    );
  const stop = new AbortController();
  const watching = watchUntil(watch, stop.signal);
  const answers: Answer[] = [];
  for (let round = 0; round < ROUNDS; round += 2) {
    answers.push(...(await Promise.all([generate(round), generate(round + 1)])));
  }
  // Refusals because of passwords do not repeat them.
  const long = passwords[0]?.repeat(5);
  for (const protection of [{ userPassword: long }, { pasword: passwords[1] }, passwords[2]]) {
    const body = { templateId: 'letter', mode: 'sync', data: {}, options: { protection } };
    const refused = await answerOf(await post(`${url}/v1/generate`, { 'x-api-key': apiKey }, body));
    t.equal(refused.status, 400);
    t.notOk(passwords.some((password) => refused.bytes.includes(password)));
  }
  stop.abort();
  await watching;

  const delivered = answers.filter(({ status }) => status === 200);
  t.ok(delivered.length > 0 && delivered.every(({ bytes }) => isProtectedPdf(bytes)));
  t.ok(answers.every(({ status }) => [200, 201, 500].includes(status)));
  t.ok(watch.sawTool > 0, `qpdf was seen ${watch.sawTool} times in ${watch.rounds} looks`);
  writeFileSync(inFolder('out/log'), lines.map((line) => JSON.stringify(line)).join('\n'));
  t.ok(watch.searchAll(inFolder('var')) > 1, 'while it runs');
  child.kill('SIGTERM');
  t.equal(await exit, 0);
  watch.searchAll(inFolder('var'));
  watch.searchAll(inFolder('tmp'));
  watch.searchAll(inFolder('out'));
  t.strictSame([...watch.found], []);
});
