import { execFileSync } from 'node:child_process';
import { loadFonts } from '../../src/workers/font/library.ts';
import { buildAtoms } from '../../src/workers/layout/text/atom.ts';
import { findBreaks } from '../../src/workers/layout/text/break.ts';
import { nextLine } from '../../src/workers/layout/text/line.ts';
import { RunStyle } from '../../src/workers/layout/text/run-style.ts';
import { type Phrase, readCorpus } from './phrases.ts';

/**
 * Measures line breaking on the annotated corpus, beside ICU's words and libthai:
 * `node test/thai/measure.ts [--list]`. Each phrase is set in columns of 40 to 160 pt; a word counts as
 * split willingly where it would have fitted on a line, by force where it is wider than the column.
 */

const WIDTHS_PT = Array.from({ length: 25 }, (_, index) => 40 + 5 * index);
const SIZE_PT = 11;
const CORPUS = new URL('annotated.txt', import.meta.url);

/** Line ends of a phrase in a width. */
type Breaker = (phrase: Phrase, widthPt: number) => readonly number[];

interface Engine {
  readonly name: string;
  readonly opportunities: (phrase: Phrase) => readonly number[];
  readonly lineEnds: Breaker;
}

export interface Score {
  words: number;
  willing: number;
  forced: number;
  allowed: number;
  found: number;
  readonly faults: string[];
}

const { library } = loadFonts(null);
const run = new RunStyle(
  {
    conditions: [],
    each: null,
    text: [],
    style: {
      stack: library.stack('Sarabun', false, false),
      sizePt: SIZE_PT,
      color: 0,
      opacity: 1,
      characterSpacingPt: 0,
    },
    lineHeight: 1,
    background: null,
    decoration: null,
    noWrap: false,
    wordBreak: 'normal',
    preserveLeadingSpaces: false,
    script: null,
    link: null,
    reference: null,
    id: null,
  },
  null,
);

function ourLineEnds({ text }: Phrase, widthPt: number): number[] {
  const atoms = buildAtoms([{ run, text }], 0);
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

/** Lines filled up one after the other; a piece that is wider than the column is cut by clusters. */
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
    if (index > 0 && mayPart(text, index)) breaks.push(index);
  }
  return breaks;
}

/** Words as lines need them: spaces and closing marks stay with the word before, opening ones go on. */
function mayPart(text: string, index: number): boolean {
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
          .filter((at) => at > 0 && at < text.length && mayPart(text, at)),
      ]),
    );
  } catch (error) {
    // No Python or no libthai here: the table does without its column.
    if (error instanceof Error && ('status' in error || 'code' in error)) return null;
    throw error;
  }
}

function score({ opportunities, lineEnds }: Engine, phrases: readonly Phrase[]): Score {
  const total: Score = { words: 0, willing: 0, forced: 0, allowed: 0, found: 0, faults: [] };
  for (const phrase of phrases) {
    const { text, words, allowed } = phrase;
    const may = new Set(opportunities(phrase));
    total.words += words.length;
    total.allowed += allowed.length;
    const missed = allowed.filter((at) => !may.has(at));
    total.found += allowed.length - missed.length;
    for (const at of missed) total.faults.push(`missed ${marked(text, at)}`);
    const willing = new Map<number, number>();
    const forced = new Set<number>();
    for (const widthPt of WIDTHS_PT) {
      for (const at of lineEnds(phrase, widthPt)) {
        const word = words.findIndex(({ start, end }) => start < at && at < end);
        const found = words[word];
        if (found === undefined) continue;
        if (run.widthOf(text.slice(found.start, found.end)) > widthPt) forced.add(word);
        else willing.set(word, at);
      }
    }
    total.willing += willing.size;
    for (const word of forced) if (!willing.has(word)) total.forced++;
    for (const at of willing.values()) total.faults.push(`split  ${marked(text, at)}`);
  }
  return total;
}

function marked(text: string, at: number): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

export function measure(file = CORPUS): Record<string, Record<string, Score>> {
  const phrases = readCorpus(file);
  const halves = {
    tuned: phrases.filter((_, index) => index % 2 === 0),
    'held out': phrases.filter((_, index) => index % 2 === 1),
  };
  const engines: Engine[] = [
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
    engines.push({ name: 'libthai', opportunities, lineEnds: greedy(opportunities) });
  }
  const table: Record<string, Record<string, Score>> = {};
  for (const [half, list] of Object.entries(halves)) {
    table[half] = Object.fromEntries(engines.map((engine) => [engine.name, score(engine, list)]));
  }
  return table;
}

if (process.argv[1] === import.meta.filename) {
  const list = process.argv.indexOf('--list');
  for (const [half, engines] of Object.entries(measure())) {
    for (const [name, { words, willing, forced, allowed, found, faults }] of Object.entries(
      engines,
    )) {
      const share = ((100 * found) / allowed).toFixed(1);
      process.stdout.write(
        `${half.padEnd(9)} ${name.padEnd(8)} words ${words}  split ${willing} (${forced} more by force)` +
          `  breaks found ${found} of ${allowed} (${share} %)\n`,
      );
      if (list > 0 && name === 'ours' && half === (process.argv[list + 1] ?? half)) {
        process.stdout.write(faults.map((fault) => `  ${fault}\n`).join(''));
      }
    }
  }
}
