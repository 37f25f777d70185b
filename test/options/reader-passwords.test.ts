import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import t from 'tap';
import { seededRandom } from '../../lab/random.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { createProtector } from '../../src/protect/protector.ts';
import { preparePassword } from '#engine/light';

/**
 * Documents with passwords of many kinds, opened by four readers. A short list for every day; the long
 * one: INTAGLIO_TEST_PASSWORDS=200 ./intaglio test test/options/reader-passwords.test.ts
 */

const COUNT = Number(process.env['INTAGLIO_TEST_PASSWORDS'] ?? 20);
const BYTES_MAX = 127;
/** Poppler's programs cut the password of their command line here (`char userPassword[33]`). */
const POPPLER_BYTES_MAX = 32;
const WORDS = 'ยอดเงินคงเหลือ';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const random = seededRandom(45);
const oneOf = (characters: string): string => {
  const all = Array.from(characters);
  return all[random.below(all.length)] ?? '';
};
const some = (characters: string, count: number): string =>
  Array.from({ length: count }, () => oneOf(characters)).join('');

/** Makes a password of its kind, as a caller sends it. */
const KINDS: Readonly<Record<string, () => string>> = {
  'a birth date': () => `${some('0123', 2)}${some('01', 2)}25${some('0123456789', 2)}`,
  'part of a card number': () => some('0123456789', 4),
  Thai: () => some('กขคงจฉชซญดตถทนบปผพมยรลวสหอฮ', 8) + oneOf('ะาเแโ'),
  'Thai with marks': () => `${oneOf('กขคนปม')}${oneOf('ิีึืุู')}${oneOf('่้๊๋')}${some('กนมยว', 5)}`,
  'Thai with sara am': () => `${oneOf('กขนท')}${oneOf('่้')}ำ${some('กนมยว', 4)}`,
  'Thai digits': () => some('๐๑๒๓๔๕๖๗๘๙', 8),
  emoji: () => some('😀🎉🐘🚀💰🏦', 3) + some(LETTERS, 2),
  'emoji with joiners': () => `${some(LETTERS, 2)}👩\u200d👩\u200d👧🏽`,
  'combining marks': () => `${some('aeiouAEIOU', 4)}\u0301${oneOf('nco')}\u0303\u0323`,
  'precomposed letters': () => some('éèüñçøåßœĳ', 6),
  'full-width': () => some('ａｂｃＡＢＣ１２３！', 7),
  'spaces inside': () => `${some(LETTERS, 3)} ${some(LETTERS, 2)}  ${some(LETTERS, 1)}`,
  'spaces around': () => ` ${some(LETTERS, 5)} `,
  'spaces of other kinds': () => `a${oneOf('\u00a0\u2003\u3000')}b${oneOf('\u2009\u202f')}c`,
  'a soft hyphen': () => `${some(LETTERS, 3)}\u00ad${some(LETTERS, 3)}`,
  '127 bytes': () => some(LETTERS, BYTES_MAX),
  '127 bytes of Thai': () => some('กขคงจ', 42) + oneOf(LETTERS),
  'signs of shells': () => some('-"\'`$(){}[]<>|&;*?!#%\\/@=~^', 12),
  'Chinese and Japanese': () => some('中文密码パスワード語', 7),
  'Hebrew or Arabic': () => (random.below(2) === 0 ? some('אבגדהוז', 6) : some('سبتثجح', 6)),
  'Greek and Cyrillic': () => some('αβγδжзийЩ', 8),
  'one character': () => oneOf(`${LETTERS}ก😀`),
};

const file = join(t.testdir(), 'document.pdf');
const template = {
  templateId: 'statement',
  name: 'Statement',
  language: 'th',
  fields: [],
  document: { content: [WORDS] },
};
const { pdf } = await render(shareTemplate(JSON.stringify(template)), {});
const protector = createProtector({ qpdf: 'qpdf', timeoutMs: 60_000, concurrencyMax: 2 });
t.teardown(() => protector.close());

/** What a program prints; '': it ended with an error. */
function printed(program: string, words: readonly string[]): string {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}

/** Reads the words of the document by a password. */
const READERS: Readonly<Record<string, (password: string) => Promise<boolean> | boolean>> = {
  qpdf: (password) => printed('qpdf', ['--check', `--password=${password}`, file]) !== '',
  mutool: (password) =>
    printed('mutool', ['draw', '-q', '-F', 'txt', '-p', password, file]).includes(WORDS),
  poppler: (password) => printed('pdftotext', ['-upw', password, file, '-']).includes(WORDS),
  'pdf.js': async (password) => {
    const task = getDocument({ url: file, password, verbosity: 0 });
    try {
      const page = await (await task.promise).getPage(1);
      const { items } = await page.getTextContent();
      return items
        .map((item) => ('str' in item ? item.str : ''))
        .join('')
        .includes(WORDS);
    } catch {
      return false;
    } finally {
      await task.destroy();
    }
  },
};

const kinds = Object.entries(KINDS);
for (let count = 0; count < COUNT; count++) {
  const [kind, make] = kinds[count % kinds.length] ?? ['', () => ''];
  const sent = make();
  const password = preparePassword(sent);
  t.test(`password ${count + 1}, ${kind}: ${encodeURIComponent(sent)}`, async (t) => {
    if (password === null) throw new Error('the generator made a password that is refused');
    t.ok(Buffer.byteLength(password) <= BYTES_MAX, 'it fits');
    const secured = await protector.protect(new Uint8Array(pdf), {
      userPassword: password,
      ownerPassword: `owner of ${count}`,
      permissions: {},
    });
    if (!secured.ok) throw new Error(secured.message);
    writeFileSync(file, secured.value);
    for (const [reader, opens] of Object.entries(READERS)) {
      if (reader === 'poppler' && Buffer.byteLength(password) > POPPLER_BYTES_MAX) continue;
      t.ok(await opens(password), `${reader} opens it`);
      t.notOk(await opens(`${password.slice(0, -1)}\u00b6`), `${reader} takes no other password`);
    }
  });
}
