import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FINDINGS_TH } from '../../studio/src/i18n/findings-th.ts';

const SOURCES = join(import.meta.dirname, '../../studio/src');
/** A computed name, because the types of these texts need those of a browser, which tests lack. */
const TEXTS = join(SOURCES, 'i18n/th.ts');
/** Years of the Buddhist and of the Common Era. */
const ABBREVIATIONS = /[พค]\.ศ\./g;
/** A full stop that ends a text or a sentence in it: behind a digit or a Latin word, too. */
const FULL_STOP = /\.["”’)]*(?:\s|$)/;

t.test('Thai texts have no full stops', async (t) => {
  // The module exports the Thai text of each key.
  const { th } = (await import(TEXTS)) as { readonly th: Readonly<Record<string, string>> };
  const texts = [...Object.entries(th), ...FINDINGS_TH];
  t.ok(texts.length > 1_000, String(texts.length));
  const ended = texts.filter(([, text]) => FULL_STOP.test(text.replaceAll(ABBREVIATIONS, '')));
  t.strictSame(ended, []);
  t.match('ป้องกันด้วยรหัสผ่านสำหรับเปิด.', FULL_STOP);
});

t.test('no component adds a full stop to a text, which may be Thai', async (t) => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const components = files.filter((file) => file.endsWith('.tsx'));
  t.ok(components.length > 50, String(components.length));
  const added = components.filter((file) =>
    /\}\.(?=<|\s*$)/m.test(readFileSync(join(SOURCES, file), 'utf8')),
  );
  t.strictSame(added, []);
});
