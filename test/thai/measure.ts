import { execFileSync } from 'node:child_process';
import { loadFonts } from '../../src/engine/font/library.ts';
import { run as compiledRun, STYLE } from '../../src/engine/layout/fixtures/nodes.ts';
import { buildAtoms } from '../../src/engine/layout/text/atom.ts';
import { findBreaks } from '../../src/engine/layout/text/break.ts';
import { nextLine } from '../../src/engine/layout/text/line.ts';
import { partsOf } from '../../src/engine/layout/text/words/dictionary.ts';
import { syllableStarts } from '../../src/engine/layout/text/words/syllable.ts';
import { RunStyle } from '../../src/engine/layout/text/run-style.ts';
import { wordsWith } from '../../src/engine/layout/text/words/words.ts';
import { type Phrase, readCorpus } from './phrases.ts';

/**
 * Measures line breaking on the annotated corpora, beside ICU's words and libthai:
 * `node test/thai/measure.ts [--list [PART]]`. Each phrase is set in columns of 40 to 160 pt. A word
 * counts as split where a line ends inside it although it would have fitted on a line. A word that is
 * wider than its column is cut by every engine: `cut` counts these words, `torn` those that were cut
 * where neither a syllable nor a word inside them begins.
 */

export const WIDTHS_PT = Array.from({ length: 25 }, (_, index) => 40 + 5 * index);
const SIZE_PT = 11;
const FILES = {
  annotated: new URL('annotated.txt', import.meta.url),
  // Written and measured before any list or rule was made for them: scripts/thai/README.md has the
  // results.
  'unseen 1': new URL('unseen-first.txt', import.meta.url),
  'unseen 2': new URL('unseen-second.txt', import.meta.url),
  'unseen 3': new URL('unseen-third.txt', import.meta.url),
  'unseen 4': new URL('unseen-fourth.txt', import.meta.url),
};

/** The phrases of each file. */
export const PHRASES = {
  annotated: readCorpus(FILES.annotated),
  'unseen 1': readCorpus(FILES['unseen 1']),
  'unseen 2': readCorpus(FILES['unseen 2']),
  'unseen 3': readCorpus(FILES['unseen 3']),
  'unseen 4': readCorpus(FILES['unseen 4']),
};

/** The line ends of a phrase in a column of this width. */
type Breaker = (phrase: Phrase, widthPt: number) => readonly number[];

interface Engine {
  readonly name: string;
  readonly opportunities: (phrase: Phrase) => readonly number[];
  readonly lineEnds: Breaker;
}

export interface Score {
  words: number;
  split: number;
  cut: number;
  torn: number;
  allowed: number;
  found: number;
  readonly faults: string[];
}

const dictionary = wordsWith(null);
const { library } = loadFonts(null);
const style = { ...STYLE, stack: library.stack('Sarabun', false, false), sizePt: SIZE_PT };
const run = new RunStyle(compiledRun([], { style }), null);

export function ourLineEnds({ text }: Pick<Phrase, 'text'>, widthPt: number): number[] {
  const atoms = buildAtoms([{ run, text, kept: null, amounts: null }], 0);
  const start = { index: 0, rest: null };
  const ends: number[] = [];
  let at = 0;
  for (let line = nextLine(atoms, start, widthPt); line !== null;) {
    for (const atom of line.atoms) at += atom.shape.text.length;
    ends.push(at);
    line = nextLine(atoms, start, widthPt);
  }
  return ends.slice(0, -1);
}

/** Fills line after line; a piece that is wider than the column is cut by clusters. */
function greedy(opportunities: (phrase: Phrase) => readonly number[]): Breaker {
  return (phrase, widthPt) => {
    const { text } = phrase;
    const ends: number[] = [];
    let start = 0;
    let last = 0;
    const width = (end: number): number => run.widthOf(text.slice(start, end).trimEnd());
    for (const at of [...opportunities(phrase), text.length]) {
      if (width(at) > widthPt && last > start) {
        ends.push(last);
        start = last;
      }
      while (width(at) > widthPt) {
        const cut = firstCut(text, start, at, (end) => width(end) <= widthPt);
        if (cut >= at) break;
        ends.push(cut);
        start = cut;
      }
      last = at;
    }
    return ends;
  };
}

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });

function firstCut(text: string, from: number, to: number, fits: (end: number) => boolean): number {
  let cut = to;
  for (const { index, segment } of clusterer.segment(text.slice(from, to))) {
    const end = from + index + segment.length;
    if (cut !== to && !fits(end)) break;
    cut = end;
  }
  return cut;
}

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

function icuBreaks({ text }: Phrase): number[] {
  const breaks: number[] = [];
  for (const { index } of segmenter.segment(text)) {
    if (index > 0 && mayEndAt(text, index)) breaks.push(index);
  }
  return breaks;
}

/**
 * Whether a line may end there: spaces and closing marks stay with the word before, opening marks
 * with the next.
 */
