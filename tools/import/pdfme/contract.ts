import { elementSpans } from '../../../src/runtime/json-spans.ts';
import type { SchemaReader } from './schema-reader.ts';

type FieldType = 'text' | 'date' | 'table' | 'image' | 'svg' | 'qrcode';

interface ContractField {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  readonly description?: string;
  readonly format?: object;
  readonly validation?: object;
}

type FieldRules = Omit<ContractField, 'name' | 'type' | 'required'>;

/** A picture of one pixel, the sample value of a required picture. */
const DOT =
  'data:image/png;base64,' +
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

/** Collects the fields of the contract and sample values during an import. */
export class ImportedContract {
  readonly #fields = new Map<string, ContractField>();
  readonly #sample = new Map<string, unknown>();

  get fields(): readonly ContractField[] {
    return [...this.#fields.values()];
  }

  get sample(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#sample);
  }

  /**
   * Declares the field of a schema, with its content as the sample. Returns the name for
   * placeholders.
   */
  declare(schema: SchemaReader, type: FieldType, rules: FieldRules = {}): string {
    const isRequired = schema.flag('required');
    const name = this.add(schema.text('name'), type, isRequired, rules);
    const sample = sampleOf(schema, type, rules, isRequired);
    if (sample !== undefined && !this.#sample.has(name)) this.#sample.set(name, sample);
    return name;
  }

  /**
   * Declares a field by name; an existing field keeps its type and rules. Returns the name for
   * placeholders.
   */
  add(source: string, type: FieldType, isRequired: boolean, rules: FieldRules = {}): string {
    const name = fieldName(source);
    const earlier = this.#fields.get(name);
    const required = isRequired || earlier?.required === true ? { required: true as const } : {};
    this.#fields.set(name, { ...(earlier ?? { name, type, ...rules }), ...required });
    return name;
  }

  /** Sets the sample value of a field unless it has one. */
  addSample(name: string, value: string): void {
    if (!this.#sample.has(name)) this.#sample.set(name, value);
  }

  has(name: string): boolean {
    return this.#fields.has(fieldName(name));
  }
}

/**
 * Converts a name to one that a placeholder can hold: a name of digits would mean a cell of a row.
 */
export function fieldName(name: string): string {
  return name.replaceAll(/[{}]/g, '_').replace(/^(?=\d*$)/, 'field');
}

function sampleOf(
  schema: SchemaReader,
  type: FieldType,
  rules: FieldRules,
  isRequired: boolean,
): unknown {
  const content = schema.text('content');
  switch (type) {
    case 'text':
    case 'qrcode':
      return presentOf(choiceOf(rules, content, isRequired) ?? content);
    case 'date': {
      const day = content.replaceAll('/', '-').slice(0, 10);
      if (/^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
      return isRequired ? '2026-01-01' : undefined;
    }
    case 'table':
      return rowsOf(content);
    case 'image':
      return isRequired ? DOT : undefined;
    case 'svg':
      return content.startsWith('<svg') ? content : undefined;
  }
}

const presentOf = (text: string): string | undefined => (text === '' ? undefined : text);

/**
 * A valid sample: the content if the field's pattern allows it, else the first choice when
 * required.
 */
function choiceOf({ validation }: FieldRules, content: string, isRequired: boolean): string | null {
  const pattern =
    validation !== undefined && 'pattern' in validation ? String(validation.pattern) : null;
  if (pattern === null) return isRequired && content === '' ? 'x' : null;
  if (new RegExp(pattern, 'u').test(content)) return content;
  const first = /^\^(?:\(\?:)?(.*?)(?:\||\)?\$$)/.exec(pattern)?.[1] ?? '';
  return isRequired ? first.replaceAll(/\\(.)/g, '$1') : '';
}

function rowsOf(content: string): unknown {
  if (content === '') return [];
  try {
    const rows: unknown = JSON.parse(content);
    if (!Array.isArray(rows)) return [];
    // Numbers are cut out of the text, because parsing loses their digits.
    const texts = elementSpans(content, 0);
    return rows.map((row: unknown, index) => {
      const span = texts[index] ?? { from: 0, to: 0 };
      if (!Array.isArray(row)) return [cellText(row, content.slice(span.from, span.to))];
      const cells = elementSpans(content, span.from);
      return row.map((cell: unknown, column) => {
        const { from = 0, to = 0 } = cells[column] ?? {};
        return cellText(cell, content.slice(from, to));
      });
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}

/** The text of a cell; `json` is how it stands in JSON. */
function cellText(cell: unknown, json: string): string {
  if (typeof cell === 'string') return cell;
  return cell === null ? '' : json;
}
