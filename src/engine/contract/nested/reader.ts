import { LIMITS } from '../../../limits.ts';
import { PendingImage } from '../image-field.ts';
import type { CheckInput } from '../json.ts';
import type { Checked, ListMember, Member, PlainMember } from './check.ts';
import { FIRST_COLUMN, LAST_COLUMN, NUMBER_COLUMN } from './columns.ts';
import { ListRows } from './list-rows.ts';
import type { JsonText } from './tokens.ts';
import { codesOf, holdsAt, numberTokenEnd, skipValue, spaceEnd, stringTokenEnd } from './tokens.ts';

/**
 * Reads valid lists directly from the JSON text into rows. The usual way, JSON.parse, costs more:
 * it makes an object and strings for each entry, and the digits of each number must then be looked
 * up in the text again. Unusual input (a fault, a member that occurs twice, a list in quotes) is
 * left to the walk over parsed data in `check.ts`, which gives the same rows and names each fault.
 */
export class ListReader implements CheckInput {
  readonly isClean: boolean;
  readonly #json: JsonText;
  readonly #codes: JsonText['codes'];
  readonly #results: Checked[];
  readonly #rows = new ListRows();
  /** The digits of the number that is being checked. */
  #source = '';
  #at = 0;
  #entries = 0;
  #cells = 0;

  constructor(json: JsonText, isClean: boolean, results: Checked[]) {
    this.isClean = isClean;
    this.#json = json;
    this.#codes = json.codes;
    this.#results = results;
  }

  /** Checks of number fields call this for the digits as they were sent. */
  numberSource(): string {
    return this.#source;
  }

