import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';

/** Characters below this code are cached in a flat table: Latin, Thai, and their punctuation. */
const DENSE_CODES = 0x2100;
/** Cached characters beyond it, at which the cache is cleared. */
const SPARSE_MAX = 4_096;

const UNKNOWN = 0;
const DRAWABLE = 1;
const MISSING = 2;

/**
 * Counts characters of values that one of the font stacks of a template cannot draw; the page shows
 * a box, or nothing, in their place. Answers are cached by character, so a text costs one look-up a
 * character whatever the number of stacks.
 */
export class DrawableCharacters {
  readonly #drawnFields: ReadonlySet<number>;
  readonly #stacks: readonly FontStack[];
  readonly #dense = new Uint8Array(DENSE_CODES);
  readonly #sparse = new Map<number, boolean>();

  constructor({ drawnFields, fontUses }: CompiledTemplate) {
    this.#drawnFields = drawnFields;
    this.#stacks = fontUses.filter((use) => use.freeText).map((use) => use.stack);
  }

  /** Missing characters of a field's value, each counted where it stands. */
  countMissing(field: number, value: FieldValue): number {
    if ('display' in value) return this.#drawnFields.has(field) ? this.#countIn(value.display) : 0;
    if (!('rows' in value)) return 0;
    let count = 0;
    for (const row of value.rows) {
      for (const cell of row) count += this.#countIn(cell);
    }
    return count;
  }

  /** The first missing character among those of all values; null: there is none. */
  firstMissing(values: FieldValues, field: number): string | null {
    const value = values[field] ?? null;
    if (value === null || this.countMissing(field, value) === 0) return null;
    const texts = 'display' in value ? [value.display] : 'rows' in value ? value.rows.flat() : [];
    for (const text of texts) {
      for (const character of text) if (this.#countIn(character) > 0) return character;
    }
    return null;
  }

  #countIn(text: string): number {
    const dense = this.#dense;
    let count = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < DENSE_CODES && dense[code] === DRAWABLE) continue;
      const point = text.codePointAt(index) ?? code;
      if (point > 0xffff) index++;
      if (this.#isMissing(point)) count++;
    }
    return count;
  }

  #isMissing(point: number): boolean {
    if (point < DENSE_CODES) {
      const known = this.#dense[point] ?? UNKNOWN;
      if (known !== UNKNOWN) return known === MISSING;
      const isMissing = this.#isMissingInAny(point);
      this.#dense[point] = isMissing ? MISSING : DRAWABLE;
      return isMissing;
    }
    const known = this.#sparse.get(point);
    if (known !== undefined) return known;
    if (this.#sparse.size >= SPARSE_MAX) this.#sparse.clear();
    const isMissing = this.#isMissingInAny(point);
    this.#sparse.set(point, isMissing);
    return isMissing;
  }

  #isMissingInAny(point: number): boolean {
    const character = String.fromCodePoint(point);
    return this.#stacks.some((stack) => stack.missingCharacter(character) !== null);
  }
}
