import type { Context, CompileScope } from '../context.ts';
import type { NodeSource } from '../vocabulary/keys.ts';
import type {
  Column,
  ColumnsNode,
  ListItem,
  ListNode,
  NodeBase,
  Width,
} from '../../model/nodes.ts';
import type { WidthSource } from '../vocabulary/values.ts';
import { rgbOf } from '../style/textstyle.ts';

/** `*`, `auto`, `30%` or points; nothing given means a share of the rest, as in pdfmake. */
export function compileWidth(source: WidthSource | undefined): Width {
  if (source === undefined || source === '*' || source === 'star') return { kind: 'star' };
  if (source === 'auto') return { kind: 'auto' };
  if (typeof source === 'number') return { kind: 'fixed', pt: source };
  return { kind: 'percent', percent: Number.parseFloat(source) };
}

export function compileColumns(
  own: NodeSource<'columns'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): ColumnsNode {
  const sources = own.columns ?? [];
  const gapPt = scope.style.columnGap ?? 0;
  const columns = sources.map((source, index): Column => {
    const inner: CompileScope = { ...scope, room: null };
    const block = context.block(source, `${path}[${index}]`, inner);
    return {
      width: compileWidth(block.own.width),
      node: block.node,
      verticalAlignment: block.own.verticalAlignment ?? 'top',
    };
  });
  reportWideColumns(columns, gapPt, path, context, scope);
  return { ...base, kind: 'columns', columns, gapPt, snaking: own.snakingColumns ?? false };
}

function reportWideColumns(
  columns: readonly Column[],
  gapPt: number,
  path: string,
  context: Context,
  scope: CompileScope,
): void {
  const widths = columns.map(({ width }) => width);
  const gaps = gapPt * Math.max(0, columns.length - 1);
  reportWidths(widths, gaps, path, context, scope);
}

/** Reports fixed and percent widths that need more room than there is. */
export function reportWidths(
  widths: readonly Width[],
  extraPt: number,
  path: string,
  context: Context,
  { room }: CompileScope,
): void {
  if (room === null) return;
  let needed = extraPt;
  for (const width of widths) {
    if (width.kind === 'fixed') needed += width.pt;
    else if (width.kind === 'percent') needed += (width.percent / 100) * room.contentPt;
  }
  const over = needed - room.contentPt;
  if (over <= 0.5) return;
  const message =
    `The widths need ${points(needed)} points with gaps and borders, ` +
    `the page has ${points(room.contentPt)} between its margins; take ${points(over)} away.`;
  if (needed > room.paperPt + 0.5) context.findings.error(path, message);
  else context.findings.warning(path, message);
}

function points(value: number): string {
  return String(Math.round(value * 10) / 10);
}

type ListSource = Partial<Omit<NodeSource<'ol'>, 'type'>> &
  Pick<NodeSource<'ul'>, never> & {
    readonly type?: string;
    readonly items: readonly unknown[] | undefined;
    readonly ordered?: boolean;
  };

export function compileList(
  own: ListSource,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): ListNode {
  const ordered = own.ordered ?? false;
  const sources = own.items ?? [];
  const separator = separatorOf(own.separator);
  const markerColor = scope.style.markerColor ?? scope.style.color;
  const markerCascade = markerColor === undefined ? {} : { color: markerColor };
  const markerStyle = context.textStyles.of({ ...scope.style, ...markerCascade }, path);
  const inner: CompileScope = { ...scope, room: null };
  const items = sources.map((source, index): ListItem => {
    const { node, own: item, style } = context.block(source, `${path}[${index}]`, inner);
    return {
      node,
      counter: item.counter ?? null,
      listType: item.listType ?? null,
      markerColor: style.markerColor === scope.style.markerColor ? null : rgbOf(style.markerColor),
    };
  });
  const type = own.type ?? (ordered ? 'decimal' : 'disc');
  if (ordered) {
    for (const sign of [...separator, '0123456789-', LETTERS, '9. ']) {
      context.uses.addText(markerStyle.stack, sign, path);
    }
  }
  return {
    ...base,
    kind: 'list',
    ordered,
    type,
    start: startOf(own, items, path, context),
    reversed: own.reversed ?? false,
    separator,
    markerStyle,
    items,
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Text before and after a number; pdfmake takes an empty one for the default. */
function separatorOf(
  source: string | readonly [string, string] | undefined,
): ListNode['separator'] {
  if (source === undefined || source === '') return ['', '.'];
  return typeof source === 'string' ? ['', source] : source;
}

function startOf(
  own: ListSource,
  items: readonly ListItem[],
  path: string,
  { findings }: Context,
): number {
  if (own.start !== undefined) return own.start;
  if (own.reversed !== true) return 1;
  if (items.some(({ node }) => node.each !== null)) {
    findings.error(path, 'A reversed list with "each" needs "start": its length is not known.');
  }
  return items.length;
}
