import {
  compile,
  describeType,
  listOf,
  EXISTENCE,
  type Expression,
  type ExpressionError,
  readPaths,
  type ReadPath,
} from '../../../expressions/index.ts';
import { LIMITS } from '../../../limits.ts';
import type { FieldDescriptor, PlainField, PlainType } from '../../contract/types.ts';
import { useFault } from '../../contract/secrets.ts';
import type { Condition } from '../../model/nodes.ts';
import type { CompileScope } from '../context.ts';
import { UNKNOWN_LIST } from '../fields/entries.ts';
import type { ComputedField, TemplateHead } from '../fields/fields.ts';
import type { BoundEntry, FieldTable } from '../fields/fieldtable.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { layersOf } from './layers.ts';
import { entryType, type Head, type Names, namesIn, scopeOf } from './names.ts';
import { orderOf } from './order.ts';

/** A compiled expression with the names that it reads. */
interface Compiled {
  readonly expression: Expression;
  readonly heads: readonly (Head & { readonly name: string })[];
  /** What it reads, as paths of the contract. */
  readonly reads: readonly ReadPath[];
}

/** A computed field of the contract, or an expression of the layout with the place of its value. */
export interface Value extends Compiled {
  /** Index of the list for each of whose entries it is computed; -1: once for a document. */
  readonly list: number;
  /** Its path in the contract; a value of the layout has one that no caller can send. */
  readonly name: string;
  /** null: a condition. */
  readonly of: PlainField | null;
  /** A field of the contract; null: an expression of the layout. */
  readonly computed: ComputedField | null;
  readonly index: number;
  readonly column: number;
  readonly rawColumn: number;
  readonly path: string;
  /** It is computed where one of these holds whole, so that a condition can guard what it hides. */
  readonly guards: (readonly Condition[])[];
}

/** A value by which entries are sorted or grouped: where it stands in the rows of their list. */
export interface EntryKey {
  readonly column: number;
  /** boolean: `column` holds a text where it is true. */
  readonly kind: 'number' | 'text' | 'date' | 'boolean';
}

export interface SortKey extends EntryKey {
  readonly isDescending: boolean;
}

/** What an `each` goes over instead of a list: some of its entries, sorted, in groups. */
export interface View {
  readonly view: number;
  readonly path: string;
  readonly list: number;
  readonly filter: Condition | null;
  readonly keys: readonly SortKey[];
  readonly group: EntryKey | null;
}

/** Places of one expression whose conditions it keeps apart. */
const GUARDS_MAX = 8;

type Place = Pick<CompileScope, 'entries' | 'guards' | 'group'>;

/** The value of an expression in a text: a field that nobody sends, or a value of entries. */
type Bound = { readonly field: number } | { readonly entry: BoundEntry };

const PRINTED: ReadonlySet<string> = new Set(['number', 'text', 'date']);
/** The kinds of values that computed fields of these types have. */
const KIND_OF = new Map<PlainType, string>([
  ['text', 'text'],
  ['qrcode', 'text'],
  ['number', 'number'],
  ['date', 'date'],
]);

/** The expressions of a template, compiled while its layout is read. */
export class Expressions {
  /** In the order in which they are computed. */
  readonly values: (Value | View)[] = [];
  readonly #fields: FieldTable;
  readonly #head: Pick<TemplateHead, 'declared' | 'secrets' | 'computed'>;
  readonly #findings: Findings;
  /** By source and by what the names in it mean. */
  readonly #known = new Map<string, Value>();
  #views = 0;

  constructor(
    head: Pick<TemplateHead, 'declared' | 'secrets' | 'computed'>,
    fields: FieldTable,
    findings: Findings,
  ) {
    this.#head = head;
    this.#fields = fields;
    this.#findings = findings;
    this.#compileFields();
  }

