import { fitsQrCode } from '../../qr/capacity.ts';
import type { SvgElement } from '../../svg/tree.ts';
import { lonePlaceholder, parseText, staticText } from '../fields/bindings.ts';
import type { FontStack } from '../../font/font.ts';
import { BLACK, WHITE } from '../../model/color.ts';
import type { Context, CompileScope } from '../context.ts';
import type { NodeSource } from '../vocabulary/keys.ts';
import type {
  ImageNode,
  NodeBase,
  QrNode,
  SizeBounds,
  SvgNode,
  TextNode,
  TextTemplate,
} from '../../model/nodes.ts';
import { reportCodeColors } from './code-colors.ts';
import { compileLink } from './runs.ts';
import { svgFindings } from './svg-findings.ts';
import { rgbOf } from '../style/textstyle.ts';

type MediaNode = ImageNode | SvgNode | QrNode | TextNode;

interface SizeSource {
  readonly width?: number | string;
  readonly height?: number;
  readonly fit?: readonly [number, number];
  readonly minWidth?: number;
  readonly maxWidth?: number;
  readonly minHeight?: number;
  readonly maxHeight?: number;
}

type MediaSize = Pick<ImageNode, 'widthPt' | 'heightPt' | 'fit' | 'bounds'>;

function sizeOf(own: SizeSource): MediaSize {
  return {
    // In columns, a `width` of "auto" or "*" is that of the column, not of the picture.
    widthPt: typeof own.width === 'number' && own.width > 0 ? own.width : null,
    heightPt: own.height === undefined || own.height === 0 ? null : own.height,
    fit: own.fit ?? null,
    bounds: boundsOf(own),
  };
}

function boundsOf({ minWidth, maxWidth, minHeight, maxHeight }: SizeSource): SizeBounds | null {
  const bounds = [minWidth, maxWidth, minHeight, maxHeight];
  if (bounds.every((bound) => bound === undefined)) return null;
  return {
    widthMaxPt: maxWidth ?? null,
    heightMaxPt: maxHeight ?? null,
    widthMinPt: minWidth ?? null,
    heightMinPt: minHeight ?? null,
  };
}

export function compileImage(
  own: NodeSource<'image'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): MediaNode {
  const source = imageSource(own.image ?? '', path, context);
  if (source === null) return emptyText(base);
  return placed(own, source, base, context, scope);
}

/** A page of a PDF: placed, scaled and cut as an image is. */
export function compilePdf(
  own: NodeSource<'pdf'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): MediaNode {
  const page = context.letterheads.page(own.pdf ?? '', own.page ?? 1, path);
  if (page === null) return emptyText(base);
  return placed(own, { kind: 'static', image: page }, base, context, scope);
}

function placed(
  own: NodeSource<'image'> | NodeSource<'pdf'>,
  source: ImageNode['source'],
  base: NodeBase,
  context: Context,
  scope: CompileScope,
): ImageNode {
  const { cover } = own;
  return {
    ...base,
    kind: 'image',
    source,
    ...sizeOf(own),
    cover:
      cover === undefined
        ? null
        : {
            widthPt: cover.width,
            heightPt: cover.height,
            align: cover.align ?? 'center',
            valign: cover.valign ?? 'center',
          },
    opacity: own.opacity ?? 1,
    alignment: scope.style.alignment ?? 'left',
    link: compileLink(own, base.path, context, scope),
  };
}

function imageSource(source: string, path: string, context: Context): ImageNode['source'] | null {
  const name = lonePlaceholder(source);
  if (name !== null) {
    const field = context.fields.bind(name, path, ['image'], 'an image');
    return field === null ? null : { kind: 'field', field };
  }
  if (source.includes('{{')) {
    context.findings.error(path, 'An image is bound by one placeholder alone: "{{name}}".');
    return null;
  }
  const image = context.assets.image(source, path);
  return image === null ? null : { kind: 'static', image };
}

export function compileSvg(
  own: NodeSource<'svg'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): MediaNode {
  const source = svgSource(own.svg ?? '', path, context);
  if (source === null) return emptyText(base);
  const textStyle = context.textStyles.of(scope.style, base.path);
  if (source.kind === 'static') recordSvgText(source.root, path, context, scope);
  else {
    context.uses.drawnFields.add(source.field);
    recordFieldText(textStyle.stack, path, context, scope);
  }
  return {
    ...base,
    kind: 'svg',
    source,
    ...sizeOf(own),
    alignment: scope.style.alignment ?? 'left',
    textStyle,
    link: compileLink(own, base.path, context, scope),
  };
}

