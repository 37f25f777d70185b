import { LIMITS } from '../../../limits.ts';
import { expandJsonNumber, isDecimal } from '../format/decimal.ts';
import { compileMask } from '../format/mask.ts';
import type { PlainField, PlainType } from '../types.ts';
import { DAY, dayFrom, dayUntil } from './date-patterns.ts';
import { atLeast, atMost, DECIMAL, equalToOne } from './decimal-patterns.ts';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of a field's values, and the rules that JSON Schema cannot state. */
export interface ValueSchema {
  /** A value must pass one of them; none takes `null` or `""`. */
  readonly anyOf: readonly Schema[];
  readonly beyond: readonly string[];
}

/** Characters that the service removes from a text: Unicode Cc but line feed and tab, surrogates. */
const REMOVED = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff`;
const SEPARATOR = String.raw`\s\-\u2010-\u2015./`;
/** Digits of the longest number that a QR code holds: version 40, level L (ISO/IEC 18004). */
const QR_DIGITS_MAX = 7_089;
/** From here on a number has more than 40 digits. */
const NUMBER_END = Number(`1e${LIMITS.numberDigitsMax}`);
/** Digits that every double keeps. */
const SAFE_DIGITS = 15;

const BY_TYPE: Readonly<Record<PlainType, (field: PlainField) => ValueSchema>> = {
  text: textSchema,
  number: numberSchema,
  date: dateSchema,
  image: () => IMAGE,
  qrcode: () => QR_CODE,
  table: () => TABLE,
  svg: () => SVG,
};

/** The schema of a present value of a field without fields of its own. */
export function valueSchema(field: PlainField): ValueSchema {
  return BY_TYPE[field.type](field);
}

function textSchema({ format, validation }: PlainField): ValueSchema {
  const { minLength, maxLength, pattern, choices } = validation ?? {};
  const mask = format?.mask;
  const isBound = [minLength, maxLength, pattern, choices, mask].some((rule) => rule !== undefined);
  if (!isBound) {
    const kept = { type: 'string', pattern: `[^${REMOVED}]` };
    return { anyOf: [kept], beyond: [] };
  }
  const isPortable = pattern === undefined || isRegExp(pattern);
  const rules = [
    { pattern: String.raw`^[^\u0009${REMOVED}]*$` },
    ...(mask === undefined ? [] : [{ pattern: maskPattern(mask) }]),
  ];
  const longest = Math.min(
    maxLength ?? Infinity,
    pattern === undefined ? Infinity : LIMITS.patternTextCodePointsMax,
  );
  const schema = {
    type: 'string',
    minLength: Math.max(1, minLength ?? 0),
    ...(longest < Infinity ? { maxLength: longest } : {}),
    ...(pattern !== undefined && isPortable ? { pattern } : {}),
    ...(choices === undefined ? {} : { enum: choices }),
    allOf: rules,
  };
  const beyond = [
    'The service also takes control characters: it removes them (a tab becomes a space) and then ' +
      'checks the text.',
    ...(isPortable ? [] : [`The text must match the pattern ${pattern}.`]),
  ];
  return { anyOf: [schema], beyond };
}

/** Whether other validators take the pattern, which they compile with the flag `u`. */
function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function maskPattern(mask: string): string {
  const { places } = compileMask(mask);
  return `^[${SEPARATOR}]*(?:[^${SEPARATOR}][${SEPARATOR}]*){${places}}$`;
}

function numberSchema({ validation }: PlainField): ValueSchema {
  const min = decimalOf(validation?.min);
  const max = decimalOf(validation?.max);
  const choices = validation?.choices?.filter((choice) => isDecimal(choice));
  const patterns = [
    ...(min === null ? [] : [atLeast(min)]),
    ...(max === null ? [] : [atMost(max)]),
    ...(choices === undefined ? [] : [equalToOne(choices)]),
  ];
  const number = {
    type: 'number',
    ...(min === null ? { exclusiveMinimum: -NUMBER_END } : { minimum: Number(min) }),
    ...(max === null ? { exclusiveMaximum: NUMBER_END } : { maximum: Number(max) }),
    ...(choices === undefined ? {} : { enum: [...new Set(choices.map(Number))] }),
  };
  const text = {
    type: 'string',
    ...DECIMAL,
    ...(patterns.length === 0 ? {} : { allOf: patterns.map((pattern) => ({ pattern })) }),
  };
  const bounds = [min, max, ...(choices ?? [])].filter((bound) => bound !== null);
  const isLong = bounds.some((bound) => bound.replaceAll(/\D/g, '').length > SAFE_DIGITS);
  const beyond = [
    `Send amounts as strings: they keep every digit. At most ${LIMITS.numberDigitsMax} digits, also ` +
      'of a JSON number when it is written without an exponent.',
    ...(isLong ? ['The service compares JSON numbers exactly, digit by digit.'] : []),
  ];
  return { anyOf: [text, number], beyond };
}

function decimalOf(bound: number | string | undefined): string | null {
  return bound === undefined ? null : expandJsonNumber(String(bound));
}

function dateSchema({ validation }: PlainField): ValueSchema {
  const { min, max, choices } = validation ?? {};
  const patterns = [
    ...(min === undefined ? [] : [dayFrom(String(min))]),
    ...(max === undefined ? [] : [dayUntil(String(max))]),
  ];
  const schema = {
    type: 'string',
    format: 'date',
    pattern: DAY,
    ...(choices === undefined ? {} : { enum: choices }),
    ...(patterns.length === 0 ? {} : { allOf: patterns.map((pattern) => ({ pattern })) }),
  };
  return { anyOf: [schema], beyond: [] };
}

const IMAGE: ValueSchema = {
  anyOf: [
    {
      type: 'string',
      pattern:
        '^[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/' +
        '(?:[pP][nN][gG]|[jJ][pP][eE]?[gG]|[gG][iI][fF]|[wW][eE][bB][pP])(?:;[^,]*)?' +
        ';[bB][aA][sS][eE]64,',
    },
  ],
  beyond: ['The bytes must be a whole image of the stated type, within the limits of pixels.'],
};

const QR_CODE: ValueSchema = {
  anyOf: [{ type: 'string', maxLength: QR_DIGITS_MAX, pattern: String.raw`[^\ud800-\udfff]` }],
  beyond: ['The text must fit the code that the template draws, so it may have to be shorter.'],
};

const ROWS = {
  type: 'array',
  maxItems: LIMITS.tableRowsMax,
  items: { type: 'array', maxItems: LIMITS.tableCellsMax, items: { type: 'string' } },
};

const TABLE: ValueSchema = {
  anyOf: [
    ROWS,
    {
      type: 'string',
      pattern: String.raw`^[ \n\r\t]*\[`,
      contentMediaType: 'application/json',
      contentSchema: ROWS,
    },
  ],
  beyond: [
    `At most ${LIMITS.tableCellsMax} cells together. Cells of a column that the template sums must ` +
      'be plain amounts.',
  ],
};

const SVG: ValueSchema = {
  anyOf: [{ type: 'string', pattern: '<svg' }],
  beyond: ['Well-formed XML with <svg and </svg>, without scripts and references to other files.'],
};
