import { partnerOf } from './pairs.ts';
import type { Slip, SlipCause } from './slip.ts';

/** Causes that have a second text, which says above which line the partner is missing. */
type LineCause = 'bracket_alone' | 'bracket_unclosed' | 'bracket_unopened';
type SlipKey = `slip.${SlipCause}` | `slip.${LineCause}_line`;

/** The English texts, by the Studio's keys. `slipMessage` gives the parameters in braces. */
export const SLIP_WORDS = {
  'slip.blank': 'This is a special space of a word processor; JSON needs an ordinary one.',
  'slip.bom': 'There is an invisible mark (BOM) before the text.',
  'slip.bracket_alone':
    'This “{sign}” closes nothing: it is one too many, or its opening bracket is missing.',
  'slip.bracket_alone_line':
    'This “{sign}” closes nothing: it is one too many, or the line with its “{partner}” is missing above line {line}.',
  'slip.bracket_extra': 'This “{sign}” is one too many.',
  'slip.bracket_unclosed': 'This “{sign}” is opened here and not closed.',
  'slip.bracket_unclosed_line':
    'This “{sign}” is opened here and not closed: the line with its “{partner}” is missing above line {line}.',
  'slip.bracket_unopened': 'The bracket that this “{sign}” closes is missing.',
  'slip.bracket_unopened_line':
    'This “{sign}” closes nothing: the line with its “{partner}” is missing above line {line}.',
  'slip.bracket_wrong': 'A “{sign}” belongs here.',
  'slip.colon_missing': 'A colon is missing between the key and its value.',
  'slip.comma_extra': 'This comma separates nothing.',
  'slip.comma_missing': 'A comma is missing here.',
  'slip.comma_trailing': 'There must be no comma after the last entry.',
  'slip.comment': 'JSON has no comments.',
  'slip.escape': 'Write a backslash in a text twice.',
  'slip.key_repeated':
    'The key “{sign}” is written twice in this object: only the last one counts.',
  'slip.key_unquoted': 'A key must be in quotation marks.',
  'slip.line_break': 'Write a line break in a text as \\n.',
  'slip.nan': 'JSON has no {sign}: write null for a missing value.',
  'slip.none': '{sign} is not a JSON value: write null.',
  'slip.number': '{sign} is not a number as JSON writes it.',
  'slip.number_comma':
    'This number must be written {sign}: without a separator of thousands, and with a point before decimals.',
  'slip.number_either':
    'A number has no comma: write {sign} if the comma separates thousands, or {partner} if it separates decimals.',
  'slip.number_unit': '{sign}: a length is a number of points, without a unit.',
  'slip.number_zeros': '{sign} begins with 0, so it must be a text in quotation marks.',
  'slip.quote_before': 'The quotation mark that begins this text is missing.',
  'slip.quote_extra': 'A quotation mark is one too many here.',
  'slip.quote_inside': 'Write a quotation mark inside a text as \\".',
  'slip.quote_missing': 'The quotation mark that ends this text is missing.',
  'slip.quotes_single': 'Texts must be in straight double quotation marks.',
  'slip.quotes_smart': 'These are quotation marks of a word processor; JSON needs straight ones.',
  'slip.sign': 'A “{sign}” belongs here.',
  'slip.tab': 'Write a tab or another invisible character in a text as a code, such as \\t.',
  'slip.text_after': 'The list or object has ended before this.',
  'slip.text_unquoted': 'A text must be in quotation marks: “{sign}”.',
  'slip.true_false': '{sign} is not a JSON value: write true or false, in small letters.',
  'slip.unclosed': 'A closing “{sign}” is missing.',
  'slip.unknown': 'From here on, this is not JSON.',
  'slip.value_missing':
    'The value after the key is missing: write a text in quotation marks, a number, true, false or null.',
} as const satisfies Readonly<Record<SlipKey, string>>;

/** Characters of the text that a message shows. */
const SIGN_LENGTH_MAX = 40;

/** What a message says about a slip. */
type Said = Pick<Slip, 'cause' | 'sign' | 'missing'>;

/** The text for a slip, with its parameters. */
export function slipMessage({ cause, sign, missing }: Said): {
  readonly key: SlipKey;
  readonly values: Readonly<Record<'sign' | 'partner' | 'line', string>>;
} {
  const isLong = sign.length > SIGN_LENGTH_MAX;
  const shown = isLong ? `${sign.slice(0, SIGN_LENGTH_MAX)}…` : sign;
  const line = String(missing?.line ?? '');
  const values =
    cause === 'number_either'
      ? { sign: sign.replace(',', ''), partner: String(Number(sign.replace(',', '.'))), line }
      : { sign: shown, partner: partnerOf({ sign }), line };
  const key = `slip.${cause}_line`;
  return { key: missing !== null && isLineKey(key) ? key : `slip.${cause}`, values };
}

function isLineKey(key: string): key is `slip.${LineCause}_line` {
  return Object.hasOwn(SLIP_WORDS, key);
}

/** The message about a slip, in English. */
export function slipWords(slip: Said): string {
  const { key, values } = slipMessage(slip);
  return SLIP_WORDS[key].replaceAll(
    /\{(sign|partner|line)\}/g,
    (_, name: keyof typeof values) => values[name],
  );
}

/** The message about a key that is written more than once in an object, in English. */
export function repeatedWords(key: string): string {
  return slipWords({ cause: 'key_repeated', sign: key, missing: null });
}
