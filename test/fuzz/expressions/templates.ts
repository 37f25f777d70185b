import type { Random } from '../../../lab/fuzz-random.ts';
import { shareTemplate, tryRender } from '../../../lab/render.ts';
import {
  DATE,
  type Fields,
  listOf,
  NUMBER,
  optional,
  recordOf,
  TEXT,
  BOOLEAN,
  type Type,
} from '../../../src/expressions/index.ts';
import run from '../../../src/workers/render.ts';
import { Grammar } from './grammar.ts';
import { KINDS, named } from './part.ts';

/** Random templates over random contracts, checked, compiled and rendered with right and wrong data. */

interface Field {
  readonly name: string;
  readonly type: 'text' | 'number' | 'date' | 'record' | 'list';
  readonly required: boolean;
  readonly value?: string;
  readonly fields?: readonly Field[];
}

const NAMES = 'a b rate e in true size map group as desc constructor _x x-y'.split(' ');
const TOP_NAMES = [...NAMES, 'ยอด', 'วันที่ จ่าย', 'net'];

function fieldsOf(random: Random, depth: number, lists: number): readonly Field[] {
  const names = depth === 0 ? TOP_NAMES : NAMES;
  const used = new Set(Array.from({ length: 1 + random.below(5) }, () => random.pick(names, 'a')));
  return [...used].map((name): Field => {
    const required = random.chance(2);
    const isDeep = depth < 3 && /^[A-Za-z_]/.test(name);
    const kind = isDeep ? random.below(6) : 5;
    if (kind < 2 && lists < 3) {
      return { name, type: 'list', required, fields: fieldsOf(random, depth + 1, lists + 1) };
    }
    if (kind === 2)
      return { name, type: 'record', required, fields: fieldsOf(random, depth + 1, lists) };
    const type = random.pick(['text', 'number', 'number', 'date'] as const, 'number');
    return { name, type, required };
  });
}

/** The types that expressions see, as docs/contract.md and docs/templates.md say. */
function typeOf(field: Field): Type {
  const own =
    field.type === 'list'
      ? listOf(entryOf(field.fields ?? []))
      : field.type === 'record'
        ? recordOf(typesOf(field.fields ?? []))
        : { text: TEXT, number: NUMBER, date: DATE }[field.type];
  return field.required || field.type === 'list' ? own : optional(own);
}

const entryOf = (fields: readonly Field[]): Type =>
  recordOf({ ...typesOf(fields), _number: NUMBER, _first: BOOLEAN, _last: BOOLEAN });

function typesOf(fields: readonly Field[]): Fields {
  return Object.fromEntries(fields.map((field) => [field.name, typeOf(field)]));
}

/** The contract with some values computed; half of their expressions have a wrong type. */
function withComputed(random: Random, fields: readonly Field[], around: Fields): readonly Field[] {
  return fields.map((field) => {
    // Leave the field itself out in most templates, because one that reads itself is refused.
    const others = random.chance(40) ? fields : fields.filter((one) => one !== field);
    const known = { ...around, ...typesOf(others) };
    if (field.fields !== undefined) {
      return { ...field, fields: withComputed(random, field.fields, known) };
    }
    if (!random.chance(9)) return field;
    const kind = random.chance(40) ? random.pick(KINDS, 'number') : (field.type as 'number');
    const { source } = new Grammar(random, known).scalar(kind, 1 + random.below(3));
    return { ...field, required: false, value: source };
  });
}

interface Place {
  /** The names of entries around, with the fields of their records. */
  readonly entries: Readonly<Record<string, readonly Field[]>>;
  readonly scope: Fields;
}

class Layout {
  readonly #random: Random;
  readonly #fields: readonly Field[];

  constructor(random: Random, fields: readonly Field[]) {
    this.#random = random;
    this.#fields = fields;
  }

