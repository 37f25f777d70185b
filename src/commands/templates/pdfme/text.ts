import type { FontLibrary } from '../../../workers/font/font.ts';
import type { ImportedContract } from './contract.ts';
import { fieldName } from './contract.ts';
import { boxed, decoration, placed } from './place.ts';
import type { Frame } from './schema-reader.ts';
import { isObject, round } from './schema-reader.ts';
import type { SchemaReader } from './schema-reader.ts';

/** State that the readers of schemas share. */
export interface Import {
  readonly contract: ImportedContract;
  readonly fonts: FontLibrary;
  /** A page's own numbers are known in what is drawn on each page only. */
  needsPageNumbers: boolean;
}

/** The family of schemas without one: pdfme's own. */
export const FAMILY = 'Roboto';
const SIZE_PT = 13;

/** How lines stand, by the font's own ascent and descent in em. */
export interface TextLook {
  readonly style: object;
  readonly sizePt: number;
  /**
   * How far the first line lies below the place that our layout gives it: pdfme centres a line in
   * its line height above, and counts from the ascent, where we add the line height below.
   */
  shiftPt(verticalAlignment: string): number;
}

export function lookOf(schema: SchemaReader, context: Import, sizePt: number): TextLook {
  const family = familyOf(schema, context);
  const { ascentEm, descentEm } = context.fonts.stack(family, false, false);
  const lineHeight = schema.number('lineHeight', 1);
  const fontEm = ascentEm - descentEm;
  const spacing = schema.number('characterSpacing', 0);
  const alignment = schema.text('alignment');
  if (alignment === 'justify') {
    schema.note('lines are justified by their spaces, not by all letters', 'alignment');
  }
  const style = {
    fontSize: sizePt,
    lineHeight: round(Math.max(lineHeight, 0.05) / fontEm),
    ...(family === FAMILY ? {} : { font: family }),
    ...(alignment === '' || alignment === 'left' ? {} : { alignment }),
    ...(spacing === 0 ? {} : { characterSpacing: spacing }),
    ...schema.color('fontColor', 'color'),
    ...linesOf(schema),
    ...(schema.number('opacity', 1) === 1 ? {} : { opacity: schema.number('opacity', 1) }),
  };
  const shiftPt = (verticalAlignment: string): number => {
    switch (verticalAlignment) {
      case 'middle':
        return ((lineHeight - fontEm) / 2) * sizePt;
      case 'bottom':
        return (lineHeight + descentEm - (lineHeight - 1) / 2 - ascentEm) * sizePt;
      default:
        return ((lineHeight - 1) / 2) * sizePt;
    }
  };
  return { style, sizePt, shiftPt };
}

function familyOf(schema: SchemaReader, { fonts }: Import): string {
  const name = schema.text('fontName');
  if (name === '' || fonts.has(name)) return name === '' ? FAMILY : name;
  // "NotoSerifJP-Regular", "Roboto Regular": the family with its style.
  const family = name.replace(/[-\s]?Regular$/i, '');
  if (fonts.has(family)) return family;
  schema.note(
    `there is no font ${JSON.stringify(name)}, ${FAMILY} stands for it; an operator adds fonts ` +
      'by INTAGLIO_FONTS_DIR',
    'fontName',
  );
  return FAMILY;
}

function linesOf(schema: SchemaReader): object {
  const lines = [
    ...(schema.flag('underline') ? ['underline'] : []),
    ...(schema.flag('strikethrough') ? ['lineThrough'] : []),
  ];
  return lines.length === 0 ? {} : { decoration: lines };
}

/** A text in its frame, with the rectangle behind it. */
export function textNodes(
  schema: SchemaReader,
  context: Import,
  text: string,
  field: string | null,
  fixed: { readonly verticalAlignment?: string } = {},
): readonly object[] {
  const frame = schema.frame();
  const degrees = schema.number('rotate', 0);
  const dynamic = schema.inner('dynamicFontSize');
  const isDynamic = schema.has('dynamicFontSize');
  const ownPt = schema.number('fontSize', SIZE_PT);
  const sizePt = isDynamic ? Math.max(1, dynamic.number('max', ownPt)) : ownPt;
  const look = lookOf(schema, context, sizePt);
  const own = schema.text('verticalAlignment');
  const vertical = fixed.verticalAlignment ?? (own === '' ? 'top' : own);
  const content = contentFrame(schema, frame);
  const fit = isDynamic ? fitOf(dynamic, look, content, schema.number('lineHeight', 1)) : {};
  reportText(schema);
  const node = { text, ...look.style, ...fit, ...spacedOnOneLine(schema, look, content) };
  const offset = {
    x: content.x - frame.x,
    y: content.y - frame.y + look.shiftPt(vertical),
  };
  const body =
    vertical === 'top'
      ? { columns: [{ width: content.width, ...node }] }
      : boxed(node, content, vertical);
  const behind = decoration(schema, frame);
  const shown = placed(body, frame, degrees, offset);
  if (behind === null) return [shown];
  // pdfme draws no frame around an empty value.
  return [{ ...placed(behind, frame, degrees), ...(field === null ? {} : { if: field }) }, shown];
}

