import { LIMITS } from '../../../src/limits.ts';
import { exactSamples, isTooDeep } from '../api/exact.ts';
import { FIELD_TYPES, type Field } from '../api/field-types.ts';
import type { Data, Sample } from '../api/template-data.ts';
import { describedField } from '../form/template-field.ts';

/** Bytes that the service takes as a draft. */
export const DRAFT_BYTES_MAX = 8 * 1_024 * 1_024;

/** The parts of a template's text that pages use. */
export interface ReadTemplate {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly samples: readonly ReadSample[];
  /** By what its documents are found, such as `{{receiptNo}}`; '' when it says nothing. */
  readonly reference: string;
}

export interface ReadSample extends Sample {
  /** Index in the template's list, which may hold malformed samples, too. */
  readonly position: number;
}

/**
 * Reads what is well-formed; the service reports the rest. null: not a JSON object, or one that nests
 * deeper than a template may.
 */
export function readTemplate(text: string): ReadTemplate | null {
  const value = parse(text);
  if (!isRecord(value) || isTooDeep(value)) return null;
  const { name, fields, samples, language, reference } = value;
  const own = typeof language === 'string' && language !== '' ? language : 'en';
  const exactOf = exactSamples(text);
  return {
    name: typeof name === 'string' ? name : '',
    fields: Array.isArray(fields)
      ? fields.filter(isField).map((field) => describedField(field, own))
      : [],
    samples: Array.isArray(samples)
      ? samples.flatMap((sample, position) => readSample(exactOf, sample, position))
      : [],
    reference: referenceOf(reference),
  };
}

/** `reference` is a text, or an object with that text as its `value`. */
function referenceOf(reference: unknown): string {
  const value = isRecord(reference) ? reference['value'] : reference;
  return typeof value === 'string' ? value : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isField(value: unknown): value is Field {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  return FIELD_TYPES.some((type) => type === value['type']);
}

function readSample(
  exactOf: ReturnType<typeof exactSamples>,
  value: unknown,
  position: number,
): ReadSample[] {
  if (!isRecord(value)) return [];
  const { name } = value;
  if (!isRecord(value['data'])) return [];
  const data = exactOf(position, value['data']);
  if (name === undefined) return [{ data, position }];
  return typeof name === 'string' ? [{ name, data, position }] : [];
}

/** Data without values that were left empty. */
export function withoutEmpty(data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== '' && value !== null),
  );
}

/** The text of a new template: small, complete and ready to publish. */
export function starterText(templateId: string, name: string, isThai: boolean): string {
  const words = isThai
    ? { hello: 'เรียน คุณ', date: 'วันที่ ', page: 'หน้า {{page}} จาก {{pages}}', who: 'สมชาย ใจดี' }
    : { hello: 'Dear ', date: 'Date: ', page: 'Page {{page}} of {{pages}}', who: 'Ada Example' };
  const pattern = 'd MMMM yyyy';
  const template = {
    templateId,
    name,
    language: isThai ? 'th' : 'en',
    missingGlyph: 'reject',
    fields: [
      { name: 'customer', type: 'text', required: true },
      {
        name: 'issued',
        type: 'date',
        required: true,
        format: isThai ? { calendar: 'buddhist', pattern } : { pattern },
      },
    ],
    document: {
      pageSize: 'A4',
      pageMargins: [56, 64, 56, 64],
      styles: { title: { fontSize: 20, bold: true, marginBottom: 12 } },
      content: [
        { text: name, style: 'title' },
        { text: `${words.date}{{issued}}`, marginBottom: 24 },
        { text: `${words.hello}{{customer}}` },
      ],
      footer: { text: words.page, alignment: 'center', fontSize: 9 },
    },
    samples: [{ name: words.who, data: { customer: words.who, issued: '2026-01-31' } }],
  };
  return `${formatJson(JSON.stringify(template))}\n`;
}

/** Short enough to be read at a glance, in the narrow half of a small window. */
const LINE_LENGTH_MAX = 60;

/** Strings, brackets, commas, colons, and the other scalars of JSON. */
export const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/**
 * Lays out JSON as a person would write it: short lists and objects stay on one line. Only white
 * space changes, so numbers keep their digits and objects their repeated keys. A text that nests
 * deeper than a template may stays as it is. `indent` is that of the line on which the text is to
 * stand.
 */
export function formatJson(text: string, indent = ''): string {
  const tokens = text.match(TOKENS) ?? [];
  if (depthOf(tokens) > LIMITS.templateJsonDepthMax) return text;
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const isAtEnd = (): boolean => ['}', ']', undefined].includes(tokens[at]);
  const layOut = (outer: string): string => {
    const open = next();
    if (open !== '{' && open !== '[') return open;
    const inner = `${outer}  `;
    const parts: string[] = [];
    while (!isAtEnd()) {
      const key = open === '{' ? `${next()}${next()} ` : '';
      parts.push(key + layOut(inner));
      if (tokens[at] === ',') at += 1;
    }
    const close = next();
    if (parts.length === 0) return open + close;
    const space = open === '{' ? ' ' : '';
    const line = open + space + parts.join(', ') + space + close;
    if (outer !== '' && line.length <= LINE_LENGTH_MAX && !line.includes('\n')) return line;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${outer}${close}`;
  };
  return layOut(indent);
}

/** How many brackets stand around the innermost one. */
function depthOf(tokens: readonly string[]): number {
  let open = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === '{' || token === '[') {
      most = Math.max(most, open);
      open += 1;
    } else if (token === '}' || token === ']') open -= 1;
  }
  return most;
}
