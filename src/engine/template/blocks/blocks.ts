import { LIMITS } from '../../../limits.ts';
import { compileBarcode } from './barcode.ts';
import { checkObject } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { compileVectors } from './canvas.ts';
import { compileColumns, compileList } from './containers.ts';
import type { CompiledBlock, Context, CompileScope } from '../context.ts';
import { shown } from '../vocabulary/findings.ts';
import { parseText } from '../fields/bindings.ts';
import { enterRepetition } from './repetition.ts';
import { NODE_KEYS } from '../vocabulary/keys.ts';
import type { BlockSource, NodeKind, NodeSource } from '../vocabulary/keys.ts';
import { compileImage, compilePdf, compileQr, compileSvg } from './media.ts';
import { groupEnd, groupScope } from '../computed/views.ts';
import { type Node, type NodeBase, PLAIN_NODE } from '../../model/nodes.ts';
import { compileRuns } from './runs.ts';
import { compileTable } from './table.ts';
import { compileAnchors, compileToc, recordTocText } from './toc.ts';

const KINDS = Object.keys(NODE_KEYS) as readonly NodeKind[];

/** pdfmake's shorthands: an array is a stack, a string, number or boolean a text, {} an empty line. */
function expand(
  source: unknown,
): { readonly object: JsonObject; readonly isShort: boolean } | null {
  if (Array.isArray(source)) return { object: { stack: source }, isShort: true };
  if (source === null || source === undefined) return { object: { text: '' }, isShort: true };
  if (isObject(source)) {
    const isEmpty = Object.keys(source).length === 0;
    return isEmpty ? { object: { text: '' }, isShort: true } : { object: source, isShort: false };
  }
  if (typeof source === 'string' || typeof source === 'number' || typeof source === 'boolean') {
    return { object: { text: source }, isShort: true };
  }
  return null;
}

/** Compiles a node of any kind; a fault becomes a finding and an empty text. */
export function compileBlock(
  source: unknown,
  path: string,
  context: Context,
  scope: CompileScope,
): CompiledBlock {
  const expanded = expand(source);
  if (expanded === null || scope.depth > LIMITS.nodeDepthMax) {
    const message =
      expanded === null
        ? `must be a node, not ${shown(source)}.`
        : `Nodes are nested more than ${LIMITS.nodeDepthMax} deep.`;
    context.findings.error(path, message);
    return emptyBlock(path, context, scope);
  }
  const { object, isShort } = expanded;
  const kind = kindOf(object, path, context);
  if (kind === null) return emptyBlock(path, context, scope);
  // The content of a shorthand stands at the node's own path.
  const at = isShort ? path : `${path}.${kind}`;
  return compileKind(kind, object, { path, at }, context, { ...scope, depth: scope.depth + 1 });
}

function kindOf(source: JsonObject, path: string, { findings }: Context): NodeKind | null {
  const found = KINDS.filter((kind) => source[kind] !== undefined && source[kind] !== null);
  const [kind, second] = found;
  if (kind !== undefined) {
    if (second === undefined) return kind;
    findings.error(path, `A node is one thing: "${kind}" and "${second}" cannot stand together.`);
    return null;
  }
  if ('pageReference' in source || 'textReference' in source || 'text' in source) return 'text';
  if ('section' in source) {
    findings.error(path, '"section" stands directly in content only.');
    return null;
  }
  const keys = Object.keys(source);
  const hint =
    keys.map((key) => findings.suggestion(key, KINDS)).find((text) => text !== '') ?? '.';
  findings.error(path, `This node has none of ${KINDS.map((k) => `"${k}"`).join(', ')}${hint}`);
  return null;
}

function emptyBlock(path: string, context: Context, scope: CompileScope): CompiledBlock {
  return compileKind('text', { text: '' }, { path, at: path }, context, scope);
}

/** A node's own path, and the path of the value at its kind's key. */
export interface NodePath {
  readonly path: string;
  readonly at: string;
}

function compileKind(
  kind: NodeKind,
  source: JsonObject,
  paths: NodePath,
  context: Context,
  outer: CompileScope,
): CompiledBlock {
  const { path, at } = paths;
  const own = checkObject(source, path, NODE_KEYS[kind], context.findings) as BlockSource;
  const { base: plain, scope } = enterNode(own, path, context, outer);
  const base = withAlt(plain, source['alt'], context, scope);
  // `own` was checked against the table of this very kind.
  const as = <K extends NodeKind>(): NodeSource<K> => own as NodeSource<K>;
  const finish = (node: Node): CompiledBlock => ({
    node: own.groupBy === undefined ? node : withGroupEnds(node, own, path, context, scope),
    own,
    style: scope.style,
  });
  switch (kind) {
    case 'text':
      return finish(compileText(as<'text'>(), source['text'], base, paths, context, scope));
    case 'stack':
      return finish({
        ...base,
        kind,
        children: compileChildren(as<'stack'>().stack ?? [], at, context, scope),
      });
    case 'columns':
      return finish(compileColumns(as<'columns'>(), base, at, context, scope));
    case 'ul':
      return finish(compileList({ ...as<'ul'>(), items: as<'ul'>().ul }, base, at, context, scope));
    case 'ol':
      return finish(
        compileList(
          { ...as<'ol'>(), items: as<'ol'>().ol, ordered: true },
          base,
          at,
          context,
          scope,
        ),
      );
    case 'table':
      return finish(compileTable(as<'table'>(), base, at, context, scope));
    case 'toc':
      return finish(compileToc(as<'toc'>().toc, base, at, context, scope));
    case 'image':
      return finish(compileImage(as<'image'>(), base, at, context, scope));
    case 'svg':
      return finish(compileSvg(as<'svg'>(), base, at, context, scope));
    case 'pdf':
      return finish(compilePdf(as<'pdf'>(), base, at, context, scope));
    case 'qr':
      return finish(compileQr(as<'qr'>(), base, at, context, scope));
    case 'barcode':
      return finish(compileBarcode(as<'barcode'>(), base, path, context, scope));
    case 'canvas': {
      const drawn = compileVectors(as<'canvas'>().canvas ?? [], at, context);
      const alignment = scope.style.alignment ?? 'left';
      return finish({ ...base, kind, ...drawn, alignment });
    }
  }
}

