import type { Slip, SlipCause } from './slip.ts';

/** The English texts, by the Studio's keys; `{sign}` stands for the sign that the slip is about. */
export const SLIP_WORDS = {
  'slip.blank': 'A special space stands here, as word processors write it.',
  'slip.bom': 'An invisible mark (BOM) stands before the text.',
  'slip.bracket_alone':
    'This “{sign}” closes nothing: it is one too many, or the bracket that opens is missing.',
  'slip.bracket_extra': 'This “{sign}” is one too many.',
  'slip.bracket_unclosed': 'This “{sign}” is opened here and not closed.',
  'slip.bracket_unopened': 'The bracket that this “{sign}” closes is missing.',
  'slip.bracket_wrong': 'A “{sign}” belongs here.',
  'slip.colon_missing': 'A colon is missing between the key and its value.',
  'slip.comma_extra': 'A comma stands here that separates nothing.',
  'slip.comma_missing': 'A comma is missing here.',
  'slip.comma_trailing': 'No comma may stand after the last of a list.',
  'slip.comment': 'JSON has no comments.',
  'slip.escape': 'A backslash in a text is written twice.',
  'slip.key_repeated': 'The key “{sign}” stands here a second time; the first one has no effect.',
  'slip.key_unquoted': 'A key stands in quotation marks.',
  'slip.line_break': 'A line break in a text is written \\n.',
  'slip.nan': 'JSON has no {sign}; no value is null.',
  'slip.none': '{sign} is written null.',
  'slip.number': '{sign} is not a number as JSON writes it.',
  'slip.number_unit': '{sign}: a length is a number of points, without a unit.',
  'slip.number_zeros': '{sign} begins with 0, so it is a text and stands in quotation marks.',
  'slip.quote_before': 'The quotation mark that begins this text is missing.',
  'slip.quote_inside': 'A quotation mark inside a text is written \\".',
  'slip.quote_missing': 'The quotation mark that ends this text is missing.',
  'slip.quotes_single': 'Texts stand in straight double quotation marks.',
  'slip.quotes_smart': 'Quotation marks of a word processor: JSON has straight ones.',
  'slip.sign': 'A “{sign}” belongs here.',
  'slip.tab': 'A tab or another invisible character in a text is written as a code, such as \\t.',
  'slip.text_after': 'The list or object has ended before this.',
  'slip.text_unquoted': 'A text stands in quotation marks: “{sign}”.',
  'slip.true_false': '{sign} is no value of JSON: write true or false, in small letters.',
  'slip.unclosed': 'A closing “{sign}” is missing.',
  'slip.unknown': 'This is not JSON, from here on.',
  'slip.value_missing': 'The value after the key is missing.',
} as const satisfies Readonly<Record<`slip.${SlipCause}`, string>>;

/** Characters of the text that a message shows. */
const SIGN_LENGTH_MAX = 40;

/** The sign of a slip as a message shows it. */
export function shownSign({ sign }: Slip): string {
  return sign.length > SIGN_LENGTH_MAX ? `${sign.slice(0, SIGN_LENGTH_MAX)}…` : sign;
}

/** What is wrong, in English. */
export function slipWords(slip: Slip): string {
  return SLIP_WORDS[`slip.${slip.cause}`].replaceAll('{sign}', () => shownSign(slip));
}