function svgSource(source: string, path: string, context: Context): SvgNode['source'] | null {
  const name = lonePlaceholder(source);
  if (name !== null) {
    const field = context.fields.bind(name, path, ['svg'], 'an svg');
    return field === null ? null : { kind: 'field', field };
  }
  if (source.includes('{{')) {
    const message = 'Static SVG holds no placeholders; bind a field of type svg by "{{name}}".';
    context.findings.error(path, message);
    return null;
  }
  const root = context.assets.svg(source, path);
  if (root === null) return null;
  for (const { at, message } of svgFindings(root))
    context.findings.warning(path, `${at}: ${message}`);
  return { kind: 'static', root };
}

/** A caller's SVG may set text in any style: glyphs of the other styles are added per document. */
function recordFieldText(
  own: FontStack,
  path: string,
  context: Context,
  scope: CompileScope,
): void {
  context.uses.addFreeText(own);
  for (const bold of [false, true]) {
    for (const italics of [false, true]) {
      const { stack } = context.textStyles.of({ ...scope.style, bold, italics }, path);
      context.uses.addText(stack, '', path);
    }
  }
}

/** The texts of a static SVG in the styles its attributes ask for. */
function recordSvgText(
  root: SvgElement,
  path: string,
  context: Context,
  scope: CompileScope,
): void {
  const visit = (element: SvgElement, bold: boolean, italics: boolean, font: string): void => {
    const weight = propertyOf(element, 'font-weight');
    const slant = propertyOf(element, 'font-style');
    const isBold = weight === null ? bold : /^(bold|bolder|[6-9]00)$/.test(weight);
    const isItalic = slant === null ? italics : /^(italic|oblique)/.test(slant);
    const family = familyOf(propertyOf(element, 'font-family'), context) ?? font;
    for (const child of element.children) {
      if (typeof child !== 'string') visit(child, isBold, isItalic, family);
      else if (child.trim() !== '') {
        const cascade = { ...scope.style, bold: isBold, italics: isItalic };
        const withFont = family === '' ? cascade : { ...cascade, font: family };
        context.uses.addText(context.textStyles.of(withFont, path).stack, child, path);
      }
    }
  };
  visit(root, scope.style.bold ?? false, scope.style.italics ?? false, '');
}

function propertyOf(element: SvgElement, name: string): string | null {
  const declared = element.attributes.get('style') ?? '';
  for (const declaration of declared.split(';')) {
    const [key = '', value = ''] = declaration.split(':');
    if (key.trim() === name) return value.trim();
  }
  return element.attributes.get(name)?.trim() ?? null;
}

function familyOf(list: string | null, { fonts }: Context): string | null {
  const names = (list ?? '').split(',').map((name) => name.trim().replaceAll(/["']/g, ''));
  return names.find((name) => fonts.has(name)) ?? null;
}

export function compileQr(
  own: NodeSource<'qr'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): MediaNode {
  const text = parseText(String(own.qr ?? ''), path, context, scope);
  const node: QrNode = {
    ...base,
    kind: 'qr',
    text,
    fitPt: own.fit ?? null,
    version: own.version ?? null,
    eccLevel: own.eccLevel ?? 'L',
    mask: own.mask === undefined || own.mask < 0 ? null : own.mask,
    mode: own.mode ?? null,
    foreground: rgbOf(own.foreground) ?? BLACK,
    background: rgbOf(own.background) ?? WHITE,
    paddingModules: own.padding ?? 0,
    alignment: scope.style.alignment ?? 'left',
  };
  recordQrUse(node, text, path, context);
  reportCodeColors(node, context);
  return node;
}

/** Checks a static text; for a bound one, records what its value has to fit into. */
function recordQrUse(node: QrNode, text: TextTemplate, path: string, context: Context): void {
  const { eccLevel, version, mode } = node;
  const whole = staticText(text);
  if (whole !== null) {
    const fits = fitsQrCode(whole, { eccLevel, version, mode, before: '', after: '' });
    if (!fits) context.findings.error(path, 'This text does not fit a QR code of these settings.');
    return;
  }
  const before: string[] = [];
  const after: string[] = [];
  let name: string | null = null;
  for (const part of text) {
    if (part.kind === 'static') (name === null ? before : after).push(part.text);
    else if (part.kind === 'field') name ??= context.fields.fields[part.field]?.name ?? null;
    else if (part.kind === 'entry') name ??= context.fields.entryName(part.field, part.of);
  }
  if (name === null) return;
  const uses = context.qrUses.get(name) ?? [];
  uses.push({ eccLevel, version, mode, before: before.join(''), after: after.join('') });
  context.qrUses.set(name, uses);
}

/** Stands in for a node that cannot be compiled; its finding stops the template. */
function emptyText(base: NodeBase): TextNode {
  return {
    ...base,
    kind: 'text',
    runs: [],
    alignment: 'left',
    leadingIndentPt: 0,
    maxHeightPt: null,
    shrinkPt: null,
  };
}
