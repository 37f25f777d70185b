import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A word of a page as pdftotext finds it; positions in points from the top left. */
interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface Comparison {
  readonly pages: readonly [ours: number, theirs: number];
  /** Words of the reference. */
  readonly words: number;
  /** Words of ours that lie within the tolerance of the same word of theirs. */
  readonly matched: number;
  /** The first words of theirs without a match, with their positions. */
  readonly misses: readonly string[];
}

/** Equal words match when they are no further apart than this. */
export const TOLERANCE_PT = 1.5;
const MISSES_MAX = 12;

/** Compares the words of two PDFs page by page. */
export function comparePdfs(ours: Uint8Array, theirs: Uint8Array): Comparison {
  const our = wordsOf(ours);
  const their = wordsOf(theirs);
  const misses: string[] = [];
  let words = 0;
  let matched = 0;
  for (let page = 0; page < Math.max(our.length, their.length); page++) {
    const rest = [...(our[page] ?? [])];
    for (const word of their[page] ?? []) {
      words++;
      const at = rest.findIndex((one) => isSame(one, word));
      if (at >= 0) {
        rest.splice(at, 1);
        matched++;
      } else {
        const same = rest.find((one) => one.text === word.text);
        const where = same === undefined ? 'nowhere' : `${same.x.toFixed(1)},${same.y.toFixed(1)}`;
        const place = `${word.x.toFixed(1)},${word.y.toFixed(1)}`;
        misses.push(`page ${page + 1} "${word.text}" at ${place}, ours ${where}`);
      }
    }
    // A word that only our page has counts as a difference.
    const extra = Math.max(0, (our[page] ?? []).length - (their[page] ?? []).length);
    words += extra;
    for (const one of rest.slice(0, extra)) misses.push(`page ${page + 1} only ours "${one.text}"`);
  }
  const pages = [our.length, their.length] as const;
  return { pages, words, matched, misses: misses.slice(0, MISSES_MAX) };
}

function isSame(one: Word, other: Word): boolean {
  return (
    one.text === other.text &&
    Math.abs(one.x - other.x) <= TOLERANCE_PT &&
    Math.abs(one.y - other.y) <= TOLERANCE_PT
  );
}

const PAGE = /<page [^>]*>([\s\S]*?)<\/page>/gu;
const WORD = /<word xMin="([\d.-]+)" yMin="([\d.-]+)"[^>]*>([^<]*)<\/word>/gu;

function wordsOf(pdf: Uint8Array): Word[][] {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-compare-'));
  try {
    const file = join(folder, 'document.pdf');
    const out = join(folder, 'words.html');
    writeFileSync(file, pdf);
    execFileSync('pdftotext', ['-bbox', file, out], { stdio: 'ignore' });
    const html = readFileSync(out, 'utf8');
    return [...html.matchAll(PAGE)].map(([, page = '']) =>
      [...page.matchAll(WORD)].map(([, x = '0', y = '0', text = '']) => ({
        text,
        x: Number(x),
        y: Number(y),
      })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
