import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { SheetRun } from '../../lab/shapes/sheet.ts';

/** Code that several peers share: font files, a QR code's modules, Thai words for line breaking. */
const resolve = createRequire(import.meta.url).resolve;

/** The same two files that the service's Sarabun comes from. */
export const SARABUN = {
  regular: resolve('@expo-google-fonts/sarabun/400Regular/Sarabun_400Regular.ttf'),
  bold: resolve('@expo-google-fonts/sarabun/700Bold/Sarabun_700Bold.ttf'),
} as const;

/** The part of the `qrcode` package that peers use. */
export interface QrModule {
  create(
    text: string,
    options: { errorCorrectionLevel: 'M' },
  ): { readonly modules: { readonly size: number; readonly data: Uint8Array } };
}

/** An SVG path of the dark modules, one unit a module, and the symbol's size in modules. */
export function qrPath(qr: QrModule, text: string): { path: string; size: number } {
  const { size, data } = qr.create(text, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (data[y * size + x] === 0) continue;
      const from = x;
      while (x < size && data[y * size + x] !== 0) x++;
      path += `M${from} ${y}h${x - from}v1h${from - x}z`;
    }
  }
  return { path, size };
}

/** The installed version of a package of the peer whose folder `metaUrl` names. */
export function packageVersion(metaUrl: string, name: string): string {
  const path = new URL(`./node_modules/${name}/package.json`, metaUrl);
  // package.json of an installed package has a version.
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

const SEGMENTER = new Intl.Segmenter('th', { granularity: 'word' });
const segmented = new Map<string, readonly string[]>();
const SEGMENTED_MAX = 20_000;

/** Words, spaces and signs of a text in order; cached, as the peer's author would. */
export function splitWords(text: string): readonly string[] {
  const known = segmented.get(text);
  if (known !== undefined) return known;
  if (segmented.size >= SEGMENTED_MAX) segmented.clear();
  const words = Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
  segmented.set(text, words);
  return words;
}

export interface LinePiece {
  readonly bold: boolean;
  readonly words: string[];
  width: number;
}

/** Characters that must not start a line: they stay with the word before. */
const NEVER_FIRST = /^[\s.,:;!?)\]”’ๆฯ%/-]/;

/** Greedy line breaking of runs at words. Spaces at a line's end are dropped. */
export function breakLines(
  runs: readonly SheetRun[],
  width: number,
  measure: (word: string, bold: boolean) => number,
): readonly (readonly LinePiece[])[] {
  const lines: LinePiece[][] = [];
  let line: LinePiece[] = [];
  let used = 0;
  for (const { text, bold } of runs) {
    for (const word of splitWords(text)) {
      const wordWidth = measure(word, bold);
      if (used + wordWidth > width && line.length > 0 && !NEVER_FIRST.test(word)) {
        lines.push(line);
        line = [];
        used = 0;
      }
      if (line.length === 0 && word.trim() === '') continue;
      const last = line.at(-1);
      if (last?.bold === bold) {
        last.words.push(word);
        last.width += wordWidth;
      } else {
        line.push({ bold, words: [word], width: wordWidth });
      }
      used += wordWidth;
    }
  }
  if (line.length > 0) lines.push(line);
  return lines;
}
