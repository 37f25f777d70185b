import type { Run, TableNode, TextNode, TocNode, Width } from '../model/nodes.ts';
import type { TableLayout } from '../model/table-layout.ts';
import { PLAIN_NODE } from '../model/nodes.ts';
import type { TextStyle } from '../model/style.ts';
import { AmountPolicy } from './amounts/amounts.ts';
import type { Box, TocBox } from './box/blocks.ts';
import type { SizedBox } from './box/box.ts';
import { TablePlan } from './box/table/table-plan.ts';
import type { TextBox } from './box/text-box.ts';
import { TextPlan } from './box/text-plan.ts';
import { DataScope } from './scope.ts';

/** A text that tables of contents list, and the id that its entries link to. */
interface ContentsEntry {
  readonly box: TextBox;
  readonly text: string;
  readonly id: string;
}

/**
 * Fills the tables of contents once everything is measured, because they list texts that come after
 * them. Returns the ids that it gives to listed texts without one.
 */
export function fillContents(contents: readonly Box[]): ReadonlyMap<SizedBox, string> {
  const entries = new Map<string, ContentsEntry[]>();
  const tocs: TocBox[] = [];
  const ids = new Map<SizedBox, string>();
  const visit = (box: Box): void => {
    if (box.kind === 'toc') tocs.push(box);
    if (box.kind === 'text') recordEntry(box, entries, ids);
    for (const child of childrenOf(box)) visit(child);
  };
  for (const box of contents) visit(box);
  for (const toc of tocs) toc.entries = tableOf(toc.node, entries.get(toc.node.name) ?? []);
  return ids;
}

function recordEntry(
  box: TextBox,
  entries: Map<string, ContentsEntry[]>,
  ids: Map<SizedBox, string>,
): void {
  const { tocItem } = box.node;
  if (tocItem === null) return;
  let id = box.node.id ?? ids.get(box) ?? null;
  for (const name of tocItem.tocs) {
    const list = entries.get(name) ?? [];
    if (id === null) {
      id = `toc-${name}-${list.length}`;
      ids.set(box, id);
    }
    const text = box.runs.map((run) => run.text).join('');
    list.push({ box, text, id });
    entries.set(name, list);
  }
}

function childrenOf(box: Box): readonly Box[] {
  switch (box.kind) {
    case 'stack':
      return box.children;
    case 'columns':
      return box.columns.map((column) => column.box);
    case 'list':
      return box.entries.map((entry) => entry.box);
    case 'table':
      return box.rows.flatMap((row) =>
        row.phrases === null ? row.cells.flatMap((cell) => cell.box ?? []) : [],
      );
    case 'toc':
      return box.title === null ? [] : [box.title];
    case 'text':
    case 'graphic':
      return [];
  }
}

const NO_AMOUNTS = new AmountPolicy({ wideAmount: 'shrink', fields: [], amountColumns: [] });

/** A table with title and page number in each row; null when there are no entries. */
function tableOf(toc: TocNode, entries: readonly ContentsEntry[]): Box | null {
  if (entries.length === 0) return null;
  const sorted = toc.sortBy === 'title' ? sortByTitle(entries, toc.sortLocale) : entries;
  const node: TableNode = {
    ...blockBase(toc),
    kind: 'table',
    widths: WIDTHS,
    rows: sorted.map((entry) => rowOf(toc, entry)),
    headerRows: 0,
    keepWithHeaderRows: 0,
    dontBreakRows: true,
    heightPt: () => 'auto',
    layout: NO_BORDERS,
    role: 'contents',
  };
  return new TablePlan(node, (child) => {
    if (child.kind !== 'text') throw new Error('an entry of a table of contents is not a text');
    return new TextPlan(child, () => null, NO_AMOUNTS);
  }).box(new DataScope([]));
}

function sortByTitle(entries: readonly ContentsEntry[], locale: string): readonly ContentsEntry[] {
  const collator = new Intl.Collator(locale);
  return entries.toSorted((one, other) => collator.compare(one.text, other.text));
}

function rowOf(toc: TocNode, { box, text, id }: ContentsEntry): TableNode['rows'][number] {
  const item = box.node.tocItem;
  const margin = item?.margin ?? toc.textMargin;
  const style = item?.style ?? toc.textStyle;
  const numberStyle = item?.numberStyle ?? toc.numberStyle;
  const [, marginTop, , marginBottom] = margin;
  const numberMargin = [0, marginTop, 0, marginBottom] as const;
  const lang = box.node.lang ?? null;
  const [first] = box.node.runs;
  const words = first?.words === undefined ? {} : { words: first.words };
  const title = textNode(toc, 'left', margin, {
    ...entryRun(style, text, id, null, lang),
    ...words,
  });
  const pageNumber = entryRun(numberStyle, '', id, { kind: 'page', id }, lang);
  const number = textNode(toc, 'right', numberMargin, pageNumber);
  return {
    path: toc.path,
    conditions: [],
    each: null,
    cells: [title, number].map((node) => ({ ...PLAIN_CELL, node })),
  };
}

/** A run that links to the node with this id. */
function entryRun(
  style: TextStyle,
  text: string,
  id: string,
  reference: Run['reference'],
  lang: string | null,
): Run {
  return {
    conditions: [],
    each: null,
    text: [{ kind: 'static', text }],
    style,
    lineHeight: 1,
    background: null,
    decoration: null,
    noWrap: false,
    wordBreak: 'normal',
    preserveLeadingSpaces: false,
    script: null,
    link: { kind: 'destination', to: [{ kind: 'static', text: id }] },
    reference,
    id: null,
    lang,
  };
}

function textNode(
  toc: TocNode,
  alignment: TextNode['alignment'],
  margin: TextNode['margin'],
  run: Run,
): TextNode {
  return {
    ...blockBase(toc),
    kind: 'text',
    margin,
    runs: [run],
    alignment,
    leadingIndentPt: 0,
    maxHeightPt: null,
    shrinkPt: null,
  };
}

/** Properties of a plain block, whose faults are those of the table of contents. */
function blockBase({ path }: TocNode) {
  return { path, ...PLAIN_NODE };
}

const WIDTHS: readonly Width[] = [{ kind: 'star' }, { kind: 'auto' }];

const PLAIN_CELL = {
  colSpan: 1,
  rowSpan: 1,
  fill: null,
  fillOpacity: null,
  overlay: null,
  overlayOpacity: 1,
  border: null,
  borderColor: null,
  verticalAlignment: 'top',
} as const;

/** pdfmake's `noBorders` for two columns. */
const NO_BORDERS: TableLayout = {
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  hLineColor: () => 0,
  vLineColor: () => 0,
  hLineDash: () => null,
  vLineDash: () => null,
  paddingLeft: (column) => (column === 0 ? 0 : 4),
  paddingRight: (column, count) => (column < count - 1 ? 4 : 0),
  paddingTop: () => 2,
  paddingBottom: () => 2,
  fillColor: () => null,
  fillOpacity: () => 1,
  defaultBorder: true,
};