/** A node that is repeated in groups, with what stands before and behind the entries of each. */
function withGroupEnds(
  node: Node,
  own: BlockSource,
  path: string,
  context: Context,
  scope: CompileScope,
): Node {
  const { each } = node;
  if (each === null) return node;
  const endOf = (key: 'groupHeader' | 'groupFooter'): readonly Node[] => {
    if (own[key] === undefined) return [];
    const end = groupEnd(each, key === 'groupHeader' ? 'first' : 'last');
    const block = context.block(own[key], `${path}.${key}`, groupScope(scope, end));
    return [{ ...block.node, conditions: [...block.node.conditions, end] }];
  };
  const entry = { ...node, conditions: [], each: null };
  const children = [...endOf('groupHeader'), entry, ...endOf('groupFooter')];
  return { ...PLAIN_NODE, path, kind: 'stack', each, conditions: node.conditions, children };
}

/** The text that stands for a picture; a value of a wrong type is a finding already. */
function withAlt(base: NodeBase, alt: unknown, context: Context, scope: CompileScope): NodeBase {
  if (typeof alt !== 'string') return base;
  return { ...base, alt: parseText(alt, `${base.path}.alt`, context, scope) };
}

/** Reads the properties common to all kinds: style, flow, margins, position, anchors. */
function enterNode(
  own: BlockSource,
  path: string,
  context: Context,
  outer: CompileScope,
): { readonly base: NodeBase; readonly scope: CompileScope } {
  const flow = enterRepetition(own, path, context, outer);
  const style = context.styles.enter(outer.style, own, path);
  const scope: CompileScope = { ...flow.scope, style };
  if (own.pageOrientation !== undefined) {
    const message =
      'pageOrientation works beside pageBreak on a node that stands directly in content, ' +
      'without "if" and "each"; elsewhere use a section.';
    context.findings.error(`${path}.pageOrientation`, message);
  }
  const base: NodeBase = {
    path,
    conditions: flow.conditions,
    each: flow.each,
    margin: context.styles.margin(own),
    pageBreak: own.pageBreak ?? null,
    unbreakable: own.unbreakable ?? false,
    absolutePosition: turnedPositionOf(own.absolutePosition),
    relativePosition: positionOf(own.relativePosition),
    id: own.id ?? null,
    headlineLevel: own.headlineLevel ?? null,
    keepWithNext: own.keepWithNext ?? false,
    role: own.role ?? null,
    lang:
      style.language === undefined || style.language === context.language ? null : style.language,
    ...compileAnchors(own, path, context, scope),
  };
  return { base, scope };
}

function positionOf(
  source: BlockSource['relativePosition'],
): { readonly x: number; readonly y: number } | null {
  return source === undefined ? null : { x: source.x ?? 0, y: source.y ?? 0 };
}

function turnedPositionOf(source: BlockSource['absolutePosition']): NodeBase['absolutePosition'] {
  return source === undefined
    ? null
    : { x: source.x ?? 0, y: source.y ?? 0, rotate: source.rotate ?? 0 };
}

function compileText(
  own: NodeSource<'text'>,
  source: unknown,
  base: NodeBase,
  { path, at }: NodePath,
  context: Context,
  scope: CompileScope,
): Node {
  const { runs, first, tocItem, outline } = compileRuns(source, at, context, scope, own, path);
  const style = first ?? scope.style;
  const node: Node = {
    ...base,
    tocItem: base.tocItem ?? tocItem,
    outline: base.outline ?? outline,
    kind: 'text',
    runs,
    // pdfmake aligns a line as its first run says.
    alignment: style.alignment ?? 'start',
    leadingIndentPt: style.leadingIndent ?? 0,
    ...(style.lineBreaking === undefined ? {} : { lineBreaking: style.lineBreaking }),
    maxHeightPt: own.maxHeight ?? null,
    shrinkPt: own.shrink ?? null,
    orphans: own.orphans ?? 1,
    widows: own.widows ?? 1,
  };
  if (node.tocItem !== null) {
    for (const run of runs) recordTocText(node.tocItem, run.text, path, context);
  }
  return node;
}

export function compileChildren(
  sources: readonly unknown[],
  path: string,
  context: Context,
  scope: CompileScope,
): readonly Node[] {
  return sources.map((source, index) => context.block(source, `${path}[${index}]`, scope).node);
}
