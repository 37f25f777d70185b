import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadFonts } from '../font/library.ts';
import { TextItem } from '../model/frame.ts';
import type { LaidOutDocument, Page } from '../model/frame.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import { writeDocument } from './document.ts';
import { prepareFile } from './template-file.ts';

const CONSONANTS = Array.from('กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ');
const VOWELS = ['', ...Array.from('ัิีึืุู็')];
const TONES = ['', ...Array.from('่้๊๋์')];

/** Every cluster of ordinary Thai, strung together so that neighbours touch. */
function everyCluster(): string[] {
  const words: string[] = [];
  for (const consonant of CONSONANTS) {
    for (const vowel of VOWELS) {
      words.push(`${TONES.map((tone) => consonant + vowel + tone).join('')}น`);
    }
    words.push(`${consonant}ำ${consonant}่ำ${consonant}้ำน`);
  }
  return words;
}

function draw(words: readonly string[], bold: boolean, italics: boolean): Uint8Array {
  const stack = loadFonts(null).library.stack('Sarabun', bold, italics);
  const pages: Page[] = [];
  const rows = 60;
  for (let start = 0; start < words.length; start += rows) {
    const body = words.slice(start, start + rows).map((word, index) => {
      const sizePt = [9, 11, 16][index % 3] ?? 11;
      const style = { stack, sizePt, color: 0, opacity: 1, characterSpacingPt: 0 };
      const [x, y] = [40 + (index % 2) * 250, 60 + (index >> 1) * 25];
      return new TextItem(style, x, y, [stack.shape(word)], null);
    });
    pages.push({ widthPt: 595.28, heightPt: 841.89, body, links: [] });
  }
  const document: LaidOutDocument = {
    pages,
    destinations: [],
    outline: [],
    language: 'th',
    info: null,
    files: [],
    signature: null,
    overlay: () => [],
  };
  const fontUses = [{ stack, texts: [], freeText: true }];
  const profile = { kind: 'plain' };
  const shared = { fontUses, images: [], compress: true, profile };
  // The writer reads only these properties of a template without watermark and running elements.
  const template = shared as unknown as CompiledTemplate;
  const request = {
    attached: null,
    watermark: null,
    metadata: null,
    signatureBytes: null,
    atMs: 0,
  };
  return writeDocument({ template, file: prepareFile(template), document, ...request }).pdf.slice();
}

t.test('every Thai cluster is extracted whole, in each mode of pdftotext', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-extraction-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'clusters.pdf');
  const words = everyCluster();
  for (const [bold, italics] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    writeFileSync(file, draw(words, bold, italics));
    t.match(execFileSync('qpdf', ['--check', file]).toString(), /No syntax or stream encoding/);
    t.notMatch(execFileSync('pdffonts', [file]).toString(), /CID/, 'all in the fixed subset');
    for (const mode of [[], ['-layout'], ['-raw']]) {
      const text = execFileSync('pdftotext', [...mode, file, '-']).toString();
      const missing = words.filter((word) => !text.includes(word));
      t.strictSame(missing, [], `bold ${bold}, italics ${italics}, ${mode.join('') || 'plain'}`);
    }
  }
});
