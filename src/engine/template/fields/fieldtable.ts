import { printingFault, type Secrets, useFault } from '../../contract/secrets.ts';
import { PRINTED_TYPES } from '../../contract/definitions.ts';
import { FIELD_TYPES } from '../../contract/types.ts';
import type { FieldDescriptor, FieldType, ListField, PlainField } from '../../contract/types.ts';
import { type EntryColumn, entryColumns, LAST_COLUMN } from '../../contract/nested/columns.ts';
import { type FlatField, flattened, isList } from '../../contract/nested/flatten.ts';
import { ANY_NAME, type Entries, headOf, isEntryPath, UNKNOWN_LIST } from './entries.ts';
import type { TemplateHead } from './fields.ts';
import {
  columnIn,
  declaredPaths,
  fieldInRecord,
  unknownMessage,
  unusedName,
  wordsOf,
} from './names.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { suggested } from '../../../runtime/nearest.ts';

/** Names with another meaning in header, footer and background. */
const PAGE_NAMES: ReadonlySet<string> = new Set(['page', 'pages']);

/** The number and the marks of an entry, which a view has of its own. */
const PLACES = entryColumns([]);

/** A value of the entries of a list that a placeholder prints. */
export interface BoundEntry {
  readonly list: number;
  readonly column: number;
  readonly rawColumn: number;
  readonly of: PlainField;
}

/** The contract's fields by name, and which of them the layout has used. */
export class FieldTable {
  /** By index; behind those of the contract stand the values of expressions of the layout. */
  readonly #fields: FieldDescriptor[];
  readonly #indexes = new Map<string, number>();
  /** By index of a view: its list. */
  readonly #views = new Map<number, number>();
  readonly #bound = new Set<number>();
  /** Values of entries that the layout has used: index of the list and column. */
  readonly #boundColumns = new Set<string>();
  /** Lists whose entries' unformatted values are read by something other than an expression. */
  readonly #rawLists = new Set<number>();
  readonly #flat: readonly FlatField[];
  /** Paths of declared fields that are not in the contract, because their declarations are faulty. */
  readonly #faulty: ReadonlySet<string>;
  /** The last name of each of these paths. */
  readonly #faultyNames: ReadonlySet<string>;
  readonly #findings: Findings;
  readonly #secrets: Secrets;

  constructor(
    { declared: contract, secrets }: Pick<TemplateHead, 'declared' | 'secrets'>,
    declared: readonly unknown[],
    findings: Findings,
  ) {
    this.#faulty = new Set(declaredPaths(declared)).difference(new Set(declaredPaths(contract)));
    this.#faultyNames = new Set([...this.#faulty].map((path) => path.split('.').at(-1) ?? ''));
    this.#findings = findings;
    this.#secrets = secrets;
    this.#flat = flattened(contract);
    this.#fields = this.#flat.map(({ field }) => field);
    this.#fields.forEach((field, index) => this.#indexes.set(field.name, index));
  }

  get fields(): readonly FieldDescriptor[] {
    return this.#fields;
  }

