import type { FieldDefect } from '../../../errors.ts';
import { LIMITS } from '../../../limits.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { amongChoices } from '../choices.ts';
import { DayCell } from '../date-field.ts';
import type { CellReader, FieldCheck } from '../definition.ts';
import { DEFINITIONS } from '../definitions.ts';
import { PendingImage } from '../image-field.ts';
import type { CheckInput, DataObject } from '../json.ts';
import { NumberSources } from '../json.ts';
import { NumberCell } from '../number-field.ts';
import type { QrUse } from '../../qr/capacity.ts';
import { itemsAtLeast, itemsAtMost, itemsInAll, REASONS } from '../reasons.ts';
import type { Reason } from '../reasons.ts';
import type { FieldDescriptor, FieldValue, ListField, PlainField } from '../types.ts';
import { cellCount, entryColumns, FIRST_COLUMN, LAST_COLUMN, NUMBER_COLUMN } from './columns.ts';
import type { EntryColumn } from './columns.ts';
import { ListRows } from './list-rows.ts';

/** The result of checking a field. `ListDefects`: faults in the entries of a list. */
export type Checked = FieldValue | PendingImage | ListDefects | Reason | null;

/** The faults in the entries of a list, by their paths in the data. */
export class ListDefects {
  readonly defects: FieldDefect[] = [];
}

/** How the fields of a contract are compiled. */
export interface MemberOptions {
  readonly language: string;
  /** By the field's path in the contract. */
  readonly qrUses: ReadonlyMap<string, readonly QrUse[]> | undefined;
  /** Whether anything reads unformatted values of the entries, by the list's index. */
  readonly readsRaw: (list: number) => boolean;
  /** Wraps the check of a field that is secret. */
  readonly guard: (check: FieldCheck, name: string) => FieldCheck;
  /** Whether the check of the field at this path is replaced by another one. */
  readonly replaced: (path: string) => boolean;
}

/** A field with its check, or with the fields inside it. */
export type Member = PlainMember | RecordMember | ListMember;

export interface PlainMember {
  readonly kind: 'plain';
  readonly name: string;
  readonly required: boolean;
  /** Its index in the contract; in an entry of a list: the column of its text. */
  readonly index: number;
  /**
   * In an entry: the column of the unformatted value; equal to `index` if that value is not kept.
   */
  readonly rawColumn: number;
  readonly check: FieldCheck;
  /**
   * In an entry: a faster reader for the usual valid values; null if there is none for this field.
   */
  readonly cell: CellReader | null;
  /** In an entry: whether the field accepts any clean text and prints it as it was sent. */
  readonly isAnyText: boolean;
}

interface RecordMember {
  readonly kind: 'record';
  readonly name: string;
  readonly required: boolean;
  readonly index: number;
  readonly members: readonly Member[];
}

