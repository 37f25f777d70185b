import type { FieldDefect, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { EXPRESSION_LIMITS, type Expression, type Result } from '../../../expressions/index.ts';
import { LIMITS } from '../../../limits.ts';
import type { FieldCheck } from '../../contract/definition.ts';
import type { CheckInput } from '../../contract/json.ts';
import { NUMBER_COLUMN } from '../../contract/nested/columns.ts';
import { notComputed, REASONS } from '../../contract/reasons.ts';
import type { FieldValue, FieldValues, ViewValue } from '../../contract/types.ts';
import type { Condition } from '../../model/nodes.ts';
import type { EntryKey, SortKey } from './expressions.ts';
import { makeView, stepsOf } from './order-entries.ts';
import type { Shape } from './shape.ts';
import { type DataRecord, DataTree } from './tree.ts';

/** A name of an expression, and where its value stands: see `Head`. */
interface Input {
  readonly name: string;
  readonly list: number;
  readonly steps: readonly string[];
}

/** A list, by its index, with the lists around it; `name` is its own. */
export interface ListPlace {
  readonly index: number;
  readonly name: string;
  /** Null: it stands in no other. */
  readonly around: ListPlace | null;
}

/** A value that is computed for a document, or for each entry of a list. */
export interface Derivation {
  /** Null: once for a document. */
  readonly list: ListPlace | null;
  /** Index among the values, or columns of the rows of the list. */
  readonly column: number;
  readonly rawColumn: number;
  readonly inputs: readonly Input[];
  /** It is computed where one of these holds whole; empty: everywhere. */
  readonly guards: readonly (readonly Condition[])[];
  readonly expression: Expression;
  /** Makes the value that is printed; null: a condition. */
  readonly check: FieldCheck | null;
  readonly isRequired: boolean;
  /** A field of the contract: the steps to it. Null: an expression of the layout. */
  readonly field: readonly string[] | null;
  /** What defects name: the path of a field in an entry or in the data, or of the expression. */
  readonly path: string;
  /** Indexes of derivations before it whose values it reads. */
  readonly needs: readonly number[];
}

/** Some entries of a list, sorted, in groups: see `View`. */
export interface ViewDerivation {
  readonly view: number;
  /** Of its `each`, which a defect names. */
  readonly path: string;
  readonly list: ListPlace;
  readonly filter: Condition | null;
  readonly keys: readonly SortKey[];
  readonly group: EntryKey | null;
  /** Cells of a row of the view. */
  readonly cells: number;
  /** Compares texts as a dictionary of the template's language does. */
  readonly collator: Intl.Collator;
}

/** All that is computed for the documents of a template, in order. */
export interface DerivationPlan {
  readonly derivations: readonly (Derivation | ViewDerivation)[];
  readonly shape: Shape;
}

/** Texts come from checked values or from the template: there are no numbers of JSON. */
const NO_SOURCES: CheckInput = { isClean: false, numberSource: () => '' };

/**
 * Adds the computed values to those that were checked. `invalid_data` names each value that cannot be
 * computed, up to `LIMITS.defectsMax`; all expressions of a document share `LIMITS.expressionStepsMax`.
 */
export function derive(
  { derivations, shape }: DerivationPlan,
  values: FieldValues,
): Outcome<FieldValues> {
  const run = new DerivationRun(shape, values);
  const failed = new Set<number>();
  for (const [index, derivation] of derivations.entries()) {
    if (run.isSpent) break;
    if ('view' in derivation) {
      run.makeView(derivation);
      continue;
    }
    const before = run.defects.length;
    if (derivation.needs.some((needed) => failed.has(needed))) failed.add(index);
    else run.fill(derivation);
    if (run.defects.length > before) failed.add(index);
  }
  const { defects } = run;
  return defects.length > 0 ? fail('invalid_data', undefined, defects) : succeed(run.values);
}

class DerivationRun {
  readonly values: (FieldValue | null)[];
  readonly defects: FieldDefect[] = [];
  readonly #tree: DataTree;
  #steps: number = LIMITS.expressionStepsMax;
  /** Whether the steps of all expressions together are used up; a defect has been reported. */
  isSpent = false;
  /**
   * The steps that were left when the current derivation began, and the earlier derivation that
   * took the most.
   */
  #stepsBefore: number = LIMITS.expressionStepsMax;
  #most = { path: '', steps: 0 };
  /** By index of a list: the entry that the evaluation is at. */
  readonly #entries: unknown[] = [];
  /** By index of a view: the entries of the group of each of its rows. */
  readonly #groupOf: (readonly number[])[] = [];
  readonly #groups: (readonly (readonly unknown[])[])[] = [];
  /** By index of a list: the row of that entry. */
  readonly #rows: number[] = [];

  constructor(shape: Shape, values: FieldValues) {
    this.values = values.slice();
    this.#tree = new DataTree(shape, values);
  }

  makeView(derivation: ViewDerivation): void {
    const { view, list } = derivation;
    const value = this.#tree.list(list.index);
    if (value === null) return;
    this.#steps -= stepsOf(derivation, value);
    if (this.#steps < 0) {
      const message = 'sorting, filtering and grouping take too many steps with this data.';
      this.#report(derivation.path, notComputed(message));
      return;
    }
    const isWanted = (row: number): boolean => {
      if (derivation.filter === null) return true;
      this.#enter(list, row);
      return this.#isFulfilled(derivation.filter);
    };
    const { made, groups } = makeView(derivation, value, isWanted);
    this.values[view] = made;
    const tree = this.#tree;
    this.#groups[view] = groups.map((rows) => rows.map((row) => tree.entry(list.index, row)));
    this.#groupOf[view] = groups.flatMap((rows, index) => rows.map(() => index));
  }

  fill(derivation: Derivation): void {
    this.#stepsBefore = this.#steps;
    if (derivation.list === null) this.#fillValue(derivation);
    else this.#fillColumn(derivation, derivation.list);
    const steps = this.#stepsBefore - this.#steps;
    if (steps > this.#most.steps) this.#most = { path: fullPath(derivation), steps };
  }

  #fillValue(derivation: Derivation): void {
    const holder = this.#holderOf(derivation, this.#tree.root);
    if (holder === null || !this.#isWanted(derivation)) return;
    const result = this.#evaluate(derivation, null, -1);
    if (result === undefined) return;
    const { column, check, field } = derivation;
    if (result === null || result === false) {
      this.values[column] = null;
      return;
    }
    if (check === null) {
      this.values[column] = HOLDS;
      return;
    }
    const checked = check(result, NO_SOURCES, '');
    if (typeof checked === 'string') this.#refuse(derivation, null, -1, checked, result);
    else if (checked === null || 'type' in checked) this.values[column] = checked;
    if (field !== null) holder[field.at(-1) ?? ''] = result;
  }

  #fillColumn(derivation: Derivation, list: ListPlace): void {
    const rows = this.#rowsOf(list.index);
    const { column, rawColumn, check, field } = derivation;
    for (let at = 0; at < rows.length; at++) {
      if (this.isSpent || this.defects.length >= LIMITS.defectsMax) return;
      const entry = this.#enter(list, at);
      const holder = entry === null ? {} : this.#holderOf(derivation, entry as DataRecord);
      if (holder === null || !this.#isWanted(derivation)) continue;
      const result = this.#evaluate(derivation, list, at);
      if (result === undefined || result === null || result === false) continue;
      // Rows of the contract have a cell for each column; they were made for this document.
      const row = rows[at] as string[];
      if (check === null) {
        row[column] = '1';
        continue;
      }
      const checked = check(result, NO_SOURCES, '');
      if (typeof checked === 'string') this.#refuse(derivation, list, at, checked, result);
      else if (checked !== null && 'display' in checked) {
        row[column] = checked.display;
        if (rawColumn !== column) row[rawColumn] = checked.raw ?? checked.display;
      }
      if (field !== null) holder[field.at(-1) ?? ''] = result;
    }
  }

  /** The record that has the field; null when that is absent, and its fields with it. */
  #holderOf({ field }: Derivation, root: DataRecord): DataRecord | null {
    let holder: DataRecord | null = root;
    for (const step of field?.slice(0, -1) ?? []) {
      // Steps before the last one lead through records.
      holder = (holder?.[step] ?? null) as DataRecord | null;
    }
    return holder;
  }

  /** Goes to a row of a list and to those around it; gives its entry. */
  #enter(list: ListPlace, row: number): unknown {
    this.#entries[list.index] = this.#entryOf(list.index, row);
    this.#rows[list.index] = row;
    let at = row;
    for (let inner = list; inner.around !== null; inner = inner.around) {
      at = this.#rowAround(inner.index, at);
      this.#entries[inner.around.index] = this.#entryOf(inner.around.index, at);
      this.#rows[inner.around.index] = at;
    }
    return this.#entries[list.index] ?? null;
  }

  #viewOf(index: number): ViewValue | null {
    const value = this.values[index];
    return value?.type === 'view' ? value : null;
  }

  #rowsOf(list: number): readonly (readonly string[])[] {
    return (this.#viewOf(list) ?? this.#tree.list(list))?.rows ?? [];
  }

  /** The entry of a row; in a view, the entries of its group. */
  #entryOf(list: number, row: number): unknown {
    const group = this.#groupOf[list]?.[row];
    return group === undefined ? this.#tree.entry(list, row) : this.#groups[list]?.[group];
  }

  /** The row of the list around a list, or of the list that a view shows. */
  #rowAround(list: number, row: number): number {
    const view = this.#viewOf(list);
    return view === null ? this.#tree.parentRow(list, row) : (view.order[row] ?? -1);
  }

  #isWanted({ guards }: Derivation): boolean {
    if (guards.length === 0) return true;
    this.#steps -= guards.length;
    return guards.some((all) => all.every((guard) => this.#isFulfilled(guard) === guard.present));
  }

  /** Whether the value of a condition is there, at the entries that the evaluation is at. */
  #isFulfilled(guard: Condition): boolean {
    if ('list' in guard) {
      const row = this.#rowsOf(guard.list)[this.#rows[guard.list] ?? -1];
      return (row?.[guard.column] ?? '') !== '';
    }
    const value = this.values[guard.field] ?? null;
    if (value?.type === 'table') return value.rows.length > 0;
    if (value?.type !== 'list' && value?.type !== 'view') return value !== null;
    const { parent, starts, rows } = value;
    if (parent < 0) return rows.length > 0;
    const at = this.#rows[parent] ?? -1;
    return (starts[at + 1] ?? rows.length) > (starts[at] ?? rows.length);
  }

  /** The value as the check of a field takes it; undefined, with a defect, when there is none. */
  #evaluate(
    derivation: Derivation,
    list: ListPlace | null,
    row: number,
  ): string | boolean | null | undefined {
    const { inputs, expression, isRequired } = derivation;
    // The object has no prototype, because entries may be called __proto__. Object.create returns
    // any.
    const values = Object.create(null) as Record<string, unknown>;
    for (const { name, list: of, steps } of inputs) {
      let value: unknown = of < 0 ? this.#tree.root : (this.#entries[of] ?? null);
      for (const step of steps) value = memberOf(value, step);
      values[name] = value;
    }
    const steps = Math.min(EXPRESSION_LIMITS.stepsMax, this.#steps);
    const evaluated = expression.evaluate(values, steps);
    this.#steps -= evaluated.steps;
    if (!evaluated.ok) {
      if (steps < EXPRESSION_LIMITS.stepsMax && evaluated.error.code === 'too_many_steps') {
        this.#reportSpent(derivation);
        return undefined;
      }
      this.#reportFault(derivation, list, row, evaluated.error.message);
      return undefined;
    }
    const value = scalarOf(evaluated.value);
    const isAbsent = value === null || value === '';
    if (isAbsent && isRequired) {
      this.#report(this.#placeOf(derivation, list, row), REASONS.required);
    }
    return isAbsent ? null : value;
  }

  /** Called once: nothing is computed after it. */
  #reportSpent(derivation: Derivation): void {
    this.isSpent = true;
    const own = this.#stepsBefore - this.#steps;
    const most = own > this.#most.steps ? fullPath(derivation) : this.#most.path;
    const all = LIMITS.expressionStepsMax.toLocaleString('en-US');
    const reason =
      `with this data, all expressions of the document together take more than ${all} steps; ` +
      `this one takes the most`;
    this.#report(most, notComputed(reason));
  }

  /**
   * Reports why an expression has no value. For an expression of the layout, the reason also names
   * the entry.
   */
  #reportFault(derivation: Derivation, list: ListPlace | null, row: number, why: string): void {
    const isAtEntry = list !== null && derivation.field === null;
    const at = isAtEntry ? `for ${this.#entryPath(list, row)}: ` : '';
    this.#report(this.#placeOf(derivation, list, row), notComputed(at + why));
  }

  /** Reports a value that the check of its type refuses. */
  #refuse(
    derivation: Derivation,
    list: ListPlace | null,
    row: number,
    reason: string,
    value: string | true,
  ): void {
    // The value is a number, but it has more digits than callers may send.
    if (reason === REASONS.numberDigits) {
      const why = tooLong(derivation.expression.excerpt, String(value));
      this.#reportFault(derivation, list, row, why);
    } else this.#report(this.#placeOf(derivation, list, row), reason);
  }

  #placeOf({ field, path }: Derivation, list: ListPlace | null, row: number): string {
    return list === null || field === null ? path : `${this.#entryPath(list, row)}.${path}`;
  }

  /** The path of an entry in the data: `accounts[2].entries[0]`. */
  #entryPath(list: ListPlace, row: number): string {
    const { around } = list;
    const view = this.#viewOf(list.index);
    if (view !== null && around !== null) return this.#entryPath(around, view.order[row] ?? -1);
    const cell = this.#rowsOf(list.index)[row]?.[NUMBER_COLUMN];
    const own = `${list.name}[${Number(cell) - 1}]`;
    if (around === null) return own;
    return `${this.#entryPath(around, this.#tree.parentRow(list.index, row))}.${own}`;
  }

  #report(field: string, reason: string): void {
    if (this.defects.length < LIMITS.defectsMax) this.defects.push({ field, reason });
  }
}