  /** Whether a path leads to or through a field with a faulty declaration, which has been reported. */
  isFaulty(path: string): boolean {
    if (this.#faulty.size === 0) return false;
    const names = path.split('.');
    return names.some((_, index) => this.#faulty.has(names.slice(0, index + 1).join('.')));
  }

  /** Whether any field with a faulty declaration has this name, at any depth. */
  hasFaulty(name: string): boolean {
    return this.#faultyNames.has(name);
  }

  /** Adds the value of an expression, named after its place; gives its index. */
  addField(field: PlainField, path: string): number {
    const names = this.#fields.map(({ name }) => name);
    return this.#fields.push({ ...field, name: unusedName(path, names) }) - 1;
  }

  /** Adds a view of a list, for one `each`; gives its index. */
  addView(list: number, path: string): number {
    const names = this.#fields.map(({ name }) => name);
    const name = unusedName(path, names);
    const index = this.#fields.push({ name, type: 'list', required: false, fields: [] }) - 1;
    this.#views.set(index, list);
    return index;
  }

  /** The list that a view shows; any other list itself. */
  viewed(list: number): number {
    return this.#views.get(list) ?? list;
  }

  /** The values of expressions of the layout, without those of entries. */
  get added(): readonly FieldDescriptor[] {
    return this.#fields.slice(this.#flat.length);
  }

  /** Adds a value to the entries of a list; gives its columns. */
  addColumn(list: number, field: PlainField, path: string): EntryColumn {
    const owner = this.#listAt(list);
    const names = owner.fields.map(({ name }) => name);
    const added = { ...field, name: unusedName(path, names) };
    const fields = [...owner.fields, added];
    this.#fields[list] = { ...owner, fields };
    return columnIn(fields, added.name);
  }

  /** The columns of a field of entries, by its path in the contract. */
  columnsOf(list: number, path: string): EntryColumn {
    const { name, fields } = this.#listAt(list);
    return columnIn(fields, path.slice(name.length + 1));
  }

  /** A list without the values of expressions. */
  declaredList(list: number): ListField {
    const field = this.#flat[list]?.field;
    if (field === undefined || !isList(field)) throw new RangeError('no such list');
    return field;
  }

  /** A list and those around it, from the inside. */
  listsAround(list: number): readonly number[] {
    return list < 0 ? [] : [list, ...this.listsAround(this.parentOf(list))];
  }

  /** The list in whose entries a field stands, or that a view shows; -1: there is none. */
  parentOf(index: number): number {
    return this.#views.get(index) ?? this.#flat[index]?.parent ?? -1;
  }

  /** Counts a field as used, of which is asked only whether it is there or how long it is. */
  markAsked(path: readonly string[]): void {
    const name = path.join('.');
    for (const [index, { field }] of this.#flat.entries()) {
      const isAround = name.startsWith(`${field.name}.`);
      if (isAround || field.name === name) this.#bound.add(index);
      if (isAround && isList(field)) {
        this.#boundColumns.add(`${index}.${name.slice(field.name.length + 1)}`);
      }
    }
  }

  /** Counts a value of the contract as used, with all that is in it. */
  markRead(path: readonly string[]): void {
    const name = path.join('.');
    for (const [index, { field }] of this.#flat.entries()) {
      const isInside = field.name === name || field.name.startsWith(`${name}.`);
      const isAround = name.startsWith(`${field.name}.`);
      if (isInside || isAround) this.#bound.add(index);
      if (!isList(field)) continue;
      for (const column of entryColumns(field.fields)) {
        const own = `${field.name}.${column.name}`;
        const isRead = own === name || own.startsWith(`${name}.`);
        if (isRead) this.#boundColumns.add(`${index}.${column.name}`);
      }
    }
  }

  /** Notes that something other than an expression reads unformatted values of the list's entries. */
  markRaw(list: number): void {
    this.#rawLists.add(list);
  }

  readsRaw(list: number): boolean {
    return this.#rawLists.has(list);
  }

  #listAt(index: number): ListField {
    const field = this.descriptor(index);
    if (!isList(field)) throw new RangeError('no such list');
    return field;
  }

  /** The index of a field, or null when none has this name. Adds no finding. */
  find(name: string): number | null {
    return this.#indexes.get(name) ?? null;
  }

  /** The descriptor at an index that exists. */
  descriptor(index: number): FieldDescriptor {
    const field = this.#fields[index];
    if (field === undefined) throw new RangeError('no such field');
    return field;
  }

  /**
   * The index of a declared field of one of the types, which is not secret; else null, with a finding.
   */
  bind(name: string, path: string, types: readonly FieldType[], use: string): number | null {
    return this.#permitted(this.#bind(name, path, types, use), path, () => useFault(name));
  }

  /** The same for a condition, which tells only whether a secret field has a value. */
  bindCondition(
    name: string,
    path: string,
    entries: Entries,
  ): { readonly field: number } | { readonly list: number; readonly column: number } | null {
    if (this.reportOfEntry(name, path, entries)) return null;
    if (!this.isEntryPath(name, entries)) {
      const field = this.#bind(name, path, FIELD_TYPES, 'a condition');
      return field === null ? null : { field };
    }
    const found = this.#findEntry(name, path, entries);
    if (found === null) return null;
    return typeof found === 'number'
      ? { field: found }
      : { list: found.list, column: found.column.column };
  }

  /** Whether a name must be looked up among the entries of the enclosing `each`. */
  isEntryPath(name: string, entries: Entries): boolean {
    if (isEntryPath(name, entries)) return true;
    const head = headOf(name);
    return entries.has(ANY_NAME) && head !== name && this.find(head) === null;
  }

  /** The table or list that an `each` repeats over; null, with a finding, if there is none. */
  bindEach(name: string, path: string, entries: Entries): number | null {
    if (this.reportOfEntry(name, path, entries)) return null;
    const found = this.isEntryPath(name, entries)
      ? this.#findEntry(name, path, entries)
      : this.bind(name, path, ['table', 'list'], '"each"');
    if (found === null) return null;
    if (typeof found !== 'number') {
      this.#findings.error(
        path,
        `${JSON.stringify(name)} is no list; "each" needs a table or list.`,
      );
      return null;
    }
    return this.#notAround(found, path, entries);
  }

