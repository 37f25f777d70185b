import { round } from './schema-reader.ts';
import type { SchemaReader } from './schema-reader.ts';
import { lookOf } from './text.ts';
import type { Import } from './text.ts';

const MARKER_WIDTH_MM = 6;
const MARKER_GAP_MM = 2;
const ITEM_SPACING_MM = 1;
/** A list in a template indents its items by at least the width of this text. */
const INDENT_SAMPLE = '9. ';
const SPACE = '\u00a0';

/** A list whose items are the rows, with one cell each, of a table field. */
export function listNode(schema: SchemaReader, context: Import): object {
  const sizePt = schema.number('fontSize', 13);
  const look = lookOf(schema, context, sizePt);
  const isOrdered = schema.text('listStyle') === 'ordered';
  const markerPt = schema.points('markerWidth', MARKER_WIDTH_MM);
  const gapPt = schema.points('markerGap', MARKER_GAP_MM);
  const spacingPt = schema.points('itemSpacing', ITEM_SPACING_MM);
  const width = schema.points('width');
  schema.ignore('rotate', 'backgroundColor', 'verticalAlignment', 'indentSize', 'opacity');
  if (schema.has('backgroundColor')) schema.note('its background is left out', 'backgroundColor');
  const name = context.contract.declare(schema, 'table');
  schema.ignore('content', 'readOnly');
  schema.note(
    `send the items of "${name}" as rows of one cell each; tabs do not indent them`,
    'content',
  );
  const stack = context.fonts.stack('Roboto', false, false);
  const spacePt = stack.shape(SPACE).widthEm * sizePt;
  // A list prints a space after its number.
  const spaces = SPACE.repeat(Math.max(0, Math.round(gapPt / spacePt) - 1));
  const separator = ['', `.${spaces}`];
  const markers = isOrdered ? `9.${spaces} ` : INDENT_SAMPLE;
  const indentPt =
    Math.max(stack.shape(markers).widthEm, stack.shape(INDENT_SAMPLE).widthEm) * sizePt;
  const margin = round(markerPt + gapPt - indentPt);
  const item = {
    each: name,
    text: '{{0}}',
    ...look.style,
    margin: [0, round(look.shiftPt('top')), 0, round(spacingPt - look.shiftPt('top'))],
  };
  const list = isOrdered ? { ol: [item], separator } : { ul: [item] };
  return {
    columns: [{ width, stack: [{ ...list, fontSize: sizePt, margin: [margin, 0, 0, 0] }] }],
  };
}
