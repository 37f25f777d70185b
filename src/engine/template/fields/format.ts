import { DEFINITIONS } from '../../contract/definitions.ts';
import { formatProblems } from '../../contract/descriptor.ts';
import type { CellKind } from '../../contract/format/formats.ts';
import {
  cellKindOf,
  compileCellFormatter,
  formatRepertoire,
  writtenLanguage,
} from '../../contract/format/formats.ts';
import type { FieldDescriptor, FieldFormat, FieldType } from '../../contract/types.ts';
import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import type { Findings } from '../vocabulary/findings.ts';
import type { CellFormatter, TextPart } from '../../model/nodes.ts';
import type { KeyTable } from '../vocabulary/values.ts';
import { VALUES as V, ValueType } from '../vocabulary/values.ts';

/** Keys of a `format`, which a field may have, and any text with placeholders. */
export const FORMAT_KEYS = {
  decimals: new ValueType<number>('a whole number from 0 to 20', {
    type: 'integer',
    minimum: 0,
    maximum: 20,
  }),
  thousandsSeparator: V.boolean,
  prefix: V.string,
  suffix: V.string,
  style: new ValueType<'bahttext'>('"bahttext"', { const: 'bahttext' }),
  digits: new ValueType<'latin' | 'thai'>('"latin" or "thai"', { enum: ['latin', 'thai'] }),
  words: V.boolean,
  currency: V.name,
  case: new ValueType<'upper' | 'lower' | 'title'>('"upper", "lower" or "title"', {
    enum: ['upper', 'lower', 'title'],
  }),
  language: V.language,
  mask: V.name,
  calendar: new ValueType<'gregory' | 'buddhist'>('"gregory" or "buddhist"', {
    enum: ['gregory', 'buddhist'],
  }),
  pattern: V.name,
} as const satisfies KeyTable;

/** Checks the `format` of a text in the given language; null with findings when it is wrong. */
export function checkFormat(
  source: unknown,
  path: string,
  language: string,
  findings: Findings,
): FieldFormat | null {
  const object = checkIsObject(source, path, findings);
  if (object === null) return null;
  const format = checkObject(object, path, FORMAT_KEYS, findings);
  const problems = formatProblems(format, language, path);
  for (const { severity, path: at, message } of problems) findings[severity](at, message);
  return problems.some(({ severity }) => severity === 'error') ? null : format;
}

type FormattedPart = Extract<TextPart, { kind: 'formatted' }>;

/** The `format` of a text or run. Records the types of the values that it prints, for `report`. */
export class BindingFormat {
  readonly #format: FieldFormat;
  readonly #path: string;
  readonly #types = new Set<FieldType>();
  readonly #misfits: FieldDescriptor[] = [];

  constructor(format: FieldFormat, path: string) {
    this.#format = format;
    this.#path = path;
  }

  /** Its mask; null: it has none. */
  get mask(): string | null {
    return this.#format.mask ?? null;
  }

