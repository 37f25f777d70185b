import type { FontLibrary } from '#engine';
import type { ImportedContract } from './contract.ts';
import { fieldName } from './contract.ts';
import { boxed, decoration, placed } from './place.ts';
import type { Frame, SchemaReader } from './schema-reader.ts';
import { isObject, round } from './schema-reader.ts';

/** State that the readers of schemas share. */
export interface Import {
  readonly contract: ImportedContract;
  readonly fonts: FontLibrary;
  /** Set when a schema prints page numbers, which are known only in page headers. */
  needsPageNumbers: boolean;
}

/** pdfme's default font family. */
export const FAMILY = 'Roboto';
const SIZE_PT = 13;

/** The style of a text, and how its lines must be shifted. */
export interface TextLook {
  readonly style: object;
  readonly sizePt: number;
  /**
   * Distance by which the first line lies lower in pdfme than in our layout: pdfme adds half of the
   * extra line height above a line, we add all of it below.
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
  // Names such as "NotoSerifJP-Regular" or "Roboto Regular" include the style.
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

/** Nodes of a text and the rectangle behind it. */
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

/** The frame less borders and paddings. */
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
 * Character spacing: as in pdfmake, text that may wrap lacks the spacing after the last letter of
 * each word. Text of one line is set not to wrap.
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

/** Maps a dynamic font size to `shrink`, which finds the largest size that fits. */
function fitOf(
  dynamic: SchemaReader,
  { sizePt }: TextLook,
  { height }: Frame,
  lineHeight: number,
): object {
  const shrink = Math.max(1, dynamic.number('min', 4));
  const isHorizontal = dynamic.text('fit') === 'horizontal';
  // pdfme counts only the ascent of the first line, about 0.07 of the size less than a line.
  const maxHeight = round(height + 0.07 * sizePt * lineHeight);
  return shrink < sizePt ? { shrink, maxHeight, ...(isHorizontal ? { noWrap: true } : {}) } : {};
}

/** Notes settings of a text that have no counterpart. */
function reportText(schema: SchemaReader): void {
  if (schema.text('textFormat') === 'inline-markdown') {
    schema.note('inline Markdown is printed as it stands; write runs instead', 'textFormat');
  }
  if (schema.text('overflow') === 'expand') {
    schema.note('the text does not push down what stands below it', 'overflow');
  }
}

/** Converts pdfme's placeholders in a static text to those of fields and page numbers. */
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

/** The text of a multiVariableText with a field for each variable. */
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

/** Escapes two braces, which would begin a placeholder. */
function escaped(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`);
}
