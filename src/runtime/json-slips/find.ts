import { keepsBindings } from './bindings.ts';
import { findBracketSlip } from './brackets.ts';
import { extraQuote, strayQuotes } from './extra-quote.ts';
import { firstSlip } from './first.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { isJson, match, slip, type Slip, type SlipCause, withFix } from './slip.ts';

/** Causes that may be mere consequences of a wrong bracket further up. */
const OF_BRACKETS: ReadonlySet<SlipCause> = new Set([
  'unclosed',
  'sign',
  'text_after',
  'comma_missing',
  'comma_trailing',
  'unknown',
  'quote_inside',
  'colon_missing',
  'value_missing',
]);
/** Certain causes: their fix is right, whatever else is wrong with the text. */
const CERTAIN: ReadonlySet<SlipCause> = new Set([
  'bom',
  'blank',
  'comma_extra',
  'comment',
  'escape',
  'nan',
  'none',
  'number',
  'number_comma',
  'number_zeros',
  'quotes_smart',
  'quotes_single',
  'tab',
  'true_false',
]);
/** Limit of the consecutive slips that are fixed to see whether the text becomes JSON. */
const STEPS_MAX = 40;
/** A text longer than this gets the lower limit. */
const LONG_TEXT_LENGTH = 262_144;
const LONG_TEXT_STEPS_MAX = 4;

/**
 * Finds the slip in a text that should be JSON (RFC 8259), with its cause and the most likely fix.
 * Null if the text is JSON and no object has a key twice. A fix is offered only if it makes the
 * text JSON, alone or together with the fixes of the slips after it, and if it changes no binding.
 */
export function findSlip(text: string): Slip | null {
  const first = firstSlip(text);
  if (first === null) return repeatedSlips(text)[0] ?? null;
  const found = likelySlip(text, first);
  // Only the author knows the value; the fix served to look at what follows.
  return found.cause === 'value_missing' ? { ...found, fix: null } : found;
}

/** The slip that explains best why the text stops being JSON at the first one. */
function likelySlip(text: string, first: Slip): Slip {
  const extra = extraQuote(text, first);
  if (extra !== null) return checked(text, extra);
  const made = first.fix === null ? null : withFix(text, first.fix);
  const isMended = made !== null && isJson(made);
  const stray = isMended ? null : strayQuotes(text, first);
  if (stray !== null) return checked(text, stray);
  const mayBeBracket = OF_BRACKETS.has(first.cause);
  if (!isMended || mayBeBracket) {
    const bracket = findBracketSlip(text);
    if (bracket !== null && bracket.fix !== null) return checked(text, bracket);
    if (bracket !== null && !isMended && explains(text, bracket, first)) return bracket;
    if (bracket !== null && !isMended && mayBeBracket) {
      return bracket.from <= first.from ? bracket : { ...first, fix: null };
    }
  }
  const isOffered = isMended || CERTAIN.has(first.cause) || leadsToJson(text);
  return isOffered ? checked(text, first) : { ...first, fix: null };
}

/** The keys that are written more than once in an object. The text must be JSON. */
export function repeatedSlips(text: string): readonly Slip[] {
  return repeatedKeys(text).map(({ key, first, last }) => {
    const fix = { from: first.from, to: first.next, insert: '' };
    return { ...slip('key_repeated', last.from, last.to, null, key), fix };
  });
}

/** Items of a list that are taken for keys where the line with its bracket is missing. */
const ITEM = /-?\d[\d.eE+-]*|true|false|null/y;

/** Whether the line that is missing explains that reading stops where it does. */
function explains(text: string, { cause, from, missing }: Slip, first: Slip): boolean {
  if (missing === null || !/^[\s,]*$/.test(text.slice(first.from, missing.at))) return false;
  const isItem = first.cause === 'key_unquoted' && match(ITEM, text, first.from) !== '';
  if (cause === 'bracket_unclosed') return OF_BRACKETS.has(first.cause);
  if (!OF_BRACKETS.has(first.cause) && !isItem) return false;
  // The lines inside fit what is around them, up to the bracket, or the first one does not.
  const inside = text.slice(missing.at, first.from).trimEnd();
  return !inside.includes('\n') || /^[\s,]*$/.test(text.slice(first.from, from));
}

/** Removes a fix that would split or end a binding. */
function checked(text: string, found: Slip): Slip {
  const { fix, cause } = found;
  if (fix === null || cause === 'comment') return found;
  const isKept = keepsBindings(text, withFix(text, fix), fix.from, fix.to);
  return isKept ? found : { ...found, fix: null };
}

/** Whether fixing one slip after the other makes the text JSON. */
function leadsToJson(text: string): boolean {
  const most = text.length > LONG_TEXT_LENGTH ? LONG_TEXT_STEPS_MAX : STEPS_MAX;
  let made = text;
  for (let steps = 0; steps < most; steps += 1) {
    const next = firstSlip(made);
    if (next === null) return true;
    const { fix } = checked(made, next);
    if (fix === null) return false;
    made = withFix(made, fix);
  }
  return false;
}