  /** Null, with a finding, if an enclosing `each` already repeats over this list. */
  #notAround(found: number, path: string, entries: Entries): number | null {
    if (![...entries.values()].some((list) => this.viewed(list) === found)) return found;
    this.#findings.error(path, 'The "each" around it goes over this list already.');
    return null;
  }

  /**
   * Reports the name of a field in an enclosing entry if it is written without the name of the
   * entry: `price` instead of `line.price`. Returns whether it reported.
   */
  reportOfEntry(name: string, path: string, entries: Entries): boolean {
    if (entries.size === 0 || this.find(name) !== null || entries.has(headOf(name))) return false;
    for (const [entry, at] of [...entries].toReversed()) {
      if (at === UNKNOWN_LIST) continue;
      const list = this.viewed(at);
      const inner = this.find(`${this.descriptor(list).name}.${name}`);
      const isColumn = this.#columnsOf(list).some((column) => column.name === name);
      if (inner === null && !isColumn) continue;
      this.#findings.error(
        path,
        `There is no field ${JSON.stringify(name)}${suggested(`${entry}.${name}`)}`,
      );
      if (inner === null) this.#boundColumns.add(`${list}.${name}`);
      else this.#bound.add(inner);
      return true;
    }
    return false;
  }

  /** A value of an entry for a placeholder in a text; null, with a finding, if it cannot be printed. */
  bindEntry(name: string, path: string, entries: Entries): BoundEntry | null {
    const found = this.#findEntry(name, path, entries);
    if (found === null) return null;
    const quoted = JSON.stringify(name);
    if (typeof found === 'number') {
      const message = `${quoted} is a list; put "each": ${quoted} on a node, and print values of its entries.`;
      this.#findings.error(path, message);
      return null;
    }
    const { of, column, rawColumn } = found.column;
    if (of !== 'record') return { list: found.list, column, rawColumn, of };
    this.#findings.error(path, `${quoted} is a record; name one of its fields: {{${name}.…}}.`);
    return null;
  }

  /** The table or list whose amounts a statement table adds up; null, with a finding, if none. */
  bindSummed(name: string, path: string, entries: Entries): number | null {
    if (this.isEntryPath(name, entries)) return this.bindEach(name, path, entries);
    if (this.reportOfEntry(name, path, entries)) return null;
    const found = this.bind(name, path, ['table', 'list'], 'a statement');
    return found === null ? null : this.#notAround(found, path, entries);
  }

  /** The column with unformatted values of a list's number field; null, with a finding, if none. */
  bindAmount(list: number, name: string, path: string): number | null {
    const columns = this.#columnsOf(list).filter(({ column }) => column > LAST_COLUMN);
    const column = columns.find((one) => one.name === name);
    const owner = JSON.stringify(this.descriptor(list).name);
    const quoted = JSON.stringify(name);
    const names = columns.map((one) => one.name);
    const used = column === undefined ? this.#findings.nearest(name, names) : name;
    if (used !== null) this.#boundColumns.add(`${list}.${used}`);
    const type = column?.of === 'record' ? 'record' : column?.of.type;
    if (column !== undefined && type === 'number') {
      this.markRaw(list);
      return column.rawColumn;
    }
    const hint = used === null ? '; name a number field of its entries.' : suggested(used);
    const message =
      column === undefined
        ? `Entries of ${owner} have no field ${quoted}${hint}`
        : `${quoted} is of type ${type}; a balance adds up numbers.`;
    this.#findings.error(path, message);
    return null;
  }

  /** The path of a value of entries in the contract. */
  entryName(list: number, { name }: PlainField): string {
    return `${this.descriptor(list).name}.${name}`;
  }

  /** A value of an entry, or the index of a list in it; null, with a finding, if there is none. */
  #findEntry(
    name: string,
    path: string,
    entries: Entries,
  ): number | { readonly list: number; readonly column: EntryColumn } | null {
    const head = headOf(name);
    const at = entries.get(head) ?? UNKNOWN_LIST;
    if (at === UNKNOWN_LIST) return null;
    const own = name.slice(head.length + 1);
    const list = this.viewed(at);
    const place = list === at ? undefined : PLACES.find((one) => one.name === own);
    if (place !== undefined) return { list: at, column: place };
    if (own === '') {
      const message = `${JSON.stringify(head)} is an entry of a list; name one of its fields: {{${head}.…}}.`;
      this.#findings.error(path, message);
      return null;
    }
    const inner = this.find(`${this.descriptor(list).name}.${own}`);
    if (inner !== null) {
      this.#bound.add(inner);
      return inner;
    }
    const columns = this.#columnsOf(list);
    const column = columns.find((one) => one.name === own);
    if (column !== undefined) {
      this.#boundColumns.add(`${list}.${own}`);
      return { list, column };
    }
    const lists = this.#flat.flatMap(({ field, parent }) =>
      parent === list ? [field.name.slice(this.descriptor(list).name.length + 1)] : [],
    );
    if (this.isFaulty(`${this.descriptor(list).name}.${own}`)) return null;
    const near = this.#findings.nearest(own, [...columns.map((one) => one.name), ...lists]);
    const hint = near === null ? `; declare it in its fields.` : suggested(`${head}.${near}`);
    const quoted = JSON.stringify(own);
    const owner = JSON.stringify(this.descriptor(list).name);
    this.#findings.error(path, `Entries of ${owner} have no field ${quoted}${hint}`);
    if (near !== null) this.#boundColumns.add(`${list}.${near}`);
    return null;
  }

  #columnsOf(list: number): readonly EntryColumn[] {
    const field = this.descriptor(list);
    return isList(field) ? entryColumns(field.fields) : [];
  }

  /**
   * The same for a placeholder in a text of the layout, which prints a secret field through its mask.
   * `mask`: that of the format at the placeholder.
   */
  bindPrinted(name: string, path: string, mask: string | null): number | null {
    const index = this.#bind(name, path, PRINTED_TYPES, `{{${name}}} in a text`);
    return this.#permitted(index, path, (field) => printingFault(field, mask));
  }

  #permitted(
    index: number | null,
    path: string,
    faultOf: (field: FieldDescriptor) => string | null,
  ): number | null {
    if (index === null) return null;
    const field = this.descriptor(index);
    const fault = this.#secrets.isSecret(field.name) ? faultOf(field) : null;
    if (fault === null) return index;
    this.#findings.error(path, fault);
    return null;
  }

  #bind(name: string, path: string, types: readonly FieldType[], use: string): number | null {
    const index = this.find(name);
    if (index === null) {
      if (!this.isFaulty(name)) this.#reportUnknown(name, path);
      return null;
    }
    this.#bound.add(index);
    if ((this.#flat[index]?.parent ?? -1) >= 0) {
      this.#reportOutside(name, path);
      return null;
    }
    const type = this.descriptor(index).type;
    if (types.length === 0 || types.includes(type)) return index;
    this.#findings.error(
      path,
      `Field ${JSON.stringify(name)} is of type ${type}; ${use} needs ${types.join(' or ')}.`,
    );
    return null;
  }

  /** Reports a path into a list where no `each` is at an entry of it. */
  #reportOutside(name: string, path: string): void {
    const list = this.#flat.find(
      ({ field, parent }) => isList(field) && parent < 0 && name.startsWith(`${field.name}.`),
    )?.field.name;
    if (list === undefined) return;
    const inside = name.slice(list.length + 1);
    const message =
      `${JSON.stringify(list)} is a list: put {"each": ${JSON.stringify(list)}, "as": "entry"} on ` +
      `this node or one around it, and write "entry.${inside.replace(/^\d+\./, '')}"` +
      (/^\d/.test(inside) ? `; one entry alone is read by {{= ${list}[0]}}.` : '.');
    this.#findings.error(path, message);
  }

  #reportUnknown(name: string, path: string): void {
    const list = this.#flat.find(({ field }) => isList(field) && name.startsWith(`${field.name}.`));
    if (list !== undefined) {
      this.#bound.add(this.#flat.indexOf(list));
      this.#reportOutside(name, path);
      return;
    }
    const [indexed = ''] = name.split('[');
    if (indexed !== name && this.find(indexed.trim()) !== null) {
      this.#bound.add(this.find(indexed.trim()) ?? -1);
      this.#findings.error(path, `${JSON.stringify(name)} is an expression: write {{= ${name}}}.`);
      return;
    }
    // Other template languages have filters: {{name | upper}}.
    const [plain = name] = name.split('|').map((part) => part.trim());
    const near =
      this.find(plain) === null
        ? (this.#findings.nearest(plain, this.#indexes.keys()) ??
          fieldInRecord(plain, this.#indexes.keys()))
        : plain;
    const isHeadKnown = this.find(headOf(name)) !== null;
    this.#findings.error(path, unknownMessage(name, near, isHeadKnown));
    if (near === null) for (const word of wordsOf(name)) this.#bound.add(this.find(word) ?? -1);
    // The field that was probably meant counts as bound.
    const meant = near === null ? null : this.find(near);
    if (meant !== null) this.#bound.add(meant);
  }

  /** Warns of fields that nothing in the document uses, and of names that {{page}} and {{pages}} hide. */
  reportUnbound(mentioned: ReadonlySet<string>): void {
    this.#flat.forEach(({ field, steps }, index) => {
      const path = steps.map((step) => `fields[${step}]`).join('.');
      const isUsed = field.type === 'record' || this.#bound.has(index) || mentioned.has(field.name);
      // A secret field may be there for the password of the document alone.
      if (!isUsed && !this.#secrets.isSecret(field.name)) {
        const name = JSON.stringify(field.name);
        this.#findings.warning(path, `Field ${name} is declared, but nothing is bound to it.`);
      } else if (isList(field) && !this.#findings.failed) {
        this.#reportUnboundIn(field, index, path);
      }
      if (PAGE_NAMES.has(field.name)) {
        const message = `In header, footer and background {{${field.name}}} is the page number, not this field.`;
        this.#findings.warning(`${path}.name`, message);
      }
    });
  }

  /** Warns of values of a list's entries that nothing in the document uses. */
  #reportUnboundIn({ name, fields }: ListField, index: number, path: string): void {
    const report = (inner: readonly FieldDescriptor[], prefix: string, at: string): void => {
      for (const [position, field] of inner.entries()) {
        const own = prefix + field.name;
        const place = `${at}.fields[${position}]`;
        if (field.type === 'record') report(field.fields, `${own}.`, place);
        else if (field.type !== 'list' && !this.#boundColumns.has(`${index}.${own}`)) {
          const quoted = JSON.stringify(`${name}.${own}`);
          const message = `Field ${quoted} is declared, but nothing is bound to it.`;
          this.#findings.warning(place, message);
        }
      }
    };
    report(fields, '', path);
  }
}
