import type { DecodeBudget } from '../image/decode-budget.ts';
import type { QrUse } from '../qr/capacity.ts';
import type { FontLibrary } from '../font/font.ts';
import type { AmountColumns } from './amount-columns.ts';
import type { Anchors } from './anchors.ts';
import type { Assets } from './assets.ts';
import type { Letterheads } from './letterheads.ts';
import type { Cascade, StyleDictionary } from './style/cascade.ts';
import type { Expressions } from './computed/expressions.ts';
import type { Entries } from './fields/entries.ts';
import type { FieldTable } from './fields/fieldtable.ts';
import type { Findings } from './vocabulary/findings.ts';
import type { BindingFormat } from './fields/format.ts';
import type { BlockSource } from './vocabulary/keys.ts';
import type { CellFormatter, Condition, Node, TextTemplate } from '../model/nodes.ts';
import type { TableLayout } from '../model/table-layout.ts';
import type { Patterns } from './style/hatches.ts';
import type { TextStyles } from './style/textstyle.ts';
import type { TextUses } from './style/uses.ts';

/** The resources of an engine that the templates it compiles share. */
export interface Surroundings {
  readonly fonts: FontLibrary;
  /** Thai words of the institution, always the same array: breaks are kept by it. */
  readonly words: readonly string[];
  readonly decodeBudget: DecodeBudget;
}

/** State shared by the walk over a document: look-ups, then collectors. */
export interface Context {
  readonly language: string;
  readonly isTagged: boolean;
  readonly fonts: FontLibrary;
  readonly findings: Findings;
  readonly fields: FieldTable;
  readonly expressions: Expressions;
  /** Thai words that are never broken over two lines, of institution and template; null: none. */
  readonly words: readonly string[] | null;
  readonly styles: StyleDictionary;
  /** Style outside all nodes: `defaultStyle`. */
  readonly defaultStyle: Cascade;
  readonly textStyles: TextStyles;
  readonly assets: Assets;
  readonly letterheads: Letterheads;
  readonly patterns: Patterns;
  readonly layouts: ReadonlyMap<string, TableLayout>;
  readonly anchors: Anchors;
  readonly uses: TextUses;
  /** How qr nodes draw each qrcode or text field: what a value must fit into. */
  readonly qrUses: Map<string, QrUse[]>;
  /** Sums of columns, to be checked against the samples. */
  readonly columnSums: ColumnSum[];
  /** Columns that `{{sum …}}` and statement tables add up. */
  readonly amountColumns: AmountColumns;
  /** Compiles a node and all that stands in it. */
  readonly block: (source: unknown, path: string, scope: CompileScope) => CompiledBlock;
}

/** Texts of a signature that its field may repeat. */
export interface SignatureWords {
  readonly reason: TextTemplate;
  readonly location: TextTemplate;
}

/** A placeholder `{{sum table.column}}`. */
export interface ColumnSum {
  readonly table: string;
  readonly column: number;
  readonly path: string;
}

/** A compiled node with what the code around it may need of its source. */
export interface CompiledBlock {
  readonly node: Node;
  readonly own: BlockSource;
  readonly style: Cascade;
}

/** Properties that a node inherits from its place. */
export interface CompileScope {
  readonly style: Cascade;
  /** The table field of the nearest `each`, or null. */
  readonly each: number | null;
  /** The lists whose `each` stands around it, by their names in `as`. */
  readonly entries: Entries;
  /** What must hold for a document, or for an entry, to have what stands here. */
  readonly guards: readonly Condition[];
  /** The view of the nearest `each` with groups, whose entries expressions know as `group`. */
  readonly group: number | null;
  /** In header, footer or background: page numbers are known. */
  readonly inRunningElement: boolean;
  /** In the field of a signature: what it says; null elsewhere. */
  readonly signature: SignatureWords | null;
  /** In a statement table: how its sums of amounts and its counts of rows are printed. */
  readonly sums: { readonly amount: CellFormatter; readonly count: CellFormatter } | null;
  /** In a row that stands at page ends: the sums of the page are known. */
  readonly pageSums: boolean;
  /** In a text of the layout, which may print secret fields masked. */
  readonly printsSecrets: boolean;
  /** The nearest `format`, for the placeholders of its text. */
  readonly format: BindingFormat | null;
  /** Width that the node may take, where it is known, and the room to the paper's edge. */
  readonly room: { readonly contentPt: number; readonly paperPt: number } | null;
  readonly depth: number;
}

/** Whether a node may be drawn more than once in a document. */
export function isRepeated({ each, entries }: CompileScope): boolean {
  return each !== null || entries.size > 0;
}
