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
  /** The run's style with that spacing. */
  style(run: RunStyle): TextStyle;
}

const SLACK_PT = 1e-6;
/** Spaces grow by so much, in shares of the size, before letters are spaced. */
const SPACE_GAP_EM_MAX = 0.3;
/** Letters are spaced by so much before spaces grow again beside them. */
const SPACING_EM_MAX = 0.06;
/** Where letters would stand further apart than this, the line reads better ragged. */
const LOOSE_EM = 0.12;
/** How much more a space takes from there on than a letter. */
const SPACE_WEIGHT = 5;

/**
 * Null for lines that stay ragged: the last one, one that ends at a newline, a single word, one of
 * a few letters in a narrow column. The room goes between the words, never into one: a line may end
 * after a hyphen or a stroke and between two runs of a word, but `e-mail` and `(name)` do not fall
 * apart when it goes on. In Thai and other scripts without spaces, where that would tear the words
 * apart, it goes to the spaces first, then evenly between all clusters.
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

/** Advance added to an atom by the line's stretching, without the gap after it. */
export function stretchPt(justified: Justification | null, { shape }: Atom): number {
  if (justified === null) return 0;
  const { spacePt, spacingPt } = justified;
  const inner = spacePt === 0 ? 0 : innerSpaces(shape.text) * spacePt;
  return spacingPt * shape.clusterCount + inner;
}

/** The words of an atom, each with the spaces after it: `วันที่ 5` is one atom. Null: it is one. */
export function wordsOf(text: string): readonly string[] | null {
  return innerSpaces(text) === 0 ? null : text.match(WORDS);
}

/** How often spaces stand between words of an atom. Hot: every atom of a stretched line is asked. */
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
  // Where the spaces take it all, nothing is left, not even what rounding leaves.
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

/** Spaces that may grow: inside atoms, and after all but the last. */
function countSpaces(atoms: readonly Atom[]): number {
  let count = 0;
  for (let index = 0; index < atoms.length; index++) {
    count += innerSpaces(atoms[index]?.shape.text ?? '');
    if (isSpaced(atoms, index)) count++;
  }
  return count;
}

const SPACE = 0x20;
/** Ideographs, kana and Hangul: they stand apart from each other as words do. */
const IDEOGRAPHS_FROM = 0x2e80;

/** Whether a line of words may be widened between an atom and the next. */
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

/** Clusters but for the spaces that hang over the line's end. */
function visibleClusters({ atoms }: Line): number {
  let count = 0;
  for (const { shape } of atoms) count += shape.clusterCount;
  const last = atoms[atoms.length - 1]?.shape.text ?? '';
  return count - (last.length - last.trimEnd().length);
}
