import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';

/** Blocks whose characters the quick pattern knows: Latin-1 and Thai. */
const QUICK_BLOCKS = [
  [0x01, 0xff],
  [0x0e00, 0x0e7f],
] as const;
/** Entries of the flat table, one for each UTF-16 code unit. */
const UNITS = 0x10000;
const UNKNOWN = 0;
const DRAWABLE = 1;
const MISSING = 2;
/** Tables that are kept: templates that draw data in the same fonts share one. */
const TABLES_MAX = 32;

/**
 * Counts characters of values that one of the font stacks of a template cannot draw; the page shows
 * a box, or nothing, in their place.
 */
export class DrawableCharacters {
  readonly #drawnFields: ReadonlySet<number>;
  readonly #characters: CharacterTable;

  constructor({ drawnFields, fontUses }: CompiledTemplate) {
    this.#drawnFields = drawnFields;
    this.#characters = tableOf(fontUses.filter((use) => use.freeText).map((use) => use.stack));
  }

  /** Missing characters of a field's value, each counted where it stands. */
  countMissing(field: number, value: FieldValue): number {
    if ('display' in value)
      return this.#drawnFields.has(field) ? this.#characters.countMissing(value.display) : 0;
    if (!('rows' in value)) return 0;
    const characters = this.#characters;
    let count = 0;
    for (const row of value.rows) {
      for (const cell of row) count += characters.countMissing(cell);
    }
    return count;
  }

  /** The first missing character among those of all values; null: there is none. */
  firstMissing(values: FieldValues, field: number): string | null {
    const value = values[field] ?? null;
    if (value === null || this.countMissing(field, value) === 0) return null;
    const texts = 'display' in value ? [value.display] : 'rows' in value ? value.rows.flat() : [];
    for (const text of texts) {
      for (const character of text)
        if (this.#characters.countMissing(character) > 0) return character;
    }
    return null;
  }
}

/** Which characters all of some font stacks can draw. */
class CharacterTable {
  readonly #stacks: readonly FontStack[];
  readonly #units = new Uint8Array(UNITS);
  /**
   * Finds a character that is not among the drawable ones of `QUICK_BLOCKS`. V8 runs it in a third
   * of the time of a loop over the codes, as long as its class has few ranges.
   */
  readonly #doubtful: RegExp;

  constructor(stacks: readonly FontStack[]) {
    this.#stacks = stacks;
    const drawn = QUICK_BLOCKS.flatMap(([from, to]) => this.#drawnIn(from, to));
    this.#doubtful = new RegExp(`[^${drawn.join('')}]`);
  }

  countMissing(text: string): number {
    return this.#doubtful.test(text) ? this.#countSlowly(text) : 0;
  }

  /** The drawable characters of a block, as ranges of a character class. */
  #drawnIn(from: number, to: number): string[] {
    const ranges: string[] = [];
    let start = from;
    for (let code = from; code <= to + 1; code++) {
      if (code <= to && !this.#isMissing(code)) continue;
      if (code > start) ranges.push(`${escaped(start)}-${escaped(code - 1)}`);
      start = code + 1;
    }
    return ranges;
  }

  #countSlowly(text: string): number {
    let count = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.codePointAt(index) ?? 0;
      if (code >= UNITS) index++;
      if (this.#isMissing(code)) count++;
    }
    return count;
  }

  #isMissing(code: number): boolean {
    const known = this.#units[code] ?? UNKNOWN;
    if (known !== UNKNOWN) return known === MISSING;
    const character = String.fromCodePoint(code);
    const isMissing = this.#stacks.some((stack) => stack.missingCharacter(character) !== null);
    if (code < UNITS) this.#units[code] = isMissing ? MISSING : DRAWABLE;
    return isMissing;
  }
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

const tables = new Map<string, CharacterTable>();

function tableOf(stacks: readonly FontStack[]): CharacterTable {
  const key = stacks.map((stack) => stack.key).join('\n');
  let table = tables.get(key);
  if (table === undefined) {
    if (tables.size >= TABLES_MAX) tables.clear();
    table = new CharacterTable(stacks);
    tables.set(key, table);
  }
  return table;
}
