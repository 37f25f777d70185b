import { ensureSyntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type SyntaxNode = NonNullable<ReturnType<typeof ensureSyntaxTree>>['topNode'];

export type Side = 'above' | 'below';

/** A new line or row, and where the cursor stands in it. */
export interface LineInsertion {
  readonly from: number;
  readonly insert: string;
  readonly cursor: number;
}

/** Keys of the lists whose entries stand below each other on the page. */
const LINES: ReadonlySet<string> = new Set(['content', 'stack', 'ul', 'ol', 'header', 'footer']);
const ROWS = 'body';

const VALUES: ReadonlySet<string> = new Set([
  'Object',
  'Array',
  'String',
  'Number',
  'True',
  'False',
  'Null',
]);

const PARSE_MS_MAX = 200;

/**
 * What to insert above or below the line of the content, or the row of the table, in which `pos`
 * stands; null: it stands in none. The text has to be JSON.
 */
export function lineInsertion(state: EditorState, pos: number, side: Side): LineInsertion | null {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS_MAX);
  if (tree === null) return null;
  // A cursor between two entries touches both: the smaller one that holds it is meant.
  const places = ([-1, 1] as const)
    .map((bias) => placeOf(state, tree.resolveInner(pos, bias), pos))
    .filter((place) => place !== null)
    .toSorted((a, b) => a.list.to - a.list.from - (b.list.to - b.list.from));
  const [place] = places;
  return place === undefined ? null : insertionAt(state, place, side);
}

/** A list of lines or rows, and the one that is meant; null: the list is empty. */
interface Place {
  readonly list: SyntaxNode;
  readonly kind: 'line' | 'row';
  readonly entry: SyntaxNode | null;
}

function placeOf(state: EditorState, start: SyntaxNode, pos: number): Place | null {
  for (let node: SyntaxNode | null = start; node !== null; node = node.parent) {
    const kind = kindOf(state, node);
    if (kind === null) continue;
    const { to: lineEnd } = state.doc.lineAt(pos);
    const entries = valuesIn(node);
    const entry =
      entries.find(({ from, to }) => from <= pos && pos <= to) ??
      entries.findLast(({ from }) => from <= lineEnd) ??
      entries[0];
    return { list: node, kind, entry: entry ?? null };
  }
  return null;
}

function kindOf(state: EditorState, { name, parent }: SyntaxNode): Place['kind'] | null {
  if (name !== 'Array' || parent?.name !== 'Property') return null;
  const key = keyOf(state, parent);
  if (key === ROWS) return 'row';
  return LINES.has(key) ? 'line' : null;
}

function keyOf(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild('PropertyName');
  return name === null ? '' : state.sliceDoc(name.from + 1, name.to - 1);
}

function valuesIn(node: SyntaxNode): readonly SyntaxNode[] {
  const values: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (VALUES.has(child.name)) values.push(child);
  }
  return values;
}

function insertionAt(state: EditorState, { list, kind, entry }: Place, side: Side): LineInsertion {
  const isText = entry === null ? kind === 'line' : entry.name === 'String';
  const made = kind === 'row' ? newRow(state, list, entry) : isText ? '""' : '{ "text": "" }';
  const at = side === 'above' && entry !== null ? entry.from : (entry?.to ?? list.from + 1);
  const gap = entry === null ? '' : gapBefore(state, entry);
  const before = side === 'above' || entry === null ? '' : `,${gap}`;
  const after = side === 'above' && entry !== null ? `,${gap}` : '';
  const cursor = at + before.length + made.indexOf('""') + 1;
  return { from: at, insert: `${before}${made}${after}`, cursor };
}

/** What separates an entry from the one before: a line break with its indent, or a blank. */
function gapBefore(state: EditorState, { from }: SyntaxNode): string {
  const indent = state.sliceDoc(state.doc.lineAt(from).from, from);
  return indent.trim() === '' ? `\n${indent}` : ' ';
}

/** A row with as many empty cells as the row beside it; else as the first row that has its cells. */
function newRow(state: EditorState, body: SyntaxNode, row: SyntaxNode | null): string {
  const rows = [...(row === null ? [] : [row]), ...valuesIn(body)];
  const count = rows.map((one) => cellsOf(state, one)).find((cells) => cells > 0);
  return `[${Array.from({ length: count ?? 1 }, () => '""').join(', ')}]`;
}

/** Number of cells of a row, which is a list or repeats one for each entry of a field; 0: none. */
function cellsOf(state: EditorState, row: SyntaxNode): number {
  if (row.name === 'Array') return valuesIn(row).length;
  const cells = row.getChildren('Property').find((one) => keyOf(state, one) === 'cells');
  const list = cells?.getChild('Array') ?? null;
  return list === null ? 0 : valuesIn(list).length;
}
