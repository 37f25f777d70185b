import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { ConfigError, readConfig } from '../settings/config.ts';
import { readKeys, watchKeys } from './key-source.ts';
import type { Log } from '../log/log.ts';

const LIST = 'INTAGLIO_ENCRYPTION_KEYS';
const FILE = `${LIST}_FILE`;
const COMMAND = `${LIST}_COMMAND`;
const ONE = randomBytes(32);
const TWO = randomBytes(32);

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-keys-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A log that only collects its lines. */
function collectingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (entry: unknown): void => void lines.push(JSON.stringify(entry));
  // The key source uses only these two methods.
  return { log: { info: keep, error: keep } as unknown as Log, lines };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 10));
}

t.test('keys are read in hexadecimal and base64, by commas and by lines', async (t) => {
  const list = `${ONE.toString('hex')},\n ${TWO.toString('base64')}`;
  const { keys } = await readKeys(readConfig({ [LIST]: list }));
  t.strictSame(keys(), [ONE, TWO]);
  const url = await readKeys(readConfig({ [LIST]: TWO.toString('base64url') }));
  t.strictSame(url.keys(), [TWO]);
  t.strictSame((await readKeys(readConfig({}))).keys(), []);
});

t.test('a text that is not a key is refused and not shown', async (t) => {
  for (const wrong of ['secret', ONE.toString('hex').slice(2), `${ONE.toString('hex')},x`, ',']) {
    t.throws(
      () => readConfig({ [LIST]: wrong }),
      /INTAGLIO_ENCRYPTION_KEYS has a wrong value, which is not shown/,
    );
  }
  const both = { [LIST]: ONE.toString('hex'), [COMMAND]: 'true' };
  t.throws(() => readConfig(both), /are both set; keep one of them/);
});

t.test('a key of equal bytes does not encrypt, but decrypts what it encrypted', async (t) => {
  const cure = /^INTAGLIO_ENCRYPTION_KEYS\w* .*equal bytes.*encryption new-key/;
  for (const weak of ['0'.repeat(64), 'ab'.repeat(32), Buffer.alloc(32, 7).toString('base64')]) {
    t.throws(() => readConfig({ [LIST]: weak }), { message: cure });
    await t.rejects(readKeys(readConfig({ [COMMAND]: `echo ${weak}` })), { message: cure });
    const { keys } = await readKeys(readConfig({ [LIST]: `${ONE.toString('hex')},${weak}` }));
    t.equal(keys().length, 2);
  }
});

t.test('a command prints the keys', async (t) => {
  const command = `printf '%s\\n' ${ONE.toString('hex')} ${TWO.toString('base64')}`;
  t.strictSame((await readKeys(readConfig({ [COMMAND]: command }))).keys(), [ONE, TWO]);
});

t.test('a command without keys prevents the start, and its output is not shown', async (t) => {
  const faults: Record<string, RegExp> = {
    'echo hush; exit 3': /INTAGLIO_ENCRYPTION_KEYS_COMMAND: it ended with code 3$/,
    'echo hush': /did not print a comma list of keys/,
    'kill -9 $$': /ended with SIGKILL$/,
    'head -c 70000 /dev/zero; sleep 60': /printed too much for keys$/,
  };
  for (const [command, message] of Object.entries(faults)) {
    const config = readConfig({ [COMMAND]: command });
    await t.rejects(readKeys(config), { message, name: 'ConfigError' }, command);
    const error = await readKeys(config).catch((thrown: unknown) => thrown);
    t.notMatch(error instanceof ConfigError ? error.message : 'hush', /hush/);
  }
});

t.test('keys change with their file; after a wrong file the old keys stay', async (t) => {
  const path = join(folderOf(t), 'keys');
  const replace = (text: string): void => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  replace(`${ONE.toString('hex')}\n`);
  const env = { [FILE]: path };
  const { log, lines } = collectingLog();
  const source = await watchKeys(readConfig(env), env, log, 10);
  t.teardown(() => source.stop());
  t.strictSame(source.keys(), [ONE]);
  replace(`${TWO.toString('hex')}\n${ONE.toString('hex')}\n`);
  await until(() => source.keys().length === 2);
  t.strictSame(source.keys(), [TWO, ONE]);
  replace('mistake');
  await until(() => lines.length === 2);
  t.strictSame(source.keys(), [TWO, ONE]);
  t.match(lines[1], /the former one stays/);
  t.notMatch(lines.join(), /mistake/);
});

t.test('a command is run again', async (t) => {
  const path = join(folderOf(t), 'keys');
  writeFileSync(path, ONE.toString('hex'));
  const env = { [COMMAND]: `cat '${path}'` };
  const { log, lines } = collectingLog();
  const source = await watchKeys(readConfig(env), env, log, 20);
  t.teardown(() => source.stop());
  writeFileSync(path, `${TWO.toString('hex')},${ONE.toString('hex')}`);
  await until(() => source.keys().length === 2);
  rmSync(path);
  await until(() => lines.some((line) => line.includes('ended with code 1')));
  t.strictSame(source.keys(), [TWO, ONE]);
});
