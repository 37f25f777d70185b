import { hash } from 'node:crypto';
import { entryAt } from '../../errors.ts';
import type { PrintedRows, PrintRowsJob, PrintState } from '../job.ts';
import { ObjectCopier, type ObjectTarget } from '../pdf/copy/copier.ts';
import {
  arrayOf,
  demandReference,
  latin1,
  PdfSource,
  referencesIn,
} from '../pdf/copy/pdf-source.ts';
import { ByteSink } from '../pdf/sink.ts';
import { reference } from '../pdf/syntax.ts';

/*
 * A print file: the pages of many documents, made segment by segment so that it is never in memory as
 * a whole. Each job appends documents to it and returns the state that the next job needs:
 *
 *   1 catalog, 2 page tree (both written last)
 *   segment: objects of its documents … and a node of the page tree with their pages
 *   end: catalog, page tree over all nodes, cross-reference table
 *
 * Equal objects are written once: fonts, images, static content. Links are omitted, as on paper.
 */

const CATALOG = 1;
const ROOT = 2;
const FIRST_OBJECT = 3;
/** Limit of shared objects remembered between segments; a template has a few dozen. */
const SHARED_MAX = 5_000;

const START: PrintState = { nextObject: FIRST_OBJECT, offset: 0, shared: [] };

/** Runs one job of a print file. */
export function printRows(job: PrintRowsJob): PrintedRows {
  const segment = new Segment(job.state ?? START);
  const { end } = job;
  if (end !== null) return segment.finish(end.offsets, end.nodes, end.pages);
  const node = segment.reserve();
  const kids: number[] = [];
  const pages: number[] = [];
  for (const [index, to] of job.ends.entries()) {
    const from = index === 0 ? 0 : entryAt(job.ends, index - 1);
    const numbers = copyPages(new PdfSource(job.rows.subarray(from, to)), segment, node);
    pages.push(numbers.length);
    for (const number of numbers) kids.push(number);
  }
  segment.fill(
    node,
    syntax(
      `<</Type/Pages/Parent ${reference(ROOT)}/Count ${kids.length}` +
        `/Kids[${kids.map(reference).join(' ')}]>>`,
    ),
  );
  return segment.take(node, pages);
}

/** Copies the pages of a document with all that they draw; returns their object numbers. */
function copyPages(source: PdfSource, target: Segment, parent: number): readonly number[] {
  const tree = source.text(demandReference(source.text(source.root), 'Pages'));
  const pages = referencesIn(arrayOf(tree, 'Kids') ?? '');
  const copier = new ObjectCopier(source, target, new Map());
  return pages.map((number) => {
    const page = source.text(number);
    const contents = referencesIn(arrayOf(page, 'Contents') ?? '').map((one) => copier.copy(one));
    const resources = copier.copy(demandReference(page, 'Resources'));
    const copied = target.reserve();
    target.fill(
      copied,
      syntax(
        `<</Type/Page/Parent ${reference(parent)}/MediaBox[${arrayOf(page, 'MediaBox') ?? ''}]` +
          `/Resources ${reference(resources)}/Contents[${contents.map(reference).join(' ')}]>>`,
      ),
    );
    return copied;
  });
}

function syntax(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** Objects that are appended to a print file. */
class Segment implements ObjectTarget {
  readonly #state: PrintState;
  readonly #sink = new ByteSink(1 << 20);
  /** Offsets in the file, from the first object of this segment on; 0: reserved. */
  readonly #offsets: number[] = [];
  readonly #shared: Map<string, number>;
  /** Objects of this segment by digest, and whether a second one was equal. */
  readonly #own = new Map<string, { readonly number: number; isShared: boolean }>();

  constructor(state: PrintState) {
    this.#state = state;
    this.#shared = new Map(state.shared);
    // Four bytes above 127 tell transfer programs that the file is binary (§7.5.2).
    if (state.offset === 0) this.#sink.latin('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n');
  }

  add(body: Uint8Array): number {
    const digest = hash('sha256', body, 'hex');
    const known = this.#shared.get(digest);
    if (known !== undefined) return known;
    const own = this.#own.get(digest);
    if (own !== undefined) {
      own.isShared = true;
      return own.number;
    }
    const number = this.reserve();
    this.fill(number, body);
    this.#own.set(digest, { number, isShared: false });
    return number;
  }

  reserve(): number {
    return this.#offsets.push(0) - 1 + this.#state.nextObject;
  }

  fill(number: number, body: Uint8Array): void {
    this.#offsets[number - this.#state.nextObject] = this.#at;
    this.#write(number, body);
  }

  /** Returns the written bytes and the state for the next segment. */
  take(node: number, pages: readonly number[]): PrintedRows {
    for (const [digest, { number, isShared }] of this.#own) {
      if (isShared && this.#shared.size < SHARED_MAX) this.#shared.set(digest, number);
    }
    const state: PrintState = {
      nextObject: this.#state.nextObject + this.#offsets.length,
      offset: this.#at,
      shared: [...this.#shared],
    };
    return { bytes: this.#sink.take(), offsets: this.#offsets, node, pages, state };
  }

  /** Catalog, page tree, cross-reference table and trailer (§7.5.4, §7.5.5). */
  finish(offsets: readonly number[], nodes: readonly number[], pages: number): PrintedRows {
    const catalogAt = this.#at;
    this.#write(CATALOG, syntax(`<</Type/Catalog/Pages ${reference(ROOT)}>>`));
    const rootAt = this.#at;
    const kids = nodes.map(reference).join(' ');
    this.#write(ROOT, syntax(`<</Type/Pages/Count ${pages}/Kids[${kids}]>>`));
    const xrefAt = this.#at;
    const count = FIRST_OBJECT + offsets.length;
    this.#sink.latin(`xref\n0 ${count}\n0000000000 65535 f \n`);
    for (const offset of [catalogAt, rootAt, ...offsets]) {
      this.#sink.latin(`${String(offset).padStart(10, '0')} 00000 n \n`);
    }
    const id = hash('md5', latin1(this.#sink.view()), 'hex');
    this.#sink.latin(`trailer\n<</Size ${count}/Root ${reference(CATALOG)}/ID[<${id}><${id}>]>>\n`);
    this.#sink.latin(`startxref\n${xrefAt}\n%%EOF\n`);
    return this.take(ROOT, []);
  }

  get #at(): number {
    return this.#state.offset + this.#sink.length;
  }

  #write(number: number, body: Uint8Array): void {
    this.#sink.latin(`${number} 0 obj\n`);
    this.#sink.append(body);
    this.#sink.latin('\nendobj\n');
  }
}