export interface ListMember {
  readonly kind: 'list';
  readonly name: string;
  readonly required: boolean;
  readonly index: number;
  readonly parent: number;
  /** The cells of an entry whose fields are all absent. */
  readonly blank: readonly string[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly maxItemsTotal: number;
  readonly members: readonly Member[];
  /** The lists that stand in its entries, but not in those of another list. */
  readonly lists: readonly ListMember[];
}

/** Gives fields their indexes in the order of `flattenFields`. */
interface Numbering {
  next: number;
}

/** Compiles the fields of a contract. */
export function compileMembers(
  fields: readonly FieldDescriptor[],
  options: MemberOptions,
  prefix = '',
  numbering: Numbering = { next: 0 },
): readonly Member[] {
  return fields.map((field): Member => {
    const { name, required } = field;
    const path = prefix + name;
    if (field.type === 'list') return compileList(field, -1, path, options, numbering);
    const index = numbering.next++;
    if (field.type === 'record') {
      const members = compileMembers(field.fields, options, `${path}.`, numbering);
      return { kind: 'record', name, required, index, members };
    }
    const check = compileCheck(field, path, options);
    const rawColumn = index;
    return { kind: 'plain', name, required, index, rawColumn, check, cell: null, isAnyText: false };
  });
}

/**
 * The check of a single field, independent of the fields around it. `path`: its path in the
 * contract.
 */
export function compileCheck(
  field: PlainField,
  path: string,
  options: Pick<MemberOptions, 'language' | 'qrUses' | 'guard'>,
): FieldCheck {
  const uses = options.qrUses?.get(path) ?? [];
  const plain = DEFINITIONS[field.type].compile(field, options.language, uses);
  const check = options.guard(plain, path);
  const choices = field.validation?.choices;
  return choices === undefined ? check : amongChoices(check, choices);
}

/** Null for fields with bounds or choices, which only their check can judge. */
function compileCell(field: PlainField, language: string): CellReader | null {
  if (field.validation !== undefined) return null;
  if (field.type === 'number') return new NumberCell(field, language);
  return field.type === 'date' ? new DayCell(field, language) : null;
}

function takesAnyText({ type, format, validation }: PlainField): boolean {
  return type === 'text' && format === undefined && validation === undefined;
}

function compileList(
  { name, required, fields, validation = {} }: ListField,
  parent: number,
  path: string,
  options: MemberOptions,
  numbering: Numbering,
): ListMember {
  const index = numbering.next++;
  const columns = entryColumns(fields);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const place = { list: index, path, byName, options, numbering };
  const members = compileEntry(fields, '', place);
  return {
    kind: 'list',
    name,
    required,
    index,
    parent,
    blank: Array.from({ length: cellCount(columns) }, () => ''),
    minItems: validation.minItems ?? 0,
    maxItems: validation.maxItems ?? Infinity,
    maxItemsTotal: validation.maxItemsTotal ?? LIMITS.listEntriesDefault,
    members,
    lists: listsIn(members),
  };
}

/** The list whose entries are compiled. */
interface EntryPlace {
  readonly list: number;
  readonly path: string;
  readonly byName: ReadonlyMap<string, EntryColumn>;
  readonly options: MemberOptions;
  readonly numbering: Numbering;
}

function compileEntry(
  fields: readonly FieldDescriptor[],
  prefix: string,
  place: EntryPlace,
): readonly Member[] {
  return fields.map((field): Member => {
    const { name, required } = field;
    const own = prefix + name;
    const path = `${place.path}.${own}`;
    if (field.type === 'list') {
      return compileList(field, place.list, path, place.options, place.numbering);
    }
    const { column = 0, rawColumn: ownRaw = 0 } = place.byName.get(own) ?? {};
    const rawColumn = place.options.readsRaw(place.list) ? ownRaw : column;
    if (field.type === 'record') {
      const members = compileEntry(field.fields, `${own}.`, place);
      return { kind: 'record', name, required, index: column, members };
    }
    const { options } = place;
    const check = compileCheck(field, path, options);
    const isReplaced = options.replaced(path);
    const cell = isReplaced ? null : compileCell(field, options.language);
    const isAnyText = !isReplaced && takesAnyText(field);
    return { kind: 'plain', name, required, index: column, rawColumn, check, cell, isAnyText };
  });
}

function listsIn(members: readonly Member[]): readonly ListMember[] {
  return members.flatMap((member) => {
    if (member.kind === 'list') return [member];
    return member.kind === 'record' ? listsIn(member.members) : [];
  });
}

/** The walk over one record or list that stands in no other, with all that is in it. */
class Walk implements CheckInput {
  readonly isClean: boolean;
  readonly #sources: NumberSources;
  readonly #results: Checked[];
  /** Where the walk is, from the value of the field on. */
  readonly #path: (string | number)[] = [];
  /** The name of the field, and the path of its value in `#sources`. */
  readonly #name: string;
  readonly #root: readonly string[];
  readonly #rows = new ListRows();
  #defects: ListDefects | null = null;
  #entries = 0;
  #cells = 0;

  /** `input`: the data that the value stands in; null: it comes from a text of its own. */
  constructor(sources: NumberSources, input: DataObject | null, name: string, results: Checked[]) {
    this.#sources = sources;
    this.isClean = input?.isClean ?? false;
    this.#root = input === null ? [] : [name];
    this.#results = results;
    this.#name = name;
  }

  /** For the checks of number fields: `name` is a member of the object that the walk is at. */
  numberSource(name: string, value: number): string {
    return this.#sources.memberAt(this.#root, this.#path, name, value);
  }

  record({ index, members }: RecordMember, value: unknown): void {
    if (!isObject(value)) {
      this.#results[index] = REASONS.record;
      return;
    }
    this.#results[index] = RECORD;
    for (const member of members) {
      const { name, required } = member;
      const own = ownValue(value, name);
      if (own === null) {
        if (required) this.#results[member.index] = REASONS.required;
        continue;
      }
      if (member.kind === 'plain') {
        const result = member.check(own, this, name);
        this.#results[member.index] = result === null && required ? REASONS.required : result;
        continue;
      }
      this.#path.push(name);
      if (member.kind === 'record') this.record(member, own);
      else this.list(member, own);
      this.#path.pop();
    }
  }

