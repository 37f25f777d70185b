import { isAmount } from '../contract/format/amount.ts';
import { amountInCell } from '../contract/reasons.ts';
import type { Reason } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type { AmountColumn } from '../model/printed.ts';

/** Digits of any script, and characters such as ½ and ²: a reader takes the cell for an amount. */
const NUMERIC = /\p{N}/u;

/** Numerals of Chinese and Japanese, which are letters to Unicode, in daily and in bank writing. */
const HAN_DIGITS =
  '零一二三四五六七八九十百千万萬億亿兆京两兩廿卅卌' +
  '壹壱貳贰弐參叁参肆伍陸陆柒漆捌玖拾佰陌仟阡弌弍弎貮';
/** A cell of numerals with signs, and words for money. */
const HAN_AMOUNT = new RegExp(
  `^[负負約约金]*[\\s\\p{P}\\p{S}]*[${HAN_DIGITS}][${HAN_DIGITS}元圆圓円塊块角分毛錢钱整正点點\\s\\p{P}\\p{S}]*$`,
  'u',
);

/** Whether a reader takes a cell for an amount although a sum cannot read it. */
function looksNumeric(cell: string): boolean {
  return NUMERIC.test(cell) || HAN_AMOUNT.test(cell.normalize('NFKC'));
}

/**
 * The reason why the cells of a summed column cannot be added up: a cell shows digits and cannot be
 * read as an amount (`(100.00)`, `฿100.00`, `๑๐๐`). It would add nothing, and the total would
 * contradict its column. Null: all cells are amounts, or have no digit (a dash, nothing).
 */
export function findUnreadAmount(
  values: FieldValues,
  { field, column }: AmountColumn,
): Reason | null {
  const value = values[field];
  if (value?.type !== 'table') return null;
  const { rows } = value;
  for (let index = 0; index < rows.length; index++) {
    const cell = rows[index]?.[column];
    if (cell === undefined || cell === '' || isAmount(cell)) continue;
    if (looksNumeric(cell)) return amountInCell(index, column);
  }
  return null;
}