  /** The value of `{{= source }}`; null, with findings, when it cannot be printed. */
  bindPrinted(
    source: string,
    path: string,
    place: Place & Pick<CompileScope, 'format'>,
  ): Bound | null {
    const value = this.#bind(source, path, place, (found) => {
      const { kind } = found.type.kind === 'optional' ? found.type.of : found.type;
      if (PRINTED.has(kind)) return { name: '', type: kind as PlainType, required: false };
      const hint = kind === 'boolean' ? '; write condition ? "yes" : "no"' : '';
      const message = `The expression gives ${describeType(found.type)}; a text prints numbers, texts and dates${hint}.`;
      this.#findings.error(path, message);
      return undefined;
    });
    if (value === null) return null;
    const { index, list, column, rawColumn, of, reads } = value;
    if (of?.type === 'text' && (place.format?.mask ?? null) === null) {
      for (const read of reads) this.#warnOfMask(read, path);
    }
    if (list < 0 || of === null) return { field: index };
    return { entry: { list, column, rawColumn, of } };
  }

  /**
   * Warns if a field that an expression reads has a mask: expressions read values as they were
   * sent, so the mask is not applied.
   */
  #warnOfMask(read: ReadPath, path: string): void {
    let fields: readonly FieldDescriptor[] = this.#head.declared;
    let field: FieldDescriptor | undefined;
    for (const step of read) {
      field = fields.find(({ name }) => name === step);
      fields = field !== undefined && 'fields' in field ? field.fields : [];
    }
    if (field?.format?.mask === undefined) return;
    const message =
      `Field ${read.join('.')} has a mask, which the expression does not apply: if the ` +
      'expression prints the field, give the text "format": {"mask": …}, too.';
    this.#findings.warning(path, message);
  }

  /** The condition of `if` or `unless`: a value that is present when the condition holds. */
  bindCondition(
    source: string,
    path: string,
    place: Place,
  ): { readonly field: number } | { readonly list: number; readonly column: number } | null {
    const value = this.#bind(source, path, place, ({ type }) => {
      if (type.kind === 'boolean') return null;
      const message = `The expression gives ${describeType(type)}; a condition is true or false.`;
      this.#findings.error(path, message);
      return undefined;
    });
    if (value === null) return null;
    const { index, list, column } = value;
    return list < 0 ? { field: index } : { list, column };
  }

  /** What entries of a list are sorted or grouped by; null, with findings, when nothing can be. */
  bindKey(source: string, path: string, place: Place, list: number): EntryKey | null {
    let kind: EntryKey['kind'] = 'boolean';
    const value = this.#bind(source, path, place, ({ type }) => {
      const { kind: own } = type.kind === 'optional' ? type.of : type;
      if (own === 'boolean') return null;
      if (own === 'number' || own === 'text' || own === 'date') {
        kind = own;
        return { name: '', type: own, required: false };
      }
      const message = `The expression gives ${describeType(type)}; entries are ordered by numbers, texts, dates or conditions.`;
      this.#findings.error(path, message);
      return undefined;
    });
    if (value === null) return null;
    if (value.list === list) return { column: value.rawColumn, kind };
    this.#findings.error(path, 'The expression reads nothing of the entry.');
    return null;
  }

  /** Makes a view, and gives its index; null, with a finding: there are too many. */
  addView(view: Omit<View, 'view'>): number | null {
    if (this.#views >= LIMITS.expressionsMax) {
      const message = `A template filters, sorts or groups ${LIMITS.expressionsMax} times at most.`;
      this.#findings.error(view.path, message);
      return null;
    }
    this.#views += 1;
    const index = this.#fields.addView(view.list, view.path);
    this.values.push({ ...view, view: index });
    return index;
  }

  /** Compiles an expression of the layout; `typed` gives the field of its value, null for a condition. */
  #bind(
    source: string,
    path: string,
    { entries, guards, group }: Place,
    typed: (expression: Expression) => PlainField | null | undefined,
  ): Value | null {
    if ([...entries.values()].includes(UNKNOWN_LIST)) return null;
    const names = new Map(this.#topNames());
    for (const [name, list] of entries) {
      names.set(name, this.#entryHead(this.#fields.viewed(list)));
    }
    if (group !== null) {
      const { type, path: at } = this.#entryHead(this.#fields.viewed(group));
      names.set('group', { type: listOf(type), path: at, list: group, steps: [] });
    }
    const compiled = this.#compile(source, names, path);
    if (compiled === null) return null;
    const list = this.#listOf(compiled, guards, path);
    if (list === undefined) return null;
    const levels = new Set([-1, ...this.#fields.listsAround(list)]);
    const own = guards.filter((guard) => levels.has(this.#levelOf(guard)));
    const field = typed(compiled.expression);
    if (field === undefined) return null;
    const kind = field?.type ?? 'condition';
    const key = JSON.stringify([kind, list, source, compiled.heads.map(({ path: at }) => at)]);
    const known = this.#known.get(key);
    if (known !== undefined && known.guards.length < GUARDS_MAX && this.#isAfter(known, own)) {
      known.guards.push(own);
      return known;
    }
    if (this.#known.size >= LIMITS.expressionsMax) {
      const message = `A template has ${LIMITS.expressionsMax} different expressions at most.`;
      this.#findings.error(path, message);
      return null;
    }
    const of: PlainField = field ?? { name: '', type: 'text', required: false };
    const place = this.#place(of, list, path);
    const value: Value = {
      ...compiled,
      ...place,
      list,
      of: field,
      computed: null,
      path,
      guards: [own],
    };
    this.values.push(value);
    this.#known.set(key, value);
    return value;
  }

  /**
   * Whether `value` is computed after everything that the conditions depend on. Otherwise the
   * result of a condition would not be known in time, and the value would be missing where the
   * condition holds.
   */
  #isAfter(value: Value, guards: readonly Condition[]): boolean {
    const at = this.values.indexOf(value);
    return guards.every((guard) => {
      const asked = this.values.findLastIndex((one) => isAskedBy(one, guard));
      return asked < at;
    });
  }

  /** Makes room for a value of the layout. */
  #place(
    of: PlainField,
    list: number,
    path: string,
  ): Pick<Value, 'name' | 'index' | 'column' | 'rawColumn'> {
    if (list < 0) {
      const index = this.#fields.addField(of, path);
      return { name: this.#fields.descriptor(index).name, index, column: 0, rawColumn: 0 };
    }
    const { name, column, rawColumn } = this.#fields.addColumn(list, of, path);
    const owner = this.#fields.descriptor(list).name;
    return { name: `${owner}.${name}`, index: -1, column, rawColumn };
  }

  /**
   * The innermost list that an expression, or a condition around it, reads entries of; undefined, with
   * a finding: the expression reads lists apart.
   */
  #listOf({ heads }: Compiled, guards: readonly Condition[], path: string): number | undefined {
    const chainOf = (lists: readonly number[]): readonly number[] | null => {
      const chains = lists.map((list) => this.#fields.listsAround(list));
      const [longest = []] = chains.toSorted((a, b) => b.length - a.length);
      return lists.every((list) => list < 0 || longest.includes(list)) ? longest : null;
    };
    let chain = chainOf(heads.map(({ list }) => list));
    if (chain === null) {
      const message =
        'The expression reads entries of lists that do not stand in one another; an expression can ' +
        'read one entry and those around it.';
      this.#findings.error(path, message);
      return undefined;
    }
    for (const guard of guards) chain = chainOf([...chain, this.#levelOf(guard)]) ?? chain;
    return chain[0] ?? -1;
  }

  /** The list at whose entries a condition is asked; -1: once for a document. */
  #levelOf(guard: Condition): number {
    return 'list' in guard ? guard.list : this.#fields.parentOf(guard.field);
  }

  #topNames(): Names {
    const { declared, secrets } = this.#head;
    const open = declared.filter(({ name }) => !secrets.isSecret(name));
    return namesIn(open, { path: [], list: -1, steps: [] });
  }

  #entryHead(list: number): Head {
    const field = this.#fields.declaredList(list);
    return { type: entryType(field.fields), path: field.name.split('.'), list, steps: [] };
  }

  #compile(source: string, names: Names, path: string): Compiled | null {
    const compiled = compile(source, scopeOf(names));
    if (!compiled.ok) {
      for (const one of compiled.errors) this.#report(one, source, path, names);
      // The names in a faulty expression are in use, so they are not reported as unused.
      for (const read of readPaths(source) ?? []) this.#markRead(read, names);
      return null;
    }
    const reads = compiled.reads.map((read) => this.#markRead(read, names));
    const own = new Set(compiled.reads.map(([name]) => name));
    const heads = Array.from(names, ([name, head]) => ({ ...head, name }));
    return { expression: compiled, reads, heads: heads.filter(({ name }) => own.has(name)) };
  }

  /** The path of a read in the contract, which counts as used. */
  #markRead([name = '', ...rest]: ReadPath, names: Names): ReadPath {
    const path = [...(names.get(name)?.path ?? [name]), ...rest];
    if (path.at(-1) === EXISTENCE) this.#fields.markAsked(path.slice(0, -1));
    else this.#fields.markRead(path);
    return path;
  }

  #report(
    { code, message, line, column, start, end }: ExpressionError,
    source: string,
    path: string,
    names: Names,
  ): void {
    const name = source.slice(start, end);
    const last = name.split('.').at(-1)?.trim() ?? '';
    if (code === 'unknown_name' && this.#fields.hasFaulty(last)) return;
    const own =
      code === 'unknown_name' ? (unknownName(name, source.slice(end), names) ?? message) : message;
    const text = this.#head.secrets.isSecret(name) ? useFault(name) : own;
    const at = source.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`;
    this.#findings.error(path, `Expression, ${at}: ${text}`);
  }

  /** Compiles the computed fields of the contract, each after those that it reads. */
  #compileFields(): void {
    const found = this.#head.computed.flatMap((computed): Value[] => {
      const value = this.#compileField(computed);
      return value === null ? [] : [value];
    });
    const ordered = orderOf(found.map((value) => ({ path: pathOf(value), reads: value.reads })));
    if ('order' in ordered) {
      this.values.push(...ordered.order.flatMap((index) => found[index] ?? []));
      return;
    }
    const cycle = ordered.cycle.flatMap((index) => found[index]?.computed ?? []);
    const [first] = cycle;
    const way = [...cycle, first].map((one) => one?.name ?? '').join(' → ');
    const message = `The value of this field depends on itself: ${way}.`;
    this.#findings.error(`${first?.path ?? 'fields'}.value`, message);
  }

  #compileField(computed: ComputedField): Value | null {
    const { source, field } = computed;
    const path = `${computed.path}.value`;
    const layers = layersOf(computed, this.#head, (name) => this.#fields.find(name));
    const compiled = this.#compile(source, layers.names, path);
    if (compiled === null) return null;
    const { type } = compiled.expression;
    const { kind } = type.kind === 'optional' ? type.of : type;
    if (kind !== KIND_OF.get(field.type) && kind !== 'null') {
      const hint = field.type === 'text' ? '; write string(…)' : '';
      const message = `The expression gives ${describeType(type)}, and the field is of type ${field.type}${hint}.`;
      this.#findings.error(path, message);
      return null;
    }
    const { list } = layers;
    const { name } = computed;
    const place =
      list < 0
        ? { index: this.#fields.find(name) ?? -1, column: 0, rawColumn: 0 }
        : { ...this.#fields.columnsOf(list, name), index: -1 };
    return { ...compiled, ...place, name, list, of: field, computed, path: name, guards: [[]] };
  }
}

/** A message for an unknown name that is known elsewhere; null if it is known nowhere. */
function unknownName(name: string, behind: string, names: Names): string | null {
  if (name === 'group') {
    return 'There is no "group" here: only groupHeader and groupFooter know it, as the entries of the group.';
  }
  const inside = ([, { type }]: readonly [string, Head]): boolean =>
    type.kind === 'record' && Object.hasOwn(type.fields, name);
  // The innermost entry first.
  const holder = [...names].toReversed().find(inside)?.[0];
  if (holder !== undefined) return `There is no "${name}"; did you mean "${holder}.${name}"?`;
  const member = /^\.([A-Za-z_]\w*)/.exec(behind)?.[1] ?? '';
  const beside = names.get(member);
  // The layout writes "line.price" where a computed field of the entry must write "price".
  return beside === undefined || beside.list < 0 || beside.steps.length === 0
    ? null
    : `There is no "${name}"; name a field of the same entry without a prefix: "${member}".`;
}

/** Whether a condition depends on the value, or on the entries of the view. */
function isAskedBy(one: Value | View, guard: Condition): boolean {
  if ('view' in one) return one.view === ('list' in guard ? guard.list : guard.field);
  if ('field' in guard) return one.list < 0 && one.index === guard.field;
  return one.list === guard.list && one.column === guard.column;
}

function pathOf({ computed }: Value): readonly string[] {
  return computed?.steps ?? [];
}