  content(): readonly unknown[] {
    const place = { entries: {}, scope: typesOf(this.#fields) };
    return Array.from({ length: 1 + this.#random.below(4) }, () => this.#node(place, 3));
  }

  #expression(place: Place, kind: 'number' | 'text' | 'date' | 'boolean'): string {
    const { source } = new Grammar(this.#random, place.scope).scalar(
      kind,
      1 + this.#random.below(3),
    );
    return source;
  }

  /** A key to sort or group by; it nearly always reads the entry. */
  #key(as: string, place: Place): string {
    const kind = this.#random.pick(KINDS, 'number');
    const fields = (place.entries[as] ?? []).filter(
      ({ type }) => type !== 'list' && type !== 'record',
    );
    const field = fields[this.#random.below(fields.length)];
    if (field === undefined) return `${named(as)}._number`;
    const path = `${named(as)}.${named(field.name, true)}`;
    const form = this.#random.below(4);
    if (form === 0 && this.#random.chance(4)) return this.#expression(place, kind);
    return form < 2 ? path : `has(${path}) ? ${path} : null`;
  }

  #text(place: Place): string {
    const kind = this.#random.pick(['number', 'text', 'date'] as const, 'number');
    const source = this.#expression(place, this.#random.chance(150) ? 'boolean' : kind);
    return /[{}]/.test(source) ? 'plain' : `x{{= ${source}}}y`;
  }

  #node(place: Place, depth: number): unknown {
    const node = this.#inside(place, depth);
    if (!this.#random.chance(3)) return node;
    const condition = this.#expression(place, this.#random.chance(150) ? 'text' : 'boolean');
    return { [this.#random.chance(3) ? 'unless' : 'if']: `= ${condition}`, stack: [node] };
  }

  #inside(place: Place, depth: number): unknown {
    const form = depth <= 0 ? 0 : this.#random.below(6);
    if (form === 0) return { text: this.#text(place) };
    if (form === 1) return { text: [this.#text(place), { text: this.#text(place), bold: true }] };
    if (form === 2) {
      return { stack: [this.#node(place, depth - 1), this.#node(place, depth - 1)] };
    }
    return this.#each(place, depth) ?? { text: this.#text(place) };
  }

  #each(place: Place, depth: number): unknown {
    const around = Object.entries(place.entries);
    const lists = listsIn(this.#fields, [])
      .filter(
        ({ fields }) => !around.some(([, known]) => known === fields) || this.#random.chance(60),
      )
      .concat(around.flatMap(([name, fields]) => listsIn(fields, [name])));
    const list = lists[this.#random.below(lists.length)];
    if (list === undefined) return null;
    const as = around.length === 0 ? 'in' : `entry${depth}`;
    if (this.#fields.some(({ name }) => name === as)) return null;
    const scope: Fields = { ...place.scope, [as]: entryOf(list.fields) };
    const inner = { entries: { ...place.entries, [as]: list.fields }, scope };
    const key = (): string => this.#key(as, inner) + this.#random.pick(['', ' desc', ' asc'], '');
    const isGrouped = this.#random.chance(2);
    const grouped = {
      entries: inner.entries,
      scope: { ...scope, group: listOf(entryOf(list.fields)) },
    };
    const rest = {
      ...(this.#random.chance(2) ? { filter: `= ${this.#expression(inner, 'boolean')}` } : {}),
      ...(this.#random.chance(2)
        ? { sortBy: this.#random.chance(2) ? key() : [key(), key()] }
        : {}),
      ...(isGrouped ? { groupBy: this.#key(as, inner) } : {}),
    };
    const ends = (make: () => unknown): object =>
      isGrouped ? { groupHeader: make(), groupFooter: make() } : {};
    const each = { each: list.path.join('.'), as, ...rest };
    if (this.#random.chance(3)) {
      const cells = (): unknown => [this.#text(inner), this.#text(inner)];
      const end = (): unknown => [this.#text(grouped), this.#text(inner)];
      const row = { ...each, ...ends(end), cells: cells() };
      return { table: { widths: ['*', '*'], body: [['h', 'h'], row] } };
    }
    return {
      ...each,
      ...ends(() => ({ text: this.#text(grouped) })),
      stack: [this.#node(inner, depth - 1)],
    };
  }
}

interface ListPlace {
  readonly path: readonly string[];
  readonly fields: readonly Field[];
}

function listsIn(fields: readonly Field[], prefix: readonly string[]): ListPlace[] {
  return fields.flatMap((field): ListPlace[] => {
    const path = [...prefix, field.name];
    if (field.type === 'list') return [{ path, fields: field.fields ?? [] }];
    return field.type === 'record' ? listsIn(field.fields ?? [], path) : [];
  });
}

const VALUES = {
  number: ['0', '-0', '0.00', 1, -1, '12345.67', '9'.repeat(40), '-0.005', 7, '7.00', 1e3],
  text: ['a', 'ก', 'เก', 'ขา', '', ' ', '{{a}}', 'ü', '😀', 'Z', 'x'.repeat(300), null],
  date: ['2026-01-31', '0001-01-01', '9999-12-31', '2028-02-29'],
};
const WRONG = [[], {}, 'x', '2026-02-30', true, 5, [[1]], '1e5', [{ a: [] }], null];

function dataOf(random: Random, fields: readonly Field[], wrongOneIn: number): object {
  const members = fields.flatMap((field): [string, unknown][] => {
    if (wrongOneIn > 0 && random.chance(wrongOneIn))
      return [[field.name, random.pick(WRONG, null)]];
    if (field.value !== undefined || (!field.required && random.chance(4))) return [];
    if (field.fields !== undefined) {
      const make = (): object => dataOf(random, field.fields ?? [], wrongOneIn);
      if (field.type === 'record') return [[field.name, make()]];
      return [[field.name, Array.from({ length: random.below(6) }, make)]];
    }
    const values = VALUES[field.type as 'number'] as readonly unknown[];
    const value = random.pick(values, 1);
    return [
      [
        field.name,
        field.required && (value === '' || value === ' ' || value === null) ? 'q' : value,
      ],
    ];
  });
  return Object.fromEntries(members);
}

export interface TemplateCounts {
  templates: number;
  refused: number;
  documents: number;
  invalid: number;
  readonly messages: Map<string, number>;
}

export const newTemplateCounts = (): TemplateCounts => ({
  templates: 0,
  refused: 0,
  documents: 0,
  invalid: 0,
  messages: new Map(),
});

/** One template: findings with places, or documents and invalid_data with paths; nothing else. */
export async function tryTemplate(random: Random, counts: TemplateCounts): Promise<void> {
  const declared = fieldsOf(random, 0, 0);
  const fields = withComputed(random, declared, {});
  const document = { content: new Layout(random, fields).content() };
  const file = JSON.stringify({ templateId: 'f', name: 'F', language: 'th', fields, document });
  const template = shareTemplate(file);
  const result = await run({ kind: 'check', template, renderSamples: true, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error(`not checked\n${file}`);
  counts.templates += 1;
  const errors = result.findings.filter(({ severity }) => severity === 'error');
  for (const { path, message } of errors) {
    if (path === '' || message === '')
      throw new Error(`a finding without a place: ${message}\n${file}`);
    const kind = message.replaceAll(/["`][^"`]*["`]|\d+/gu, '#').slice(0, 70);
    counts.messages.set(kind, (counts.messages.get(kind) ?? 0) + 1);
  }
  if (errors.length > 0) counts.refused += 1;
  // A refused template is not rendered, with whatever data: once is enough.
  for (let turn = 0; turn < 4; turn += 1) {
    const data = dataOf(random, fields, turn < 3 ? 0 : 8);
    const first = await tryRender(template, data);
    const second = turn === 0 ? await tryRender(template, data) : first;
    const told = (what: string): Error => new Error(`${what}\n${file}\n${JSON.stringify(data)}`);
    if (first.ok !== second.ok) throw told('two renders differ');
    if (errors.length > 0) {
      if (first.ok) throw told(`rendered despite ${errors[0]?.path}: ${errors[0]?.message}`);
      return;
    }
    if (first.ok && second.ok) {
      if (Buffer.compare(first.value.pdf, second.value.pdf) !== 0) throw told('two files differ');
      counts.documents += 1;
      continue;
    }
    if (first.ok || second.ok) continue;
    if (first.code !== 'invalid_data') throw told(`${first.code}: ${first.message}`);
    const defects = (first.fields ?? []).map(({ field, reason }) => `${field}: ${reason}`);
    if (defects.length === 0) throw told('invalid_data without a path');
    if (new Set(defects).size < defects.length) throw told(`a defect twice: ${defects.join('; ')}`);
    if (defects.some((defect) => defect.startsWith(': '))) throw told('a defect without a path');
    counts.invalid += 1;
    for (const { reason } of first.fields ?? []) {
      const kind = reason.replaceAll(/`[^`]*`|\d+/gu, '#').slice(0, 70);
      counts.messages.set(kind, (counts.messages.get(kind) ?? 0) + 1);
    }
  }
}
