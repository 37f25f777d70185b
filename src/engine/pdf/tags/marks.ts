import type { PlainRows, StructElement, StructType } from '../../model/structure.ts';
import { type ByteSink, ShortBytes } from '../sink.ts';
import type { RowRun } from './row-run.ts';
import type { PageTags } from './structure.ts';
import type { TextPainter } from '../text-painter.ts';

const encoder = new TextEncoder();
/** By structure type: the operation that begins its marked content, up to the MCID. */
const begins = new Map<StructType, Uint8Array>();

function beginOf(type: StructType): Uint8Array {
  const known = begins.get(type);
  if (known !== undefined) return known;
  const begin = encoder.encode(`/${type}<</MCID `);
  begins.set(type, begin);
  return begin;
}

const ARTIFACT = encoder.encode('/Artifact BMC\n');
const CELL = beginOf('TD');
const HEADER_CELL = beginOf('TH');
const NEXT_CELL = new ShortBytes('EMC\n/TD<</MCID ');
/** The rest of an operation that `beginOf` starts. */
const BDC = new ShortBytes('>>BDC\n');
const EMC = encoder.encode('EMC\n');

/**
 * The marked content of a page's own stream (ISO 32000-1 §14.6). A sequence that begins inside a text
 * object ends inside it, one that begins outside ends outside:
 *
 *     BT /P<</MCID 0>>BDC … EMC /Link<</MCID 1>>BDC … EMC ET
 *     /Figure<</MCID 2>>BDC q … Q EMC
 *     /Artifact BMC … EMC
 */
export class Marks {
  readonly #sink: ByteSink;
  readonly #text: TextPainter;
  readonly #tags: PageTags;
  /** The element of the items that follow; null: they are artifacts. */
  #wanted: StructElement | null = null;
  #order = 0;
  #isOpen = false;
  #isInText = false;
  /**
   * The element of the open sequence; null: an artifact. Not set for cells: they end with their
   * text.
   */
  #opened: StructElement | null = null;
  /** The rows that are being painted; null: none, or rows that are artifacts. */
  #run: RowRun | null = null;

  constructor(sink: ByteSink, text: TextPainter, tags: PageTags) {
    this.#sink = sink;
    this.#text = text;
    this.#tags = tags;
  }

  /** Says to which element the items that follow belong, and their position in reading order. */
  want(element: StructElement | null, order: number): void {
    this.#wanted = element;
    this.#order = order;
  }

  beforeText(): void {
    if (this.#isOpen && this.#isInText && this.#opened === this.#wanted) return;
    this.close();
    this.#text.begin();
    this.#open(true);
  }

  /** To be called after the text object has ended, so no open sequence lies inside it. */
  beforeShape(): void {
    if (this.#isOpen && this.#opened === this.#wanted) return;
    this.close();
    this.#open(false);
  }

  beforeTextEnds(): void {
    if (this.#isInText) this.close();
  }

  /** As `beforeShape`; rules and decorations are artifacts, whatever element they belong to. */
  beforeRules(): void {
    if (this.#isOpen && this.#opened === null) return;
    this.close();
    this.#sink.append(ARTIFACT);
    this.#isOpen = true;
    this.#opened = null;
  }

  /** Begins rows of plain cells; null: they are artifacts. */
  beginRows(rows: PlainRows | null, rowCount: number): void {
    if (rows === null) this.want(null, 0);
    else this.#run = this.#tags.beginRows(rows, rowCount);
  }

  /**
   * Begins the text of a cell, by its index in the rows. Empty cells have marked content, too: so the
   * structure tree of a page depends only on the number of rows, and other pages and documents can
   * reuse it. Hot: a statement has ten thousand cells.
   */
  beginCell(index: number, isHeader: boolean): void {
    const run = this.#run;
    if (run === null) {
      // These rows are artifacts.
      this.beforeText();
      return;
    }
    const sink = this.#sink;
    if (this.#isInText && !isHeader) {
      sink.appendShort(NEXT_CELL);
    } else {
      this.close();
      this.#text.begin();
      this.#isOpen = true;
      this.#isInText = true;
      sink.append(isHeader ? HEADER_CELL : CELL);
    }
    sink.integer(run.firstMcid + index);
    sink.appendShort(BDC);
  }

  /** Ends the rows; content after them belongs to no element until `want` names one. */
  endRows(): void {
    if (this.#run === null) return;
    this.close();
    this.#run = null;
    this.#wanted = null;
  }

  close(): void {
    if (this.#isOpen) this.#sink.append(EMC);
    this.#isOpen = false;
    this.#isInText = false;
  }

  #open(isInText: boolean): void {
    const element = this.#wanted;
    const sink = this.#sink;
    if (element === null) {
      sink.append(ARTIFACT);
    } else {
      sink.append(beginOf(element.type));
      sink.integer(this.#tags.add(element, this.#order));
      sink.appendShort(BDC);
    }
    this.#isOpen = true;
    this.#isInText = isInText;
    this.#opened = element;
  }
}