function mayEndAt(text: string, index: number): boolean {
  const [before, after] = [text.charAt(index - 1), text.charAt(index)];
  if (/[ )\]}”’!?:;,.%/ๆฯ-]/u.test(after)) return false;
  if (before === ' ' || after === '') return true;
  return /[\u0e01-\u0e4e]/u.test(before) && /[\u0e01-\u0e4e]/u.test(after);
}

function libthaiBreaks(phrases: readonly Phrase[]): Map<string, number[]> | null {
  const script = new URL('libthai.py', import.meta.url).pathname;
  const input = phrases.map(({ text }) => text).join('\n');
  try {
    const output = execFileSync('python3', [script], { input, stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = output.toString().split('\n');
    return new Map(
      phrases.map(({ text }, index) => [
        text,
        (lines[index] ?? '')
          .split(' ')
          .map(Number)
          .filter((at) => at > 0 && at < text.length && mayEndAt(text, at)),
      ]),
    );
  } catch (error) {
    // Without Python or libthai, the table has no column for libthai.
    if (error instanceof Error && ('status' in error || 'code' in error)) return null;
    throw error;
  }
}

function score({ opportunities, lineEnds }: Engine, phrases: readonly Phrase[]): Score {
  const total: Score = { words: 0, split: 0, cut: 0, torn: 0, allowed: 0, found: 0, faults: [] };
  for (const phrase of phrases) {
    const { text, words, allowed } = phrase;
    const may = new Set(opportunities(phrase));
    total.words += words.length;
    total.allowed += allowed.length;
    const missed = allowed.filter((at) => !may.has(at));
    total.found += allowed.length - missed.length;
    for (const at of missed) total.faults.push(`missed ${marked(text, at)}`);
    const split = new Map<number, number>();
    const cut = new Set<number>();
    const torn = new Map<number, number>();
    for (const widthPt of WIDTHS_PT) {
      for (const at of lineEnds(phrase, widthPt)) {
        const word = words.findIndex(({ start, end }) => start < at && at < end);
        const found = words[word];
        if (found === undefined) continue;
        const letters = text.slice(found.start, found.end);
        if (run.widthOf(letters) <= widthPt) split.set(word, at);
        else {
          cut.add(word);
          if (isTorn(letters, at - found.start)) torn.set(word, at);
        }
      }
    }
    total.split += split.size;
    total.cut += cut.size;
    total.torn += torn.size;
    for (const at of split.values()) total.faults.push(`split  ${marked(text, at)}`);
    for (const at of torn.values()) total.faults.push(`torn   ${marked(text, at)}`);
  }
  return total;
}

/**
 * Whether a word is cut where neither a syllable nor a word inside it begins. Numbers cannot be
 * torn.
 */
function isTorn(letters: string, at: number): boolean {
  if (!/[ก-ฮ]/u.test(letters)) return false;
  return !syllableStarts(letters).includes(at) && !partsOf(letters, dictionary).words.includes(at);
}

function marked(text: string, at: number): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

function engines(phrases: readonly Phrase[]): Engine[] {
  const list: Engine[] = [
    {
      name: 'ours',
      opportunities: ({ text }) => findBreaks(text).positions.slice(0, -1),
      lineEnds: ourLineEnds,
    },
    { name: 'ICU', opportunities: icuBreaks, lineEnds: greedy(icuBreaks) },
  ];
  const libthai = libthaiBreaks(phrases);
  if (libthai !== null) {
    const opportunities = ({ text }: Phrase): number[] => libthai.get(text) ?? [];
    list.push({ name: 'libthai', opportunities, lineEnds: greedy(opportunities) });
  }
  return list;
}

/** The scores of each engine, by part of the corpora. */
export function measure(): Record<string, Record<string, Score>> {
  const { annotated } = PHRASES;
  const parts = {
    tuned: annotated.filter((_, index) => index % 2 === 0),
    'held out': annotated.filter((_, index) => index % 2 === 1),
    'unseen 1': PHRASES['unseen 1'],
    'unseen 2': PHRASES['unseen 2'],
    'unseen 3': PHRASES['unseen 3'],
    'unseen 4': PHRASES['unseen 4'],
  };
  const table: Record<string, Record<string, Score>> = {};
  for (const [part, list] of Object.entries(parts)) {
    table[part] = Object.fromEntries(
      engines(list).map((engine) => [engine.name, score(engine, list)]),
    );
  }
  return table;
}

function print(): void {
  const list = process.argv.indexOf('--list');
  for (const [part, scores] of Object.entries(measure())) {
    for (const [name, { words, split, cut, torn, allowed, found, faults }] of Object.entries(
      scores,
    )) {
      const share = ((100 * found) / allowed).toFixed(1);
      process.stdout.write(
        `${part.padEnd(9)} ${name.padEnd(8)} words ${words}  split ${split}  cut ${cut}, torn ${torn}` +
          `  breaks found ${found} of ${allowed} (${share} %)\n`,
      );
      if (list > 0 && name === 'ours' && part === (process.argv[list + 1] ?? part)) {
        process.stdout.write(faults.map((fault) => `  ${fault}\n`).join(''));
      }
    }
  }
}

if (process.argv[1] === import.meta.filename) print();
