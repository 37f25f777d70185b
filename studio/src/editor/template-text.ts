import { FIELD_TYPES } from '../api/field-types.ts';
import type { Data, Field, Sample } from '../api/types.ts';

/** The parts of a template's text that pages use. */
export interface ReadTemplate {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly samples: readonly Sample[];
}

/** Reads what is well-formed; the service reports the rest. null: not a JSON object. */
export function readTemplate(text: string): ReadTemplate | null {
  const value = parse(text);
  if (!isRecord(value)) return null;
  const { name, fields, samples } = value;
  return {
    name: typeof name === 'string' ? name : '',
    fields: Array.isArray(fields) ? fields.filter(isField).map(withDefaults) : [],
    samples: Array.isArray(samples) ? samples.filter(isSample) : [],
  };
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

function withDefaults(field: Field): Field {
  return { ...field, required: field.required || false };
}

function isSample(value: unknown): value is Sample {
  return isRecord(value) && isRecord(value['data']);
}

/** A sample as JSON, indented for the list of samples in a template's text. */
export function sampleText(sample: Sample): string {
  return JSON.stringify(sample, null, 2).replaceAll('\n', '\n    ');
}

/** The list of samples with one added. */
export function samplesText(samples: readonly Sample[]): string {
  if (samples.length === 0) return '[]';
  return `[\n    ${samples.map(sampleText).join(',\n    ')}\n  ]`;
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
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/**
 * Lays out JSON as a person writes it: a list or an object that is short stands on one line. Only
 * white space changes, so numbers keep their digits and objects their repeated keys.
 */
export function formatJson(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const isAtEnd = (): boolean => ['}', ']', undefined].includes(tokens[at]);
  const layOut = (indent: string): string => {
    const open = next();
    if (open !== '{' && open !== '[') return open;
    const inner = `${indent}  `;
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
    if (indent !== '' && line.length <= LINE_LENGTH_MAX && !line.includes('\n')) return line;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
  };
  return layOut('');
}