  /**
   * Reads the array at `start` into the results and returns the index after it, or -1 if the list
   * is left to the walk.
   */
  read(list: ListPlan, start: number): number {
    this.#at = start;
    this.#entries = 0;
    this.#cells = 0;
    this.#rows.open(list.member);
    if (!this.#list(list) || this.#entries > list.member.maxItemsTotal) return -1;
    this.#rows.close(list.member, this.#results);
    return this.#at;
  }

  /** Reads an array. Returns false if it has a fault. */
  #list({ member, object }: ListPlan): boolean {
    const codes = this.#codes;
    if (codes[this.#at] !== OPEN_ARRAY) return false;
    const { rows } = this.#rows.of(member.index);
    const inner = member.lists.map(({ index }) => this.#rows.of(index));
    this.#at = spaceEnd(codes, this.#at + 1);
    if (codes[this.#at] === CLOSE_ARRAY) {
      this.#at++;
      return member.minItems === 0;
    }
    for (let count = 1; count <= member.maxItems; count++) {
      this.#cells += member.blank.length;
      if (++this.#entries > LIMITS.listEntriesMax || this.#cells > LIMITS.listCellsMax)
        return false;
      const row = member.blank.slice();
      row[NUMBER_COLUMN] = String(count);
      if (count === 1) row[FIRST_COLUMN] = '1';
      for (const { rows: below, starts } of inner) starts.push(below.length);
      rows.push(row);
      if (!this.#object(object, row)) return false;
      const at = spaceEnd(codes, this.#at);
      if (codes[at] === COMMA) {
        this.#at = spaceEnd(codes, at + 1);
        continue;
      }
      row[LAST_COLUMN] = '1';
      this.#at = at + 1;
      return codes[at] === CLOSE_ARRAY && count >= member.minItems;
    }
    return false;
  }

  /**
   * Reads an entry, or a record in an entry, into the entry's row. Returns false if it has a fault.
   */
  #object(object: ObjectPlan, row: string[]): boolean {
    const codes = this.#codes;
    if (codes[this.#at] !== OPEN_OBJECT) return false;
    const serial = ++object.serial;
    const { members, seen, present } = object;
    let at = spaceEnd(codes, this.#at + 1);
    while (codes[at] !== CLOSE_OBJECT) {
      this.#at = at;
      const index = this.#key(object);
      if (index === UNKNOWN) {
        if (!this.#skip()) return false;
      } else {
        const member = members[index];
        if (member === undefined || seen[index] === serial) return false;
        seen[index] = serial;
        if (this.#isAbsent()) present[index] = 0;
        else {
          present[index] = serial;
          if (!this.#member(member, row)) return false;
        }
      }
      at = spaceEnd(codes, this.#at);
      if (codes[at] === COMMA) {
        at = spaceEnd(codes, at + 1);
        if (codes[at] !== QUOTE) return false;
      } else if (codes[at] !== CLOSE_OBJECT) return false;
    }
    this.#at = at + 1;
    for (const index of object.required) if (present[index] !== serial) return false;
    return true;
  }

  /**
   * Reads the name of a member and the colon after it; returns the index of the member, UNKNOWN or
   * FAULT. Most entries have their members in the same order, so the member after the previous one
   * is tried first.
   */
  #key(object: ObjectPlan): number {
    const codes = this.#codes;
    const start = this.#at;
    const expected = object.keys[object.next] ?? NO_KEY;
    const { length } = expected;
    let same = 0;
    while (same < length && codes[start + same] === expected[same]) same++;
    let end = start + length;
    let index = object.next;
    if (same < length || length === 0) {
      const close = codes[start] === QUOTE ? this.#stringEnd(start) : -1;
      // A name with an escape is rare, so it is left to JSON.parse.
      if (close < 0) return FAULT;
      end = close + 1;
      index = object.byName.get(this.#json.copy(start + 1, close)) ?? UNKNOWN;
    }
    const at = spaceEnd(codes, end);
    if (codes[at] !== COLON) return FAULT;
    this.#at = spaceEnd(codes, at + 1);
    if (index !== UNKNOWN) object.next = index + 1 < object.keys.length ? index + 1 : 0;
    return index;
  }

  /** Skips null and "", which mean that the value is absent. Returns whether there was one. */
  #isAbsent(): boolean {
    const codes = this.#codes;
    const at = this.#at;
    if (codes[at] === QUOTE && codes[at + 1] === QUOTE) this.#at = at + 2;
    else if (codes[at] === LOWER_N && holdsAt(codes, at, NULL)) this.#at = at + NULL.length;
    return this.#at > at;
  }

  #member(plan: MemberPlan, row: string[]): boolean {
    switch (plan.kind) {
      case 'list':
        return this.#list(plan);
      case 'record':
        row[plan.column] = '1';
        return this.#object(plan.object, row);
      case 'plain':
        return this.#plain(plan.member, row);
    }
  }

  #plain(member: PlainMember, row: string[]): boolean {
    const { cell, index, rawColumn } = member;
    const start = this.#at;
    const end = cell === null ? -1 : cell.read(this.#codes, start, row, index, rawColumn);
    if (end >= 0) {
      this.#at = end;
      return true;
    }
    return this.#codes[start] === QUOTE ? this.#string(member, row) : this.#number(member, row);
  }

  #string(member: PlainMember, row: string[]): boolean {
    const start = this.#at;
    const close = this.#stringEnd(start);
    let value: unknown;
    if (close >= 0) {
      this.#at = close + 1;
      value = this.#json.copy(start + 1, close);
    } else {
      this.#at = skipValue(this.#json, start);
      value = this.#at < 0 ? null : parsed(this.#json.copy(start, this.#at));
    }
    if (typeof value !== 'string') return false;
    const { cell, index, rawColumn } = member;
    if (member.isAnyText && this.isClean) {
      row[index] = value;
      return true;
    }
    if (cell !== null) return cell.take(value, true, row, index, rawColumn);
    return this.#checked(member, value, row);
  }

  #number(member: PlainMember, row: string[]): boolean {
    const start = this.#at;
    const end = numberTokenEnd(this.#codes, start);
    if (end < 0) return false;
    this.#at = end;
    const digits = this.#json.copy(start, end);
    const { cell, index, rawColumn } = member;
    if (cell !== null) return cell.take(digits, false, row, index, rawColumn);
    this.#source = digits;
    // The check gets the digits from `numberSource`.
    return this.#checked(member, Number.NaN, row);
  }

  #checked(
    { check, name, required, index, rawColumn }: PlainMember,
    value: unknown,
    row: string[],
  ): boolean {
    const result = check(value, this, name);
    if (result === null) return !required;
    if (typeof result === 'string' || result instanceof PendingImage) return false;
    if (!('display' in result)) return false;
    row[index] = result.display;
    if (rawColumn !== index) row[rawColumn] = result.raw ?? result.display;
    return true;
  }

  /** Skips the value of an unknown member. Returns false if the value is not valid JSON. */
  #skip(): boolean {
    const start = this.#at;
    const close = this.#codes[start] === QUOTE ? this.#stringEnd(start) : -1;
    this.#at = close < 0 ? skipValue(this.#json, start) : close + 1;
    if (close >= 0 || this.#at < 0) return close >= 0;
    return parsed(this.#json.copy(start, this.#at)) !== undefined;
  }

  /** Index of the closing quote of a string without escapes; -1 if there is none. */
  #stringEnd(start: number): number {
    return stringTokenEnd(this.#codes, start);
  }
}

/** The value of a JSON text; undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Plan for reading the array of a list. */
export interface ListPlan {
  readonly kind: 'list';
  readonly member: ListMember;
  readonly object: ObjectPlan;
}

/** Plan for reading an entry, or a record in an entry. */
interface ObjectPlan {
  readonly members: readonly MemberPlan[];
  /** The codes of each name, with its quotes. */
  readonly keys: readonly Uint16Array[];
  readonly byName: ReadonlyMap<string, number>;
  readonly required: readonly number[];
  /** Index of the member that is expected next. */
  next: number;
  /**
   * Number of the current object. It marks members in `seen` and `present`, so that these need not
   * be cleared for each object.
   */
  serial: number;
  /**
   * By member: the last object with this member, and the last one in which it is neither null nor
   * ''.
   */
  readonly seen: Int32Array;
  readonly present: Int32Array;
}

type MemberPlan =
  | ListPlan
  | { readonly kind: 'record'; readonly column: number; readonly object: ObjectPlan }
  | { readonly kind: 'plain'; readonly member: PlainMember };

/** Plans the reading of a list at the top level of the data. */
export function planList(member: ListMember): ListPlan {
  return { kind: 'list', member, object: planObject(member.members) };
}

function planObject(members: readonly Member[]): ObjectPlan {
  const plans = members.map((member): MemberPlan => {
    switch (member.kind) {
      case 'list':
        return planList(member);
      case 'record':
        return { kind: 'record', column: member.index, object: planObject(member.members) };
      case 'plain':
        return { kind: 'plain', member };
    }
  });
  return {
    members: plans,
    keys: members.map(({ name }) => codesOf(`"${name}"`)),
    byName: new Map(members.map(({ name }, index) => [name, index])),
    required: members.flatMap(({ required }, index) => (required ? [index] : [])),
    next: 0,
    serial: 0,
    seen: new Int32Array(members.length),
    present: new Int32Array(members.length),
  };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LOWER_N = 0x6e;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Results of `#key` other than the index of a member. */
const UNKNOWN = -1;
const FAULT = -2;
const NO_KEY = new Uint16Array(0);
const NULL = codesOf('null');
