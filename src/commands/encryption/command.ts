import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';

import type { RewrapResult } from '../../store/encryption/types.ts';
import type { Store } from '../../store/store.ts';
import { withStore } from '../console/context.ts';
import { toCount } from '../console/number.ts';
import { giveWay } from '../console/give-way.ts';
import { counted, show } from '../console/output.ts';
import { record } from '../console/record.ts';
import { endWith, writeOut } from '../console/terminal.ts';

const KEY_BYTES = 32;
const ROWS_DEFAULT = 2_000;

export default function define(command: Command): void {
  command.addHelpText(
    'after',
    `
Stored files are encrypted when INTAGLIO_ENCRYPTION_KEYS (or its _FILE, or _COMMAND) is set. Each
file is encrypted with its own key, and the first key of that list wraps it. To rotate: put a new
key in front of the list on every instance, run "rewrap", then remove the old key from the list.

Examples:
  $ ./intaglio encryption new-key > new.key
  $ ./intaglio encryption rewrap
  $ ./intaglio encryption status`,
  );
  command
    .command('new-key')
    .description('print a random key for INTAGLIO_ENCRYPTION_KEYS')
    .action(() => writeOut(`${randomBytes(KEY_BYTES).toString('base64')}\n`));
  defineStatus(command.command('status'));
  defineRewrap(command.command('rewrap'));
}

function defineStatus(command: Command): void {
  command
    .description('count stored files by key; exit code 1 when a key is missing')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { listed, used } = await withStore(async (store) => ({
        listed: store.fileKeys.listed(),
        used: await store.fileKeys.count(),
      }));
      const counts = new Map(used.map(({ keyId, files }) => [keyId, files]));
      const clear = counts.get('') ?? 0;
      counts.delete('');
      const ids = [...new Set([...listed, ...counts.keys()])];
      const keys = ids.map((keyId) => {
        const use = useOf(listed.indexOf(keyId));
        return { keyId, use, files: counts.get(keyId) ?? 0 };
      });
      if (keys.some(({ use }) => use === 'missing')) endWith(1);
      show(json, { keys, clear }, () =>
        [
          ...keys.map(
            ({ keyId, use, files }) => `${keyId} ${use.padEnd(8)} ${counted(files, 'file')}`,
          ),
          `Not encrypted: ${counted(clear, 'file')}.`,
        ].join('\n'),
      );
    });
}

/** A repetition that found nothing to do leaves no record. */
async function recordRewrap(store: Store, done: RewrapResult): Promise<void> {
  const { rewrapped, namingRewrapped, forgotten } = done;
  if (rewrapped + namingRewrapped + forgotten.length === 0) return;
  const removed = forgotten.length === 0 ? '' : `; no longer needed: ${forgotten.join(', ')}`;
  const detail = `${counted(rewrapped, 'file key')}${namingPart(namingRewrapped)}${removed}`;
  await record(store, { action: 'files.rewrap', teamId: '', detail });
}

function useOf(index: number): 'encrypts' | 'decrypts' | 'missing' {
  if (index < 0) return 'missing';
  return index === 0 ? 'encrypts' : 'decrypts';
}

/** The end of the line that says what was rewrapped; as a rule a database has one such key. */
function namingPart(keys: number): string {
  if (keys === 0) return '';
  const the = keys === 1 ? 'the key' : `${keys} keys`;
  return ` and ${the} of references and file names`;
}

function defineRewrap(command: Command): void {
  command
    .description('wrap the keys of all files with the first key; the service may keep running')
    .option(
      '--rate <rows>',
      'maximum number of rows read per second',
      toCount(9_999_999),
      ROWS_DEFAULT,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Files are not touched: only their wrapped keys, a few bytes in each row, are rewritten. If it is
interrupted, run it again: it skips what is done. Exit code 1 when the key of a file is missing.`,
    )
    .action(async ({ rate, json }: { rate: number; json?: boolean }) => {
      giveWay();
      const result = await withStore(async (store) => {
        const done = await store.fileKeys.rewrap(rate);
        await recordRewrap(store, done);
        return done;
      });
      const { rewrapped, namingRewrapped, unreadable, forgotten } = result;
      if (unreadable.length > 0) endWith(1);
      show(json, { ...result }, () =>
        [
          `Rewrapped: ${counted(rewrapped, 'file key')}${namingPart(namingRewrapped)}.`,
          ...unreadable.map(
            ({ keyId, files }) => `${keyId} is missing, for ${counted(files, 'file')}.`,
          ),
          ...forgotten.map((keyId) => `${keyId} is no longer needed: remove it from the list.`),
        ].join('\n'),
      );
    });
}
