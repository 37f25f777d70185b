import type { TextStyle } from '../../model/style.ts';
import type { Atom } from './atom.ts';
import { hasDictionaryScript } from './classes.ts';
import type { Line } from './line.ts';
import type { RunStyle } from './run-style.ts';

/** How a line is stretched to its box. */
export interface Justification {
  /** Added after each of the line's atoms. */
  readonly gapsPt: readonly number[];
  /** Added to spaces inside atoms. */
  readonly spacePt: number;
  /** Added after every cluster. */
  readonly spacingPt: number;
  /** The run's style with `spacingPt` added to its character spacing. */
  style(run: RunStyle): TextStyle;
}

const SLACK_PT = 1e-6;
/** Spaces grow by up to this share of the font size before letters are spaced. */
const SPACE_GAP_EM_MAX = 0.3;
/** Letters are spaced by up to this share of the font size before spaces grow further. */
const SPACING_EM_MAX = 0.06;
/**
 * A line whose letters would be spaced by more than this reads better ragged. From 0.102 em on, pdf.js
 * takes the room between two letters for a space when it copies or searches the text.
 */
const LOOSE_EM = 0.1;
/** From there on, a space grows by this many times as much as a letter is spaced. */
const SPACE_WEIGHT = 5;

/**
 * Justifies a line. Null when it stays ragged: the last line, one that ends at a newline, a single
 * word, a few letters in a narrow column. Room is added between words, never inside a word such as
 * `e-mail` or `(name)`, although a line may end there. In Thai and other scripts without spaces it
 * is added to spaces first, then evenly between all clusters.
 */
export function justifyLine(line: Line, roomPt: number): Justification | null {
  const { atoms } = line;
  if (line.isForced || line.isLast) return null;
  const missing = roomPt - line.widthPt;
  if (missing > 0 && atoms.some((atom) => hasDictionaryScript(atom.shape.text))) {
    return spread(line, missing);
  }
  let count = 0;
  for (let index = 1; index < atoms.length; index++) if (isGap(atoms, index - 1)) count++;
  if (count === 0) return null;
  const gapPt = missing / count;
  const gapsPt = atoms.map((_, index) => (isGap(atoms, index) ? gapPt : 0));
  return { gapsPt, spacePt: 0, spacingPt: 0, style: ownStyle };
}

/** The width that justification adds to an atom, without the gap after it. */
export function stretchPt(justified: Justification | null, { shape }: Atom): number {
  if (justified === null) return 0;
  const { spacePt, spacingPt } = justified;
  const inner = spacePt === 0 ? 0 : innerSpaces(shape.text) * spacePt;
  return spacingPt * shape.clusterCount + inner;
}

/**
 * The words of an atom such as `วันที่ 5`, each with the spaces after it; null when it is one word.
 */
export function wordsOf(text: string): readonly string[] | null {
  return innerSpaces(text) === 0 ? null : text.match(WORDS);
}

/**
 * Number of spaces between the words of an atom. Hot: called for every atom of a justified line.
 */
function innerSpaces(text: string): number {
  const space = text.indexOf(' ');
  if (space < 0 || space === text.length - 1) return 0;
  return (text.match(WORDS)?.length ?? 1) - 1;
}

const WORDS = / *[^ ]+ */gu;

function ownStyle(run: RunStyle): TextStyle {
  return run.style;
}

function spread(line: Line, missing: number): Justification | null {
  const { atoms } = line;
  const size = atoms[0]?.run.sizePt ?? 0;
  const clusters = Math.max(1, visibleClusters(line) - 1);
  const spaces = countSpaces(atoms);
  let spacePt = spaces === 0 ? 0 : Math.min(missing / spaces, size * SPACE_GAP_EM_MAX);
  // If the spaces take it all, the rest is exactly 0, without a rounding error.
  const rest = spacePt * spaces < missing - SLACK_PT ? missing - spacePt * spaces : 0;
  let spacingPt = rest / clusters;
  if (spacingPt > size * SPACING_EM_MAX) {
    const surplus = rest - size * SPACING_EM_MAX * clusters;
    const share = surplus / (clusters + SPACE_WEIGHT * spaces);
    spacingPt = size * SPACING_EM_MAX + share;
    spacePt += SPACE_WEIGHT * share;
  }
  if (spacingPt > size * LOOSE_EM) return null;
  const gapsPt = atoms.map((_, index) => (isSpaced(atoms, index) ? spacePt : 0));
  if (spacingPt === 0) return { gapsPt, spacePt, spacingPt, style: ownStyle };
  const styles = new Map<RunStyle, TextStyle>();
  return {
    gapsPt,
    spacePt,
    spacingPt,
    style(run) {
      const known = styles.get(run);
      if (known !== undefined) return known;
      const characterSpacingPt = run.style.characterSpacingPt + spacingPt;
      const style = { ...run.style, characterSpacingPt };
      styles.set(run, style);
      return style;
    },
  };
}

/** Number of spaces that may grow: inside atoms and between them. */
function countSpaces(atoms: readonly Atom[]): number {
  let count = 0;
  for (let index = 0; index < atoms.length; index++) {
    count += innerSpaces(atoms[index]?.shape.text ?? '');
    if (isSpaced(atoms, index)) count++;
  }
  return count;
}

const SPACE = 0x20;
/** Ideographs, kana and Hangul: room may be added between them as between words. */
const IDEOGRAPHS_FROM = 0x2e80;

/** Whether room may be added between an atom and the next. */
function isGap(atoms: readonly Atom[], index: number): boolean {
  if (isSpaced(atoms, index)) return true;
  if (index + 1 >= atoms.length) return false;
  return (
    lastCode(atoms[index]) >= IDEOGRAPHS_FROM || firstCode(atoms[index + 1]) >= IDEOGRAPHS_FROM
  );
}

/** Whether spaces stand between an atom and the next: at its end, or before the next one's word. */
function isSpaced(atoms: readonly Atom[], index: number): boolean {
  if (index + 1 >= atoms.length) return false;
  if (lastCode(atoms[index]) === SPACE) return true;
  const next = atoms[index + 1];
  return firstCode(next) === SPACE && lastCode(next) !== SPACE;
}

function lastCode(atom: Atom | undefined): number {
  const text = atom?.shape.text ?? '';
  return text === '' ? 0 : text.charCodeAt(text.length - 1);
}

function firstCode(atom: Atom | undefined): number {
  const text = atom?.shape.text ?? '';
  return text === '' ? 0 : text.charCodeAt(0);
}

/** Number of clusters without the trailing spaces of the line. */
function visibleClusters({ atoms }: Line): number {
  let count = 0;
  for (const { shape } of atoms) count += shape.clusterCount;
  const last = atoms[atoms.length - 1]?.shape.text ?? '';
  return count - (last.length - last.trimEnd().length);
}
