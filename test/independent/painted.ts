import { type Operand, operationsOf } from './content.ts';
import { PdfFont } from './fonts.ts';
import { type Dictionary, idOf, type Objects, type Value } from './objects.ts';

/** What the content of the pages shows: marked content by page, and faults of text and nesting. */
export interface Painted {
  readonly faults: readonly string[];
  /** By page: how often each MCID is there. */
  readonly mcids: readonly ReadonlyMap<number, number>[];
}

const PAINTS = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's', 'sh', 'Do', 'BI']);
const SHOWS = new Set(['Tj', 'TJ', "'", '"']);

/** Walks over the content of all pages and the forms in it. */
export class Painting {
  readonly #objects: Objects;
  readonly #isTagged: boolean;
  readonly #faults = new Set<string>();
  readonly #fonts = new Map<string, PdfFont>();
  readonly #checked = new Set<string>();

  constructor(objects: Objects, isTagged: boolean) {
    this.#objects = objects;
    this.#isTagged = isTagged;
  }

  read(pages: readonly string[]): Painted {
    const mcids = pages.map((page, index) => {
      const counts = new Map<number, number>();
      const parts = this.#objects.raw(this.#objects.get(page), '/Contents');
      const streams = typeof parts === 'string' ? [parts] : this.#objects.list(parts);
      const bytes = streams.map((part) =>
        Buffer.concat([this.#objects.bytes(part), Buffer.from('\n')]),
      );
      const resources = this.#objects.dictionary(page, '/Resources');
      this.#stream(Buffer.concat(bytes), resources, `page ${index + 1}`, counts, false);
      return counts;
    });
    return { faults: [...this.#faults], mcids };
  }

  #stream(
    bytes: Buffer,
    resources: Dictionary,
    where: string,
    mcids: Map<number, number>,
    isMarked: boolean,
  ): void {
    let font: Value = null;
    // True for sequences that place their content: an MCID or an artifact.
    const open: boolean[] = [];
    let mode = 0;
    for (const { name, operands } of operationsOf(bytes)) {
      if (name === 'BMC' || name === 'BDC') {
        open.push(this.#places(operands, mcids));
      } else if (name === 'EMC') {
        if (open.pop() === undefined) this.#faults.add(`${where}: EMC without a beginning`);
      } else if (name === 'Tf') {
        font = this.#objects.raw(this.#objects.get(resources, '/Font'), nameOf(operands[0]));
      } else if (name === 'Tr') {
        mode = Number(operands[0]);
      } else if (SHOWS.has(name)) {
        if (mode !== 3) this.#text(font, operands, where);
      }
      const paints = PAINTS.has(name) || (SHOWS.has(name) && hasText(operands));
      if (paints && this.#isTagged && !isMarked && !open.includes(true)) {
        this.#faults.add(`${where}: ${name} is neither tagged nor an artifact`);
      }
      if (name === 'Do') this.#form(resources, nameOf(operands[0]), where, mcids);
    }
    if (open.length > 0) this.#faults.add(`${where}: ${open.length} sequences are not ended`);
  }

  /** Whether a sequence says where its content belongs; counts its MCID. */
  #places(operands: readonly Operand[], mcids: Map<number, number>): boolean {
    const [tag, properties] = operands;
    const text = propertiesOf(properties);
    const mcid = /\/MCID\s+(\d+)/.exec(text)?.[1];
    if (mcid !== undefined) mcids.set(Number(mcid), (mcids.get(Number(mcid)) ?? 0) + 1);
    return mcid !== undefined || tag === '/Artifact';
  }

  #form(resources: Dictionary, name: string, where: string, mcids: Map<number, number>): void {
    const reference = this.#objects.raw(this.#objects.get(resources, '/XObject'), name);
    if (this.#objects.get(reference, '/Subtype') !== '/Form') return;
    const key = idOf(reference);
    if (this.#checked.has(key)) return;
    this.#checked.add(key);
    const own = this.#objects.dictionary(reference, '/Resources');
    this.#stream(this.#objects.bytes(reference), own, `${where}, form ${key}`, mcids, true);
  }

  #text(reference: Value, operands: readonly Operand[], where: string): void {
    const key = idOf(reference);
    const font = this.#fonts.get(key) ?? new PdfFont(this.#objects, reference);
    this.#fonts.set(key, font);
    for (const shown of stringsIn(operands)) {
      for (const code of font.codes(shown)) {
        const id = `${key} code ${code}`;
        if (this.#checked.has(id)) continue;
        this.#checked.add(id);
        const { glyph, statedWidth, programWidth, text } = font.facts(code);
        const at = `${where}, font ${id}`;
        if (glyph === 0) this.#faults.add(`${at} shows .notdef`);
        if (!(Math.abs(statedWidth - programWidth) <= 1)) {
          this.#faults.add(`${at} is ${statedWidth} wide, its glyph ${programWidth}`);
        }
        if (text === null || text === '' || /[\0\ufeff\ufffe]/.test(text)) {
          this.#faults.add(`${at} has no text in ToUnicode`);
        }
      }
    }
  }
}

function stringsIn(operands: readonly Operand[]): Buffer[] {
  return operands.flatMap((operand) => {
    if (Buffer.isBuffer(operand)) return [operand];
    return Array.isArray(operand) ? stringsIn(operand as readonly Operand[]) : [];
  });
}

function hasText(operands: readonly Operand[]): boolean {
  return stringsIn(operands).some(({ length }) => length > 0);
}

function nameOf(operand: Operand | undefined): string {
  return typeof operand === 'string' ? operand : '';
}

/** The dictionary of a marked-content operation as text; '' for another operand. */
function propertiesOf(operand: Operand | undefined): string {
  if (typeof operand !== 'object' || Array.isArray(operand) || Buffer.isBuffer(operand)) return '';
  return 'entries' in operand && typeof operand.entries === 'string' ? operand.entries : '';
}
