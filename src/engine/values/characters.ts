import { entryColumns } from '../contract/nested/columns.ts';
import { isList } from '../contract/nested/flatten.ts';
import type { FieldValue, ListField } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import type { PrintedText } from './printed.ts';
import { textsOfSvg } from './svg-text.ts';

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
  /** By index of a list: the columns of its texts. What formats print was checked with the template. */
  readonly #textColumns: readonly (readonly number[])[];

  constructor({ drawnFields, fontUses, fields }: CompiledTemplate) {
    this.#drawnFields = drawnFields;
    this.#textColumns = fields.map((field) => (isList(field) ? textColumns(field) : []));
    this.#characters = tableOf(fontUses.filter((use) => use.freeText).map((use) => use.stack));
  }

  /**
   * Whether a field's value has a missing character, printed or not: quick, because nearly no value
   * has one.
   */
  mayMiss(field: number, value: FieldValue): boolean {
    const characters = this.#characters;
    if ('display' in value) {
      return this.#drawnFields.has(field) && characters.countMissing(value.display) > 0;
    }
    if (value.type === 'list' || value.type === 'view') {
      for (const column of this.#textColumns[field] ?? []) {
        for (const row of value.rows) {
          if (characters.countMissing(row[column] ?? '') > 0) return true;
        }
      }
      return false;
    }
    if (value.type === 'table') {
      for (const row of value.rows) {
        for (const cell of row) if (characters.countMissing(cell) > 0) return true;
      }
      return false;
    }
    return value.type === 'svg' && this.countPrinted(field, value, null) > 0;
  }

  /**
   * Missing characters of a field's value that the document prints, each counted where it stands;
   * `printed` null: all that its texts may print.
   */
  countPrinted(field: number, value: FieldValue, printed: PrintedText | null): number {
    const characters = this.#characters;
    let count = 0;
    for (const text of this.#textsOf(field, value, printed)) count += characters.countMissing(text);
    return count;
  }

  /** The first of them; null: there is none. */
  firstPrinted(field: number, value: FieldValue, printed: PrintedText): string | null {
    for (const text of this.#textsOf(field, value, printed)) {
      if (this.countIn(text) === 0) continue;
      for (const character of text) if (this.countIn(character) > 0) return character;
    }
    return null;
  }

  /** Missing characters of a text that is no value of a field. */
  countIn(text: string): number {
    return this.#characters.countMissing(text);
  }

  *#textsOf(field: number, value: FieldValue, printed: PrintedText | null): Generator<string> {
    const isDrawn = printed?.fields ?? this.#drawnFields;
    if ('display' in value) {
      if (isDrawn.has(field)) yield value.display;
    } else if (value.type === 'svg') {
      if (isDrawn.has(field)) yield* textsOfSvg(value.root);
    } else if (value.type === 'table' || value.type === 'list' || value.type === 'view') {
      for (const row of value.rows) {
        for (const [column, cell] of row.entries()) {
          if (printed === null || printed.hasColumn(field, column)) yield cell;
        }
      }
    }
  }
}

function textColumns({ fields }: ListField): readonly number[] {
  return entryColumns(fields)
    .filter(({ of }) => of !== 'record' && (of.type === 'text' || of.type === 'qrcode'))
    .map(({ column }) => column);
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
/** Stacks of two engines may have the same names and other faces. */
const stackIds = new WeakMap<FontStack, number>();
let stackCount = 0;

function stackId(stack: FontStack): number {
  const known = stackIds.get(stack) ?? ++stackCount;
  stackIds.set(stack, known);
  return known;
}

function tableOf(stacks: readonly FontStack[]): CharacterTable {
  const key = stacks.map(stackId).join();
  let table = tables.get(key);
  if (table === undefined) {
    if (tables.size >= TABLES_MAX) tables.clear();
    table = new CharacterTable(stacks);
    tables.set(key, table);
  }
  return table;
}