/** The frame without borders and paddings. */
function contentFrame(schema: SchemaReader, frame: Frame): Frame {
  const border = schema.sides('borderWidth');
  const padding = schema.sides('padding');
  const left = border.left + padding.left;
  const top = border.top + padding.top;
  return {
    x: frame.x + left,
    y: frame.y + top,
    width: round(Math.max(1, frame.width - left - border.right - padding.right)),
    height: round(Math.max(1, frame.height - top - border.bottom - padding.bottom)),
  };
}

/**
 * Letters set apart: as in pdfmake, the room after the last letter of a word is missing where lines
 * are broken. A text of one line is not broken.
 */
function spacedOnOneLine(schema: SchemaReader, { sizePt }: TextLook, { height }: Frame): object {
  const spacing = schema.number('characterSpacing', 0);
  if (spacing === 0) return {};
  if (height < 2 * sizePt * schema.number('lineHeight', 1)) return { noWrap: true };
  schema.note(
    `each word stands ${spacing} pt nearer to the one before it: in text of several lines the ` +
      'spacing counts within words only',
    'characterSpacing',
  );
  return {};
}

/** A size between bounds: the largest that fits, as `shrink` finds it. */
function fitOf(
  dynamic: SchemaReader,
  { sizePt }: TextLook,
  { height }: Frame,
  lineHeight: number,
): object {
  const shrink = Math.max(1, dynamic.number('min', 4));
  const isHorizontal = dynamic.text('fit') === 'horizontal';
  // pdfme counts the first line by its ascent alone, about 0.07 of the size less than a line.
  const maxHeight = round(height + 0.07 * sizePt * lineHeight);
  return shrink < sizePt ? { shrink, maxHeight, ...(isHorizontal ? { noWrap: true } : {}) } : {};
}

/** Texts whose format, overflow and the like cannot be read. */
function reportText(schema: SchemaReader): void {
  if (schema.text('textFormat') === 'inline-markdown') {
    schema.note('inline Markdown is printed as it stands; write runs instead', 'textFormat');
  }
  if (schema.text('overflow') === 'expand') {
    schema.note('the text does not push down what stands below it', 'overflow');
  }
}

/** pdfme's placeholders in a static text: fields, and numbers of pages. */
export function staticText(schema: SchemaReader, context: Import, content: string): string {
  return escaped(content).replaceAll(/\{([^{}]+)\}/g, (whole, source: string) => {
    const name = source.trim();
    if (name === 'currentPage' || name === 'totalPages') {
      context.needsPageNumbers = true;
      return name === 'currentPage' ? '{{page}}' : '{{pages}}';
    }
    if (name === 'date' || name === 'dateTime') {
      const type = name === 'date' ? 'date' : 'text';
      const format = name === 'date' ? { format: { pattern: 'yyyy/MM/dd' } } : {};
      schema.note(`today's ${name} is a field now: the data says which`, 'content');
      return `{{${context.contract.add(name, type, false, format)}}}`;
    }
    if (/^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name)) {
      return `{{${context.contract.add(name, 'text', false)}}}`;
    }
    schema.note(
      `the expression ${JSON.stringify(whole.slice(0, 60))} is printed as it stands`,
      'content',
    );
    return whole;
  });
}

/** The text of a multiVariableText, each variable a field. */
export function variableText(schema: SchemaReader, context: Import): string {
  const isRequired = schema.flag('required');
  const samples = variableSamples(schema);
  schema.ignore('variables');
  return escaped(schema.text('text')).replaceAll(/\{([^{}]+)\}/g, (_, source: string) => {
    const name = source.trim();
    if (context.contract.has(name)) {
      schema.note(`the variable "${name}" prints the same field in every place that names it`);
    }
    const field = context.contract.add(name, 'text', isRequired);
    const sample = samples[name];
    if (typeof sample === 'string' && sample !== '') context.contract.addSample(field, sample);
    else if (isRequired) context.contract.addSample(field, 'x');
    return `{{${fieldName(name)}}}`;
  });
}

function variableSamples(schema: SchemaReader): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(schema.text('content') || '{}');
    return isObject(parsed) ? parsed : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

/** Two braces would begin a binding. */
function escaped(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`);
}
