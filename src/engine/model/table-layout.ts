import type { Dash, Paint, Rgb } from './style.ts';

/** pdfmake's table layout; its functions take an index and a count. */
export interface TableLayout {
  /** Lines 0…rowCount; index 0 is above the first row. */
  readonly hLineWidth: (index: number, rowCount: number, headerRows: number) => number;
  /** Lines 0…columnCount. */
  readonly vLineWidth: (index: number, columnCount: number) => number;
  readonly hLineColor: (index: number, rowCount: number, headerRows: number) => Rgb;
  readonly vLineColor: (index: number, columnCount: number) => Rgb;
  readonly hLineDash: (index: number, rowCount: number, headerRows: number) => Dash | null;
  readonly vLineDash: (index: number, columnCount: number) => Dash | null;
  readonly paddingLeft: (index: number, columnCount: number) => number;
  readonly paddingRight: (index: number, columnCount: number) => number;
  readonly paddingTop: (index: number, rowCount: number, headerRows: number) => number;
  readonly paddingBottom: (index: number, rowCount: number, headerRows: number) => number;
  readonly fillColor: (
    rowIndex: number,
    rowCount: number,
    headerRows: number,
    column: number,
  ) => Paint | null;
  readonly fillOpacity: (
    rowIndex: number,
    rowCount: number,
    headerRows: number,
    column: number,
  ) => number;
  readonly defaultBorder: boolean;
  /** Draw the lines at a page break inside a row. Absent: true. */
  readonly hLineWhenBroken?: boolean;
}
