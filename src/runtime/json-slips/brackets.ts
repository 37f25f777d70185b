import { blockStart, endsDeeperLines, missingLine } from './missing-line.ts';
import { type Bracket, bracketLines, findOdd, isPaired, partnerOf, type Odd } from './pairs.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { isJson, type Slip, slip, type SlipCause, type SlipFix, withFix } from './slip.ts';

/** Limit of doubled brackets that are tried as the cause. */
const DOUBLED_MAX = 8;
/**
 * Limit of the characters that all tries for one text read together. TRIED_MIN tries are always
 * made.
 */
const TRIED_LENGTH_MAX = 16_000_000;
const TRIED_MIN = 16;

/** A change that may be what the author meant, and the cause to report for it. */
interface Candidate {
  readonly cause: SlipCause;
  readonly fix: SlipFix;
}

/**
 * Finds the bracket without a partner, judged by the pairs and the indentation of the whole text;
 * null if there is none. A fix is offered only if it makes the whole text JSON.
 */
export function findBracketSlip(text: string): Slip | null {
  for (const isStrict of [true, false]) {
    const odd = findOdd(text, isStrict);
    const meant = odd === null ? undefined : triedOf(text, odd).find((one) => mends(text, one));
    if (odd !== null && meant !== undefined) return told(text, odd, meant);
  }
  // Odd indentation alone is not a fault: here each bracket has its partner.
  const odd = isPaired(text) ? null : findOdd(text, false);
  if (odd === null) return null;
  const { at, sign } = odd.kind === 'wrong' ? odd.closer : odd.bracket;
  const cause = odd.kind === 'unclosed' ? 'bracket_unclosed' : 'bracket_alone';
  return { ...slip(cause, at, at + 1, null, sign), missing: missingLine(text, odd) };
}

function mends(text: string, { fix }: Candidate): boolean {
  const made = withFix(text, fix);
  // If the change merges two objects, a key may occur twice.
  return isJson(made) && repeatedKeys(made).length === 0;
}

/** The slip to report for a bracket and change. */
function told(text: string, odd: Odd, { cause, fix }: Candidate): Slip {
  if (cause === 'bracket_wrong')
    return { cause, sign: fix.insert, from: fix.from, to: fix.to, fix, missing: null };
  const { at, sign } = odd.bracket;
  if (cause !== 'bracket_extra') {
    const missing = fix.insert.includes('\n') ? missingLine(text, odd) : null;
    return { cause, sign, from: at, to: at + 1, fix, missing };
  }
  const extra = text.slice(fix.from, fix.to).search(/[[\]{}]/) + fix.from;
  return { cause, sign: text[extra] ?? '', from: extra, to: extra + 1, fix, missing: null };
}

/**
 * The first candidates, which are the likeliest. Their number is limited, because each try reads
 * the whole text.
 */
function triedOf(text: string, odd: Odd): readonly Candidate[] {
  const most = Math.max(TRIED_MIN, Math.floor(TRIED_LENGTH_MAX / text.length));
  return candidatesOf(text, odd).slice(0, most);
}

function candidatesOf(text: string, odd: Odd): readonly Candidate[] {
  const { bracket } = odd;
  switch (odd.kind) {
    case 'unclosed': {
      const removed = removalsOf(text, bracket);
      const closed = closingsOf(text, bracket, odd.before);
      const twice = doubledIn(text, bracket.lineAt, odd.before, '{[');
      return [
        ...twice,
        ...(isDoubled(text, bracket) ? [...removed, ...closed] : [...closed, ...removed]),
      ];
    }
    case 'alone': {
      const { opener } = odd;
      const removed = removalsOf(text, bracket);
      const opened = openingsOf(text, bracket);
      const replaced = opener === null ? [] : replacementsOf(opener, bracket);
      const isTwice = isDoubled(text, bracket);
      // Without the bracket, its members or items would join those of the object or list around it.
      if (!isTwice && endsDeeperLines(text, bracket)) return opened;
      const twice = doubledIn(text, bracket.lineAt, bracket.at + 1, '}]');
      return [
        ...twice,
        ...(isTwice ? [...removed, ...opened] : [...opened, ...removed]),
        ...replaced,
      ];
    }
    case 'wrong': {
      const { closer, fitsOuter } = odd;
      const closed = closingsOf(text, bracket, closer.isFirst ? closer.lineAt : closer.at);
      const replaced = replacementsOf(bracket, closer);
      const removed = removalsOf(text, closer);
      const twice = doubledIn(text, bracket.lineAt, closer.at, '{[');
      return [
        ...twice,
        ...(fitsOuter ? [...closed, ...replaced] : [...replaced, ...closed]),
        ...removed,
      ];
    }
  }
}

function replacementsOf(opener: Bracket, closer: Bracket): readonly Candidate[] {
  return [replacing(closer, partnerOf(opener)), replacing(opener, partnerOf(closer))];
}

function replacing({ at }: Bracket, insert: string): Candidate {
  return { cause: 'bracket_wrong', fix: { from: at, to: at + 1, insert } };
}

/**
 * Whether the bracket or its whole line is doubled: the same sign next to it, or the same line
 * above or below.
 */
