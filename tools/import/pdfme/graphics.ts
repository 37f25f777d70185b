import { boxed, placed } from './place.ts';
import { round } from './schema-reader.ts';
import type { Frame, SchemaReader } from './schema-reader.ts';
import type { Import } from './text.ts';

/** The side of the square that pdfme's icons are drawn in. */
const ICON = 24;

/** A picture in the middle of its frame, as large as fits. */
export function pictureNodes(
  schema: SchemaReader,
  context: Import,
  kind: 'image' | 'svg',
): readonly object[] {
  const frame = schema.frame();
  const opacity = schema.number('opacity', 1);
  const node = {
    [kind]: valueOf(schema, context, kind),
    fit: [frame.width, frame.height],
    alignment: 'center',
    ...(opacity === 1 || kind === 'svg' ? {} : { opacity }),
  };
  if (kind === 'svg' && opacity !== 1) schema.note('an SVG is drawn opaque', 'opacity');
  return [placed(boxed(node, frame, 'middle'), frame, schema.number('rotate', 0))];
}

const BARCODES: Readonly<Record<string, string>> = {
  code128: 'code128',
  ean13: 'ean13',
  itf14: 'itf',
  pdf417: 'pdf417',
};

/** A barcode or QR code that fills its frame; null: the type has no counterpart. */
export function codeNodes(
  schema: SchemaReader,
  context: Import,
  type: string,
): readonly object[] | null {
  const barcode = BARCODES[type];
  if (barcode === undefined && type !== 'qrcode') return null;
  const frame = schema.frame();
  if (type !== 'qrcode' && type !== 'pdf417' && schema.value('includetext') !== false) {
    const frameToo = type === 'itf14' ? ', and the frame around them,' : '';
    schema.note(
      `the text below the bars${frameToo} is left out; print it by a text`,
      'includetext',
    );
  }
  schema.ignore('textColor');
  const look = {
    ...schema.color('barColor', 'foreground'),
    ...schema.color('backgroundColor', 'background'),
  };
  const data = valueOf(schema, context, 'text');
  const node =
    barcode === undefined
      ? { qr: data, fit: Math.min(frame.width, frame.height), ...look }
      : { barcode, data, fit: [frame.width, frame.height], padding: 0, ...look };
  return [placed(node, frame, schema.number('rotate', 0))];
}

/** The static content of a read-only schema, or the placeholder of its field. */
export function valueOf(
  schema: SchemaReader,
  context: Import,
  type: 'text' | 'image' | 'svg',
): string {
  if (schema.flag('readOnly')) return schema.text('content');
  const name = context.contract.declare(schema, type);
  schema.ignore('content');
  return `{{${name}}}`;
}

export function shapeNodes(
  schema: SchemaReader,
  type: 'line' | 'rectangle' | 'ellipse',
): readonly object[] {
  const frame = schema.frame();
  schema.ignore('readOnly', 'content', 'name');
  const degrees = schema.number('rotate', 0);
  const opacity = schema.number('opacity', 1);
  const canvas = [shape(schema, type, frame, opacity)];
  return [placed({ canvas }, frame, degrees)];
}

function shape(
  schema: SchemaReader,
  type: 'line' | 'rectangle' | 'ellipse',
  { width: w, height: h }: Frame,
  opacity: number,
): object {
  const shades = opacity === 1 ? {} : { fillOpacity: opacity, strokeOpacity: opacity };
  if (type === 'line') {
    const line = { type: 'line', x1: 0, y1: h / 2, x2: w, y2: h / 2, lineWidth: h };
    const shade = opacity === 1 ? {} : { strokeOpacity: opacity };
    return { ...line, ...schema.color('color', 'lineColor'), ...shade };
  }
  const border = schema.text('borderColor') === '' ? 0 : schema.points('borderWidth');
  schema.ignore('borderWidth');
  const look = {
    lineWidth: border,
    ...schema.color('borderColor', 'lineColor'),
    ...schema.color('color', 'color'),
    ...shades,
  };
  const [inset, radius] = [border / 2, schema.points('radius')];
  if (type === 'ellipse') {
    const [r1, r2] = [round(w / 2 - inset), round(h / 2 - inset)];
    return { type: 'ellipse', x: w / 2, y: h / 2, r1, r2, ...look };
  }
  const size = { x: inset, y: inset, w: round(w - border), h: round(h - border) };
  return { type: 'rect', ...size, ...(radius === 0 ? {} : { r: radius }), ...look };
}

/** A box or circle that is always printed, and a mark that the data switches on. */
export function tickNodes(
  schema: SchemaReader,
  context: Import,
  type: 'checkbox' | 'radioGroup',
): readonly object[] {
  const frame = schema.frame();
  const degrees = schema.number('rotate', 0);
  const unit = Math.min(frame.width, frame.height) / ICON;
  const color = schema.text('color') === '' ? '#000000' : schema.text('color');
  const line = { lineWidth: round(2 * unit), lineColor: color };
  schema.ignore('group', 'content');
  const at = (x: number, y: number): object => ({
    x: round(frame.width / 2 + (x - ICON / 2) * unit),
    y: round(frame.height / 2 + (y - ICON / 2) * unit),
  });
  const circle = (radius: number, more: object): object => ({
    type: 'ellipse',
    ...at(ICON / 2, ICON / 2),
    r1: round(radius * unit),
    r2: round(radius * unit),
    ...more,
  });
  const square = {
    type: 'rect',
    ...at(3, 3),
    w: round(18 * unit),
    h: round(18 * unit),
    r: round(2 * unit),
    ...line,
  };
  const check = { type: 'polyline', points: [at(9, 12), at(11, 14), at(15, 10)], ...line };
  const [always, mark] =
    type === 'checkbox' ? [square, check] : [circle(10, line), circle(1, { ...line, color })];
  const ticked = placed({ canvas: [mark] }, frame, degrees);
  return [placed({ canvas: [always] }, frame, degrees), ...ifTrue(schema, context, ticked)];
}

/** A ring that the data switches on. */
export function ringNodes(schema: SchemaReader, context: Import): readonly object[] {
  const frame = schema.frame();
  const border = schema.points('borderWidth');
  const ring = {
    type: 'ellipse',
    x: frame.width / 2,
    y: frame.height / 2,
    r1: round((frame.width - border) / 2),
    r2: round((frame.height - border) / 2),
    lineWidth: border,
    ...schema.color('color', 'lineColor'),
  };
  const node = placed({ canvas: [ring] }, frame, schema.number('rotate', 0));
  return ifTrue(schema, context, node);
}

/** Prints a node only when the value of its field is "true". */
function ifTrue(schema: SchemaReader, context: Import, node: object): readonly object[] {
  schema.ignore('content', 'opacity');
  if (schema.flag('readOnly')) return schema.text('content') === 'true' ? [node] : [];
  const field = context.contract.declare(schema, 'text', {
    description: 'Send "true" to tick it; leave it out otherwise.',
    validation: { pattern: '^true$' },
  });
  schema.note(`send "true" to tick it, leave "${field}" out otherwise; "false" is refused`);
  return [{ ...node, if: field }];
}