/** Decimals that the message about a number with too many digits proposes. */
const PROPOSED_DECIMALS = 2;

/** Why a number cannot be printed: it has too many digits, with or without its decimals. */
function tooLong(excerpt: string, number: string): string {
  const most = LIMITS.numberDigitsMax;
  const why = `${excerpt} gives a number of more than ${most} digits`;
  const whole = number.replace('-', '').split('.')[0] ?? '';
  if (whole.length + PROPOSED_DECIMALS > most) return `${why}, too large to be printed.`;
  const source = excerpt.includes('…') ? '…' : excerpt.slice(1, -1);
  return `${why}; write round(${source}, ${PROPOSED_DECIMALS}).`;
}

const HOLDS: FieldValue = { type: 'text', display: '1' };

/**
 * The path at which a derivation is written: that of an expression in the layout, or of a computed
 * field.
 */
function fullPath({ field, list, path }: Derivation): string {
  const names: string[] = field === null ? [] : [path];
  if (field === null) return path;
  for (let around = list; around !== null; { around } = around) names.unshift(around.name);
  return names.join('.');
}

function memberOf(value: unknown, name: string): unknown {
  // The path may lead through a record that is absent, and then null.
  return value === null || value === undefined ? null : (value as DataRecord)[name];
}

/** The checks of types leave scalars only. */
function scalarOf(result: Result): string | boolean | null {
  return typeof result === 'object' ? null : result;
}
