import type { Dash, Paint, Rgb } from './style.ts';

/**
 * A property of a line, row or column by its index. `count` are the rows or columns of the table;
 * `headerRows` is 0 for columns.
 */
export type LayoutEntry<T> = (index: number, count: number, headerRows: number) => T;

/** pdfmake's table layout. */
export interface TableLayout {
  /** Lines 0…rowCount; index 0 is above the first row. */
  readonly hLineWidth: LayoutEntry<number>;
  /** Lines 0…columnCount. */
  readonly vLineWidth: LayoutEntry<number>;
  readonly hLineColor: LayoutEntry<Rgb>;
  readonly vLineColor: LayoutEntry<Rgb>;
  readonly hLineDash: LayoutEntry<Dash | null>;
  readonly vLineDash: LayoutEntry<Dash | null>;
  readonly paddingLeft: LayoutEntry<number>;
  readonly paddingRight: LayoutEntry<number>;
  readonly paddingTop: LayoutEntry<number>;
  readonly paddingBottom: LayoutEntry<number>;
  /** The background of the cells that set none themselves. */
  readonly fillColor: LayoutEntry<Paint | null>;
  readonly fillOpacity: LayoutEntry<number>;
  readonly defaultBorder: boolean;
  /** Draw the lines at a page break inside a row. Absent: true. */
  readonly hLineWhenBroken?: boolean;
}
