import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, readConfig } from '../settings/config.ts';
import { readWordsFile } from './renderers.ts';

const folder = mkdtempSync(join(tmpdir(), 'intaglio-words-'));
t.teardown(() => rmSync(folder, { recursive: true }));

function readWords(text: string | null): readonly string[] {
  const file = join(folder, 'words.txt');
  if (text !== null) writeFileSync(file, text);
  const path = text === null ? join(folder, 'missing.txt') : file;
  return readWordsFile({ ...readConfig({}), wordsFile: path });
}

t.test('the words file has one word per line; comments and empty lines are ignored', async (t) => {
  t.same(readWords('# names\nกิตตวรากร\r\n\n  พร้อมเพย์ \n'), ['กิตตวรากร', 'พร้อมเพย์']);
  t.same(readWordsFile({ ...readConfig({}), wordsFile: null }), []);
});

t.test('a line that is not a Thai word, and a missing file, are named', async (t) => {
  t.throws(() => readWords('กิตตวรากร\nK PLUS\n'), ConfigError);
  t.throws(() => readWords('กิตตวรากร\nK PLUS\n'), /INTAGLIO_WORDS_FILE: line 2 of .*words\.txt/);
  t.throws(() => readWords(null), /INTAGLIO_WORDS_FILE: cannot read .*: there is no such file$/);
  const folder = { ...readConfig({}), wordsFile: t.testdir() };
  t.throws(() => readWordsFile(folder), /INTAGLIO_WORDS_FILE: cannot read .*: it is a folder/);
});
