import { LIMITS } from '../../src/limits.ts';
import type { Field, Sample, TunedTemplate } from './workload.ts';

/** The body of a request: a sample as it is, or one whose digits were changed. */
export interface Body {
  /** The id in the measured service: `t0`, `t1`, … */
  readonly templateId: string;
  /** Template and sample, for messages. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The body is an unchanged sample, which must succeed. */
  readonly isSample: boolean;
}

/** Limits of all bodies, and of those made of one sample. */
const BODIES_MAX = 512;
const BODIES_BYTES_MAX = 64 * 1_048_576;
const VARIANTS_MAX = 32;
/** Smaller numbers stay as they are: they may mean something, such as a day of the month or a rate. */
const NUMBER_MIN = 1_000;
const NUMBER_STEP = 1_000;

/** Identifier of the template at this index. */
export function templateIdOf(index: number): string {
  return `t${index}`;
}

/**
 * Requests for all samples in turn: first unchanged, then with other digits, so that results cached
 * for one document do not serve the next. The same templates give the same requests.
 */
export function bodiesOf(templates: readonly TunedTemplate[]): readonly Body[] {
  const samples = templates.reduce((sum, template) => sum + template.samples.length, 0);
  const variants = Math.max(1, Math.min(VARIANTS_MAX, Math.floor(BODIES_MAX / samples)));
  const bodies: Body[] = [];
  let bytes = 0;
  for (let variant = 0; variant < variants && bytes < BODIES_BYTES_MAX; variant += 1) {
    for (const [index, template] of templates.entries()) {
      for (const sample of template.samples) {
        const body = bodyOf(templateIdOf(index), template, sample, variant);
        bytes += body.bytes.length;
        bodies.push(body);
      }
    }
  }
  return bodies;
}

function bodyOf(
  templateId: string,
  { name, fields }: TunedTemplate,
  sample: Sample,
  variant: number,
): Body {
  const data = variant === 0 ? sample.data : vary(sample.data, fields, variant);
  const bytes = Buffer.from(JSON.stringify({ templateId, mode: 'sync', data }));
  return { templateId, name: `${name}, sample ${sample.name}`, bytes, isSample: variant === 0 };
}

/** The same data with other digits, in fields whose digits have no further meaning. */
function vary(data: Sample['data'], fields: readonly Field[], seed: number): Sample['data'] {
  const digit = digits(seed);
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, varyValue(value, types.get(name), digit)]),
  );
}

function varyValue(value: unknown, type: string | undefined, digit: () => number): unknown {
  if (type === 'number') return varyNumber(value, digit);
  if (type !== 'text' && type !== 'qrcode' && type !== 'table') return value;
  if (typeof value === 'string') return type === 'table' ? value : varyText(value, digit);
  if (!Array.isArray(value)) return value;
  return value.map((row: unknown) =>
    Array.isArray(row)
      ? row.map((cell: unknown) => (typeof cell === 'string' ? varyText(cell, digit) : cell))
      : row,
  );
}

function varyText(text: string, digit: () => number): string {
  return text.replaceAll(/[1-9]/g, () => String(1 + (digit() % 9)));
}

function varyNumber(value: unknown, digit: () => number): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < NUMBER_MIN) return value;
  const last = digit() * 100 + digit() * 10 + digit();
  return value - (value % NUMBER_STEP) + last;
}

/** A generator of pseudo-random digits (the linear congruence of Numerical Recipes). */
function digits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 65_536) % 10;
  };
}

/**
 * The sample with its longest table repeated up to the limits of rows and of the request; null: it
 * has no table.
 */
export function stretch(sample: Sample, bodyBytesMax: number): Sample | null {
  const tables = Object.entries(sample.data).filter(
    (entry): entry is [string, readonly unknown[][]] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(Array.isArray),
  );
  const [name, rows] = tables.toSorted((a, b) => b[1].length - a[1].length)[0] ?? ['', []];
  if (rows.length === 0) return null;
  const cells = rows.reduce((sum, row) => sum + row.length, 0) / rows.length;
  const bytes = Buffer.byteLength(JSON.stringify(rows)) / rows.length;
  const spare = bodyBytesMax * 0.9 - Buffer.byteLength(JSON.stringify(sample.data));
  const length = Math.floor(
    Math.min(
      LIMITS.tableRowsMax,
      LIMITS.tableCellsMax / Math.max(1, cells),
      rows.length + Math.max(0, spare) / bytes,
    ),
  );
  const long = Array.from({ length }, (_, index) => rows[index % rows.length]);
  return { name: `${sample.name}, ${length} rows`, data: { ...sample.data, [name]: long } };
}
