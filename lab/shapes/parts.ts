import type { Random } from '../random.ts';
import { FOOTER, PAGE, TABLE } from './sheet.ts';

/** Parts of templates and of data that all shapes have in common. */

export const PAGE_KEYS = {
  pageSize: 'A4',
  pageMargins: [PAGE.marginX, PAGE.marginY, PAGE.marginX, PAGE.marginY],
} as const;

/** Lines between rows only. */
export const TABLE_LAYOUT = {
  hLineWidth: TABLE.lineWidth,
  vLineWidth: 0,
  hLineColor: TABLE.lineColor,
  paddingLeft: TABLE.paddingX,
  paddingRight: TABLE.paddingX,
} as const;

/** The page number at the foot of every page. */
export const FOOTER_NODE = {
  text: `${FOOTER.text[0]}{{page}}${FOOTER.text[1]}{{pages}}`,
  alignment: 'center',
  fontSize: FOOTER.size,
  margin: [0, FOOTER.gap, 0, 0],
} as const;

/** A required date field, without its name. */
export const DATE_FIELD = {
  type: 'date',
  required: true,
  format: { calendar: 'buddhist', pattern: 'd MMMM yyyy' },
} as const;

/** A required field for an amount of money, without its name. */
export const MONEY_FIELD = {
  type: 'number',
  required: true,
  format: { decimals: 2, thousandsSeparator: true },
} as const;

/** The number of a bank account, as Thai banks write it. */
export function accountNumber(random: Random): string {
  return `${random.digits(3)}-${random.digits(1)}-${random.digits(5)}-${random.digits(1)}`;
}
