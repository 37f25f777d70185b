import { NO_LINES } from './place.ts';
import type { SchemaReader, Sides } from './schema-reader.ts';
import { numberOf, round } from './schema-reader.ts';
import { lookOf } from './text.ts';
import type { Import } from './text.ts';

/** pdfme's default font size in cells. */
const CELL_PT = 10;

/** The style of the cells of the head or of the body. */
interface CellLook {
  readonly style: object;
  /** '' when the cells have no fill. */
  readonly fill: string;
  readonly borders: Sides;
  readonly borderColor: string;
  /** Left, top, right, bottom: pdfme's paddings, moved by `shiftPt` to where pdfme sets the text. */
  readonly margin: readonly [number, number, number, number];
  readonly verticalAlignment: string;
}

/**
 * A table whose body rows are the rows of a field. In pdfme each cell has borders inside its box;
 * two adjacent borders become one rule here, as wide as both.
 */
export function tableNode(schema: SchemaReader, context: Import): object {
  const name = context.contract.declare(schema, 'table');
  schema.ignore('readOnly', 'content');
  const head = schema.texts('head');
  const columns = columnsOf(schema, head.length);
  const columnStyles = schema.inner('columnStyles');
  const alignments = columnStyles.object('alignment');
  const headLook = cellLook(schema.inner('headStyles'), context);
  const bodyStyles = schema.inner('bodyStyles');
  const bodyLook = cellLook(bodyStyles, context);
  const showsHead = schema.value('showHead') !== false;
  const repeats = showsHead && headRepeats(schema, headLook, bodyLook);
  const headCells = head.map((text, column) => ({
    ...cell(text, headLook, alignments[column]),
    ...(headLook.fill === '' ? {} : { fillColor: headLook.fill }),
  }));
  const rowCells = head.map((_, column) => cell(`{{${column}}}`, bodyLook, alignments[column]));
  const { left, right } = bodyLook.borders;
  const table = {
    ...(repeats ? { headerRows: 1, keepWithHeaderRows: 1 } : {}),
    dontBreakRows: true,
    widths: columns.map((width) => round(width - left - right)),
    body: [...(showsHead ? [headCells] : []), { each: name, cells: rowCells }],
  };
  const layout = {
    ...NO_LINES,
    ...rules(schema, headLook, bodyLook, repeats),
    ...fillsOf(bodyStyles, bodyLook, showsHead),
  };
  columnStyles.reportRest();
  return { table, layout };
}

/** A cell of the table; `alignment` is the one that pdfme has for the column, if any. */
function cell(text: string, look: CellLook, alignment: unknown): object {
  return {
    text,
    ...look.style,
    ...(typeof alignment === 'string' ? { alignment } : {}),
    margin: look.margin,
    verticalAlignment: look.verticalAlignment,
  };
}

/** Widths of the columns in points. */
function columnsOf(schema: SchemaReader, count: number): readonly number[] {
  const shares = schema.list('headWidthPercentages');
  const width = schema.points('width');
  return Array.from(
    { length: count },
    (_, index) => (width * numberOf(shares[index], 100 / Math.max(1, count))) / 100,
  );
}

function cellLook(schema: SchemaReader, context: Import): CellLook {
  const sizePt = schema.number('fontSize', CELL_PT);
  const text = lookOf(schema, context, sizePt);
  const padding = schema.sides('padding');
  const vertical = schema.text('verticalAlignment');
  const verticalAlignment = vertical === '' ? 'middle' : vertical;
  const shift = text.shiftPt(verticalAlignment);
  schema.ignore('alternateBackgroundColor');
  const look = {
    style: text.style,
    fill: schema.text('backgroundColor'),
    borders: schema.sides('borderWidth'),
    borderColor: schema.text('borderColor'),
    margin: [
      padding.left,
      round(padding.top + shift),
      padding.right,
      round(padding.bottom - shift),
    ] as const,
    verticalAlignment,
  };
  schema.reportRest();
  return look;
}

/**
 * Whether the head repeats on each page. It must if its rules differ from the body's, because only
 * a header row has a rule of another style.
 */
function headRepeats(schema: SchemaReader, head: CellLook, body: CellLook): boolean {
  if (schema.flag('repeatHead')) return true;
  const hasOtherRules =
    head.borders.bottom !== body.borders.bottom || head.borderColor !== body.borderColor;
  if (hasOtherRules) {
    schema.note('its head has rules of another kind, so it is repeated on each page', 'repeatHead');
  }
  return hasOtherRules;
}

/** Widths and colours of the table's rules. A border of pdfme's table replaces the outer rules. */
function rules(schema: SchemaReader, head: CellLook, body: CellLook, hasHeader: boolean): object {
  const outer = schema.inner('tableStyles');
  const outerWidth = outer.points('borderWidth');
  const outerColor = outer.text('borderColor');
  outer.reportRest();
  const hasOuter = outerWidth > 0 && outerColor !== '';
  const inner = round(body.borders.top + body.borders.bottom);
  const sides = round(body.borders.left + body.borders.right);
  const ends = (first: number, last: number): object =>
    hasOuter ? { outer: outerWidth } : { first, last };
  const color = body.borderColor === '' ? '#000000' : body.borderColor;
  const endColor = hasOuter ? { outer: outerColor } : {};
  const headTop = schema.value('showHead') === false ? body.borders.top : head.borders.top;
  return {
    hLineWidth: {
      ...ends(headTop, body.borders.bottom),
      ...(hasHeader ? { header: round(head.borders.bottom + body.borders.top) } : {}),
      rest: inner,
    },
    vLineWidth: { ...ends(body.borders.left, body.borders.right), rest: sides },
    hLineColor: {
      ...endColor,
      ...(hasHeader && head.borderColor !== '' ? { header: head.borderColor } : {}),
      rest: color,
    },
    vLineColor: { ...endColor, rest: color },
  };
}

/** Fills of the rows: pdfme fills the first, third, … row of the body with the alternate colour. */
function fillsOf(bodyStyles: SchemaReader, { fill }: CellLook, showsHead: boolean): object {
  const alternate = bodyStyles.text('alternateBackgroundColor');
  if (fill === '' && alternate === '') return {};
  // Rows are counted from 0 with the head, so below a head the first row of the body is odd.
  const [alternateRows, otherRows] = showsHead
    ? (['odd', 'even'] as const)
    : (['even', 'odd'] as const);
  return {
    fillColor: {
      ...(alternate === '' ? {} : { [alternateRows]: alternate }),
      ...(fill === '' ? {} : { [otherRows]: fill }),
    },
  };
}