  /** The formatter of cells and sums in a text of the given language. */
  cells(language: string, kind: CellKind = cellKindOf(this.#format)): CellFormatter {
    this.#types.add(kind);
    return compileCellFormatter(this.#format, language, kind);
  }

  /** A field in its own format, overridden by this one; null if no key here fits its type. */
  field(
    index: number,
    field: FieldDescriptor,
    language: string,
    findings: Findings,
  ): FormattedPart | null {
    const keys = DEFINITIONS[field.type].formatKeys;
    const fits = keys.some((key) => this.#format[key] !== undefined);
    if (!fits) {
      this.#misfits.push(field);
      return null;
    }
    this.#types.add(field.type);
    const merged = layOver(field.format ?? {}, this.#format);
    const placeholder = { index, field, format: merged, language, path: this.#path };
    return formattedField(placeholder, findings);
  }

  /** The language of the words that it prints for a field, or for cells and sums; null: no words. */
  writtenLanguage(field: FieldDescriptor | null, language: string): string | null {
    return writtenLanguage(layOver(field?.format ?? {}, this.#format), language);
  }

  /** Reports formats that no placeholder of the text can use. `isBound`: the text has placeholders. */
  report(isBound: boolean, findings: Findings): void {
    const [misfit] = this.#misfits;
    if (this.#types.size === 0) {
      if (misfit !== undefined) {
        const name = JSON.stringify(misfit.name);
        const fitting = DEFINITIONS[misfit.type].formatKeys.join(', ') || 'none';
        const message = `Field ${name} is of type ${misfit.type}, which this format does not fit; its keys are: ${fitting}.`;
        findings.error(this.#path, message);
      } else if (isBound) {
        const message = '"format" prints fields, cells and sums; this text binds none of them.';
        findings.warning(this.#path, message);
      }
      return;
    }
    const used = new Set<string>([...this.#types].flatMap((type) => DEFINITIONS[type].formatKeys));
    const types = [...this.#types].join(' or ');
    for (const key of Object.keys(this.#format)) {
      if (used.has(key)) continue;
      findings.warning(`${this.#path}.${key}`, `has no effect on a value of type ${types}.`);
    }
  }
}

/** The placeholder of a field, and how it is printed there. */
interface FieldPlaceholder {
  /** The index of `field` in the contract. */
  readonly index: number;
  readonly field: FieldDescriptor;
  readonly format: FieldFormat;
  readonly language: string;
  /** The path that findings about `format` name. */
  readonly path: string;
}

/** Compiles the placeholder of a field; null with findings when its format is wrong. */
export function formattedField(
  { index, field, format, language, path }: FieldPlaceholder,
  findings: Findings,
): FormattedPart | null {
  const faults = formatProblems(format, language, path).filter(
    ({ severity }) => severity === 'error',
  );
  // Faults in the field's own format are reported at the field, except those of `words`, which
  // depend on the language of this placeholder.
  const isSaid = (key: 'decimals' | 'pattern', at: string): boolean =>
    at === `${path}.${key}` && format[key] === field.format?.[key];
  for (const { path: at, message } of faults) {
    if (!isSaid('decimals', at) && !isSaid('pattern', at)) findings.error(at, message);
  }
  if (faults.length > 0) return null;
  const kind = DEFINITIONS[field.type].prints ?? 'text';
  return {
    kind: 'formatted',
    field: index,
    format: compileCellFormatter(format, language, kind),
    repertoire: kind === 'text' ? null : formatRepertoire(format, kind, language),
  };
}

/** Keys of a number in figures, which mean nothing for a number in words. */
const FIGURES = ['decimals', 'thousandsSeparator', 'prefix', 'suffix', 'digits'] as const;

/** Keys of a number in words, which mean nothing for a number in figures. */
const WORDS = ['words', 'style', 'currency'] as const;

/**
 * The field's own format, overridden by the binding's. A binding that asks for words drops the
 * field's keys for figures, and the reverse: an amount in words must not begin with the ฿ of the
 * amount in figures.
 */
function layOver(own: FieldFormat, inline: FieldFormat): FieldFormat {
  const isWords = own.words === true || own.style !== undefined;
  const asksWords = inline.words === true || inline.style !== undefined;
  const asksFigures =
    inline.words === false ||
    inline.decimals !== undefined ||
    inline.thousandsSeparator !== undefined ||
    inline.digits !== undefined;
  if (asksWords) {
    const { style, ...rest } = own;
    const money = style === undefined ? {} : { currency: 'THB' };
    return { ...(isWords ? rest : without(rest, FIGURES)), ...money, ...inline };
  }
  return { ...(asksFigures ? without(own, WORDS) : own), ...inline };
}

function without(format: FieldFormat, keys: readonly (keyof FieldFormat)[]): FieldFormat {
  // A format with fewer keys is still a format: all keys are optional.
  return Object.fromEntries(
    Object.entries(format).filter(([key]) => !keys.some((other) => other === key)),
  );
}
