import type { FieldDescriptor } from '#engine';
import type { JsonObject } from '../../src/runtime/json-object.ts';
import { sentFields } from '../../src/runtime/contract/computed.ts';
import { seededRandom } from '../../lab/random.ts';
import type { Random } from '../../lab/random.ts';

/** A pixel, for image fields. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><path d="M0 0h20v20z"/></svg>';
const WORDS = 'account payment balance branch monthly transfer interest customer statement total';
const TABLE_ROWS = 10;
/** Entries of each array of a list: lists in lists multiply. */
const LIST_ENTRIES = 5;
const COLUMNS_DEFAULT = 4;
const TEXT_LENGTH = 24;
const NUMBER_MIN = 1_000;

/** The same data with other digits in text, numbers and cells; numbers below 1,000 stay. */
export function varyDigits(
  data: JsonObject,
  fields: readonly FieldDescriptor[],
  seed: number,
): JsonObject {
  if (seed === 0) return data;
  const random = seededRandom(seed);
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, vary(value, types.get(name), random)]),
  );
}

function vary(value: unknown, type: FieldDescriptor['type'] | undefined, random: Random): unknown {
  if (type === 'number' && typeof value === 'number' && value >= NUMBER_MIN) {
    return Math.floor(value / NUMBER_MIN) * NUMBER_MIN + random.below(NUMBER_MIN);
  }
  if (type === 'text' || type === 'qrcode') return varyText(value, random);
  if (type !== 'table' || !Array.isArray(value)) return value;
  return value.map((row: unknown) =>
    Array.isArray(row) ? row.map((cell: unknown) => varyText(cell, random)) : row,
  );
}

function varyText(value: unknown, random: Random): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll(/[1-9]/g, () => String(1 + random.below(9)));
}

/** Values that the descriptors of the fields allow, as far as they say it. */
export function makeRow(fields: readonly FieldDescriptor[], seed: number): JsonObject {
  const random = seededRandom(seed + 1);
  return makeObject(sentFields(fields), random);
}

function makeValue(field: FieldDescriptor, random: Random): unknown {
  const { type, validation = {} } = field;
  const { choices, min, max, minLength = 0, maxLength = TEXT_LENGTH } = validation;
  const choice = choices?.[random.below(choices.length)];
  if (choice !== undefined) return type === 'number' ? Number(choice) : choice;
  switch (type) {
    case 'text':
    case 'qrcode':
      return makeText(Math.max(minLength, Math.min(maxLength, TEXT_LENGTH)), random);
    case 'number': {
      const low = typeof min === 'number' ? Math.ceil(min) : 0;
      const high = typeof max === 'number' ? Math.floor(max) : low + 100_000;
      return low + random.below(Math.max(1, high - low));
    }
    case 'date':
      return typeof min === 'string' ? min : typeof max === 'string' ? max : makeDay(random);
    case 'image':
      return PIXEL;
    case 'svg':
      return SVG;
    case 'table':
      return Array.from({ length: TABLE_ROWS }, () =>
        Array.from({ length: COLUMNS_DEFAULT }, () => String(random.below(100_000))),
      );
    case 'record':
      return makeObject(field.fields, random);
    case 'list': {
      const { minItems = 0, maxItems = Infinity } = validation;
      const length = Math.max(minItems, Math.min(maxItems, LIST_ENTRIES));
      return Array.from({ length }, () => makeObject(field.fields, random));
    }
  }
}

function makeObject(fields: readonly FieldDescriptor[], random: Random): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.name, makeValue(field, random)]));
}

function makeText(length: number, random: Random): string {
  const words = WORDS.split(' ');
  let text = '';
  while (text.length < length) text += `${words[random.below(words.length)]} `;
  return text.slice(0, length).trimEnd().padEnd(Math.min(length, 1), 'x');
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function makeDay(random: Random): string {
  return `2026-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
}