function isDoubled(text: string, { at, sign, lineAt }: Bracket): boolean {
  if (text[at - 1] === sign || text[at + 1] === sign) return true;
  const end = text.indexOf('\n', at);
  const line = text.slice(lineAt, end === -1 ? text.length : end);
  return (
    text.startsWith(`${line}\n`, lineAt - line.length - 1) || text.startsWith(`\n${line}\n`, end)
  );
}

/** Candidates that remove the second of two adjacent equal brackets. */
function doubledIn(text: string, from: number, to: number, signs: string): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const { brackets } of bracketLines(text.slice(from, to))) {
    for (const [index, { at, sign }] of brackets.entries()) {
      const next = brackets[index + 1];
      const isTwice = next !== undefined && next.at === at + 1 && next.sign === sign;
      if (!isTwice || !signs.includes(sign)) continue;
      const fix = { from: from + at + 1, to: from + at + 2, insert: '' };
      found.push({ cause: 'bracket_extra', fix });
      if (found.length === DOUBLED_MAX) return found;
    }
  }
  return found;
}

/**
 * Candidates that remove the bracket, with or without the comma after it, and the whole line if
 * nothing else is on it.
 */
function removalsOf(text: string, { at, lineAt, isFirst }: Bracket): readonly Candidate[] {
  return [/[ \t]*,?/y, /(?:)/y].map((pattern) => {
    pattern.lastIndex = at + 1;
    const to = at + 1 + (pattern.exec(text)?.[0].length ?? 0);
    const isWholeLine = isFirst && /^[ \t\r]*(?:\n|$)/.test(text.slice(to));
    const from = isWholeLine ? Math.max(0, lineAt - 1) : at;
    return { cause: 'bracket_extra', fix: { from, to, insert: '' } };
  });
}

/**
 * Candidates that insert the closing partner before a place, with or without a comma, on a new line
 * if the bracket ends its line.
 */
function closingsOf(text: string, bracket: Bracket, before: number): readonly Candidate[] {
  const closer = partnerOf(bracket);
  const end = text.slice(0, before).trimEnd().length;
  const hasComma = text[end - 1] === ',';
  const next = text.slice(before).trimStart().charAt(0);
  const comma = next === '' || next === '}' || next === ']' ? '' : ',';
  const lines = text.slice(bracket.at, end).includes('\n');
  const gap =
    bracket.isLast && lines ? `\n${text.slice(bracket.lineAt).slice(0, bracket.indent)}` : ' ';
  const from = hasComma ? end - 1 : end;
  const fixes = [
    ...gapsOf(text.slice(0, bracket.isLast ? 0 : end), bracket.at, closer),
    { from, to: end, insert: gap + closer + comma },
    { from, to: end, insert: gap + closer },
  ];
  return fixes.map((fix) => ({ cause: 'bracket_unclosed', fix }));
}

/**
 * Changes that insert the closer between a blank and a comma: deleting a bracket leaves such a gap.
 */
function gapsOf(text: string, from: number, closer: string): readonly SlipFix[] {
  return [...text.slice(from).matchAll(/[ \t]+(?=,)/g)].map(({ 0: blanks, index }) => {
    const place = from + index + blanks.length;
    return { from: place, to: place, insert: closer };
  });
}

/** Candidates that insert the opening partner at each place where the list or object may begin. */
function openingsOf(text: string, bracket: Bracket): readonly Candidate[] {
  const opener = partnerOf(bracket);
  const { at, lineAt, indent } = bracket;
  const places: SlipFix[] = [];
  const add = (place: number, insert: string): void =>
    void places.push({ from: place, to: place, insert });
  const isBlock = bracket.isFirst;
  if (!isBlock) {
    const line = text.slice(lineAt, at);
    const colons = [...line.matchAll(/"(?:[^"\\]|\\.)*"[ \t]*:/g)];
    add(lineAt + indent, `${opener} `);
    for (const { 0: key, index } of colons) add(lineAt + index + key.length, ` ${opener}`);
  }
  // The bracket may be right, and the next line may lack its opening bracket.
  const below = text.slice(at).search(/\n[ \t]*\S/);
  if (!isBlock && below !== -1) {
    const blanks = /^\s*/.exec(text.slice(at + below))?.[0].length ?? 0;
    add(at + below + blanks, `${opener} `);
  }
  const begin = blockStart(text, lineAt, indent);
  const above = text.slice(0, begin).trimEnd();
  if (above.endsWith(':')) add(above.length, ` ${opener}`);
  if (!isBlock) add(nodeStart(text, lineAt, indent), `${opener} `);
  else if (!above.endsWith(':')) add(begin, `${text.slice(lineAt, lineAt + indent)}${opener}\n`);
  return places.map((fix) => ({ cause: 'bracket_unopened', fix }));
}

/** The first word of the nearest line above that is indented less: the node may begin there. */
function nodeStart(text: string, lineAt: number, indent: number): number {
  const above = text.slice(0, blockStart(text, lineAt, indent - 1));
  const line = above.slice(above.lastIndexOf('\n', above.length - 2) + 1);
  return above.length - line.trimStart().length;
}
