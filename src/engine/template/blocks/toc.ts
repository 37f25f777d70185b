import { DEFAULT_TOC } from '../anchors.ts';
import { parseText } from '../fields/bindings.ts';
import { fourSides, pickStyle } from '../style/cascade.ts';
import type { Cascade } from '../style/cascade.ts';
import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { type Context, type CompileScope, isRepeated } from '../context.ts';
import { NAMED_STYLE_KEYS, TOC_KEYS } from '../vocabulary/keys.ts';
import type { RunSource } from '../vocabulary/keys.ts';
import type { NodeBase, TextTemplate, TocItem, TocNode } from '../../model/nodes.ts';
import type { TextStyle } from '../../model/style.ts';

/** Declares the id of a node or run, and compiles its contents entry and its outline entry. */
export function compileAnchors(
  own: RunSource,
  path: string,
  context: Context,
  scope: CompileScope,
): Pick<NodeBase, 'tocItem' | 'outline'> {
  if (own.id !== undefined) context.anchors.declare(own.id, `${path}.id`, isRepeated(scope));
  const tocItem = compileTocItem(own, path, context);
  return { tocItem, outline: compileOutline(own, tocItem, path, context, scope) };
}

function compileTocItem(own: RunSource, path: string, context: Context): TocItem | null {
  const { tocItem } = own;
  if (tocItem === undefined || tocItem === false) return null;
  const names = Array.isArray(tocItem) ? tocItem : [tocItem];
  const tocs = names.map((name) => (typeof name === 'string' ? name : DEFAULT_TOC));
  for (const toc of tocs) context.anchors.addTocItem(toc, `${path}.tocItem`);
  return {
    tocs,
    style: optionalStyle(own.tocStyle, `${path}.tocStyle`, context),
    numberStyle: optionalStyle(own.tocNumberStyle, `${path}.tocNumberStyle`, context),
    margin: own.tocMargin === undefined ? null : fourSides(own.tocMargin),
  };
}

function compileOutline(
  own: RunSource,
  tocItem: TocItem | null,
  path: string,
  context: Context,
  scope: CompileScope,
): NodeBase['outline'] {
  // A table of contents may ask for outline entries of all its items.
  const isInOutlinedToc = tocItem?.tocs.some((toc) => context.anchors.hasOutlines(toc)) ?? false;
  if (own.outline !== true && !isInOutlinedToc) return null;
  const title =
    own.outlineText === undefined
      ? null
      : parseText(own.outlineText, `${path}.outlineText`, context, scope);
  const level = context.anchors.outlineLevel(own.id ?? null, own.outlineParentId ?? null, path);
  return { level, title, expanded: own.outlineExpanded ?? false };
}

function optionalStyle(source: unknown, path: string, context: Context): TextStyle | null {
  if (source === undefined) return null;
  return compileNamedStyle(source, path, context, context.defaultStyle);
}

/** A style given by name, by names or in place, over `base`. */
export function compileNamedStyle(
  source: unknown,
  path: string,
  context: Context,
  base: Cascade,
): TextStyle {
  return context.textStyles.of(namedCascade(source, path, context, base), path);
}

function namedCascade(source: unknown, path: string, context: Context, base: Cascade): Cascade {
  if (typeof source === 'string') return context.styles.enter(base, { style: source }, path);
  if (Array.isArray(source)) {
    let cascade = base;
    source.forEach((item, index) => {
      cascade = namedCascade(item, `${path}[${index}]`, context, cascade);
    });
    return cascade;
  }
  if (isObject(source)) {
    const own = checkObject(source, path, NAMED_STYLE_KEYS, context.findings);
    return { ...base, ...pickStyle(own) };
  }
  context.findings.error(path, 'must be a style name, an array of names, or a style object.');
  return base;
}

/** Records the text of a contents entry: the fonts of the table of contents must have its glyphs. */
export function recordTocText(
  item: TocItem,
  text: TextTemplate,
  path: string,
  context: Context,
): void {
  for (const toc of item.tocs) context.anchors.addTocText(toc, item, text, path);
}

/** A table of contents; its entries are the nodes with a `tocItem` of its name. */
export function compileToc(
  source: unknown,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): TocNode {
  const object = checkIsObject(source, path, context.findings) ?? {};
  const own = checkObject(object, path, TOC_KEYS, context.findings);
  const name = own.id ?? DEFAULT_TOC;
  context.anchors.declareToc(name, path);
  const styleOf = (style: unknown, key: string): TextStyle =>
    compileNamedStyle(style ?? {}, `${path}.${key}`, context, scope.style);
  const textStyle = styleOf(own.textStyle, 'textStyle');
  const numberStyle = styleOf(own.numberStyle ?? own.textStyle, 'numberStyle');
  context.anchors.setTocStyles(name, { text: textStyle, number: numberStyle });
  return {
    ...base,
    kind: 'toc',
    name,
    title: own.title === undefined ? null : context.block(own.title, `${path}.title`, scope).node,
    textStyle,
    numberStyle,
    textMargin: fourSides(own.textMargin ?? 0),
    sortBy: own.sortBy ?? 'page',
    sortLocale: sortLocaleOf(own.sortLocale, `${path}.sortLocale`, context),
    hideEmpty: own.hideEmpty ?? false,
  };
}

/** Gives the language that sorts titles: the given one or the template's; `en` for a wrong tag. */
function sortLocaleOf(source: string | undefined, path: string, context: Context): string {
  const locale = source ?? context.language;
  try {
    Intl.Collator.supportedLocalesOf(locale);
    return locale;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (source !== undefined) context.findings.error(path, 'must be a language tag such as "th".');
    return 'en';
  }
}
