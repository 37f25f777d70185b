import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { findBreaks } from '../../src/engine/layout/text/break.ts';
import { render, shareTemplate } from '../../lab/render.ts';

/**
 * The phrases of phrases.txt, set in lines: no line ends where a reader would stumble, and the text
 * extracted from the file is the phrases.
 */
const PHRASES = readFileSync(new URL('phrases.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '));

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });
/** ๆ, ฯ, closing marks, and the vowels and tones written above, below or after a consonant. */
const NOT_FIRST = /^[ๆฯ)\]}”’!?:;,.%\u0e30-\u0e3a\u0e45-\u0e4e]/u;
/** Opening marks, and the vowels written before their consonant. */
const NOT_LAST = /[([{“‘เแโใไ]\s*$/u;
/** The reason why no line may end at `at`, or null. */
function faultOfBreak(phrase: string, at: number): string | null {
  const [before, after] = [phrase.slice(0, at), phrase.slice(at)];
  if (clusterer.segment(phrase).containing(at)?.index !== at) return 'inside a cluster';
  if (NOT_FIRST.test(after)) return 'a mark begins the line';
  return NOT_LAST.test(before) ? 'an opening mark ends the line' : null;
}

function reportBreaks(phrase: string, breaks: readonly number[]): string[] {
  return breaks.flatMap((at) => {
    const fault = faultOfBreak(phrase, at);
    return fault === null ? [] : [`${phrase.slice(0, at)}|${phrase.slice(at)}: ${fault}`];
  });
}

t.test('the corpus is large and has no phrase twice', async (t) => {
  t.ok(PHRASES.length >= 250, String(PHRASES.length));
  t.equal(new Set(PHRASES).size, PHRASES.length);
});

t.test('no possible line end is one that a reader would stumble at', async (t) => {
  const faults = PHRASES.flatMap((phrase) =>
    reportBreaks(phrase, findBreaks(phrase).positions.slice(0, -1)),
  );
  t.strictSame(faults, []);
});

/**
 * Where the lines of `phrase` end, according to the lines of the file from `from` on. Spaces at a
 * line's end are not drawn; all else must be there. Null if the lines differ from the phrase.
 */
function lineEnds(phrase: string, lines: readonly string[], from: number): number[] | null {
  const ends: number[] = [];
  let at = 0;
  for (let index = from; at < phrase.length; index++) {
    const line = lines[index];
    if (line === undefined || line === '' || !phrase.startsWith(line, at)) return null;
    at += line.length;
    while (phrase[at] === ' ') at++;
    ends.push(at);
  }
  return ends;
}

/** The phrases broken at each position, and the first phrase that the file did not give back. */
function readBack(lines: readonly string[]) {
  const breaks = new Map<string, readonly number[]>();
  let index = 0;
  for (const phrase of PHRASES) {
    const ends = lineEnds(phrase, lines, index);
    if (ends === null) return { breaks, lost: [phrase, ...lines.slice(index, index + 4)] };
    if (ends.length > 1) breaks.set(phrase, ends.slice(0, -1));
    index += ends.length;
  }
  return { breaks, lost: [] };
}

/**
 * Text in the order of the file, and by positions. (Without either, pdftotext takes a hyphen at a
 * line's end for hyphenation and leaves it out.)
 */
const MODES = ['-raw', '-layout'] as const;

const folder = mkdtempSync(join(tmpdir(), 'intaglio-thai-'));
t.teardown(() => rmSync(folder, { recursive: true }));

const SETTINGS = [
  { widthPt: 50, alignment: 'left', font: 'Sarabun', bold: false, italics: false },
  { widthPt: 150, alignment: 'left', font: 'Sarabun', bold: false, italics: false },
  { widthPt: 190, alignment: 'justify', font: 'Sarabun', bold: false, italics: false },
  { widthPt: 300, alignment: 'right', font: 'Sarabun', bold: true, italics: false },
  { widthPt: 420, alignment: 'justify', font: 'Sarabun', bold: false, italics: true },
  { widthPt: 260, alignment: 'center', font: 'Roboto', bold: false, italics: false },
] as const;

for (const { widthPt, ...style } of SETTINGS) {
  const { alignment, font } = style;
  t.test(`${font}, ${widthPt} pt, ${alignment}: set and given back`, async (t) => {
    const template = shareTemplate(
      JSON.stringify({
        templateId: 'thai',
        language: 'th',
        fields: [{ name: 'phrases', type: 'table', required: true }],
        document: {
          pageSize: { width: widthPt + 40, height: 842 },
          pageMargins: 20,
          defaultStyle: { ...style, fontSize: 11 },
          content: [{ each: 'phrases', text: '{{0}}' }],
        },
      }),
    );
    const { pdf } = await render(template, { phrases: PHRASES.map((phrase) => [phrase]) });
    const file = join(folder, `${widthPt}.pdf`);
    writeFileSync(file, pdf);
    for (const mode of MODES) {
      const text = execFileSync('pdftotext', [mode, file, '-']).toString();
      const { breaks, lost } = readBack(text.trim().split(/\s*\n\s*/));
      t.strictSame(lost, [], `pdftotext ${mode}`);
      t.ok(breaks.size > 0, 'some phrases take several lines');
      const faults = [...breaks].flatMap(([phrase, ends]) => reportBreaks(phrase, ends));
      t.strictSame(faults, []);
    }
  });
}