  /** A list that stands in no other. */
  list(member: ListMember, value: unknown): void {
    this.#defects = null;
    this.#entries = 0;
    this.#rows.open(member);
    const fault = this.#entriesOf(member, value);
    this.#results[member.index] = fault ?? this.#defects;
    if (fault === null && this.#defects === null) this.#rows.close(member, this.#results);
  }

  /** Reads the entries of one array; the reason why the whole array is refused, or null. */
  #entriesOf(member: ListMember, value: unknown): Reason | null {
    if (!Array.isArray(value)) return REASONS.list;
    const items: readonly unknown[] = value;
    const { length } = items;
    if (length > member.maxItems) return itemsAtMost(member.maxItems);
    if (length < member.minItems) return itemsAtLeast(member.minItems);
    this.#entries += length;
    this.#cells += length * member.blank.length;
    if (member.parent < 0 && length > member.maxItemsTotal) return itemsInAll(member.maxItemsTotal);
    if (this.#cells > LIMITS.listCellsMax) return REASONS.listCells;
    const { rows } = this.#rows.of(member.index);
    const inner = member.lists.map(({ index }) => this.#rows.of(index));
    const path = this.#path;
    const at = path.push(0) - 1;
    for (let item = 0; item < length; item++) {
      path[at] = item;
      const row = member.blank.slice();
      row[NUMBER_COLUMN] = String(item + 1);
      if (item === 0) row[FIRST_COLUMN] = '1';
      if (item === length - 1) row[LAST_COLUMN] = '1';
      for (const { rows: below, starts } of inner) starts.push(below.length);
      rows.push(row);
      const entry = items[item];
      if (isObject(entry)) this.#entry(member.members, entry, row);
      else this.#report(null, REASONS.record);
    }
    path.pop();
    const isOver = member.parent < 0 && this.#entries > member.maxItemsTotal;
    return isOver ? itemsInAll(member.maxItemsTotal) : null;
  }

  #entry(
    members: readonly Member[],
    object: Readonly<Record<string, unknown>>,
    row: string[],
  ): void {
    for (const member of members) {
      const { name, required } = member;
      const own = ownValue(object, name);
      if (own === null) {
        if (required) this.#report(name, REASONS.required);
      } else if (member.kind === 'plain') {
        this.#cell(member, own, row);
      } else if (member.kind === 'list') {
        this.#path.push(name);
        const fault = this.#entriesOf(member, own);
        this.#path.pop();
        if (fault !== null) this.#report(name, fault);
      } else if (isObject(own)) {
        row[member.index] = '1';
        this.#path.push(name);
        this.#entry(member.members, own, row);
        this.#path.pop();
      } else {
        this.#report(name, REASONS.record);
      }
    }
  }

  #cell(
    { name, required, index, rawColumn, check }: PlainMember,
    own: unknown,
    row: string[],
  ): void {
    const result = check(own, this, name);
    if (typeof result === 'string') {
      this.#report(name, result);
    } else if (result === null) {
      if (required) this.#report(name, REASONS.required);
    } else if (!(result instanceof PendingImage) && 'display' in result) {
      row[index] = result.display;
      if (rawColumn !== index) row[rawColumn] = result.raw ?? result.display;
    }
  }

  /** Reports a member of the object that the walk is at; null: the object itself. */
  #report(name: string | null, reason: Reason): void {
    this.#defects ??= new ListDefects();
    const { defects } = this.#defects;
    if (defects.length >= LIMITS.defectsMax) return;
    let field = this.#name;
    for (const step of name === null ? this.#path : [...this.#path, name]) {
      field += typeof step === 'number' ? `[${step}]` : `.${step}`;
    }
    defects.push({ field, reason });
  }
}

const RECORD: FieldValue = { type: 'record' };

/** A member of its own, null if it is absent: `constructor` and `__proto__` are names like any other. */
function ownValue(object: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return value === undefined || value === '' ? null : value;
}

/**
 * Checks a present record or list, and all that is in it, into `results` by index. In its place, a JSON
 * string of it is taken as well, as a cell of a CSV has it.
 */
export function checkNested(
  member: RecordMember | ListMember,
  value: unknown,
  input: DataObject,
  results: Checked[],
): void {
  const isEncoded = typeof value === 'string';
  const { name } = member;
  const sources = isEncoded ? new NumberSources(value) : input.nestedNumbers;
  const walk = new Walk(sources, isEncoded ? null : input, name, results);
  const parsed = isEncoded ? parseText(value) : value;
  if (member.kind === 'record') walk.record(member, parsed);
  else walk.list(member, parsed);
}

function parseText(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
