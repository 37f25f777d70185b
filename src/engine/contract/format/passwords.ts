import type { FieldDefect } from '../../../errors.ts';
import { LIMITS } from '../../../limits.ts';
import { preparePassword } from './saslprep.ts';
import { compileCellFormatter, unknownDateSymbols } from './formats.ts';
import { compileMask } from './mask.ts';
import { REASONS } from '../reasons.ts';
import type { FieldDescriptor, FieldType, FieldValue, FieldValues } from '../types.ts';

/**
 * The passwords of the documents of a run: texts with fields of the row, such as `{{born}}`. They are
 * computed when a row is checked, so that a row without a usable password is invalid like any other,
 * and again when it is rendered.
 */

/** How the values in a password are written. The format of the field itself does not count. */
export interface PasswordFormat {
  /** date: as in a template; without it the day as YYYY-MM-DD. */
  readonly pattern?: string;
  readonly calendar?: 'gregory' | 'buddhist';
  readonly digits?: 'latin' | 'thai';
  readonly language?: string;
  /** text: places that hide are left out: `XXXX-XXXX-XXXX-xxxx` takes the last four, and hyphens. */
  readonly mask?: string;
  readonly case?: 'upper' | 'lower';
}

/** A password with placeholders of fields. */
export interface PasswordText {
  readonly text: string;
  readonly format: PasswordFormat;
}

/** The passwords of every row; at least one is not null. */
export interface RowPasswords {
  readonly user: PasswordText | null;
  readonly owner: PasswordText | null;
}

/** The passwords of one row; '' where it has none. */
export interface Passwords {
  readonly user: string;
  readonly owner: string;
}

/** The passwords that the values of a row make, or the defects of the row. */
export type PasswordMaker = (values: FieldValues) => Passwords | readonly FieldDefect[];

/** Passwords of a run whose documents are not protected. */
export const noPasswords: PasswordMaker = () => ({ user: '', owner: '' });

export function isDefects(
  made: Passwords | readonly FieldDefect[],
): made is readonly FieldDefect[] {
  return Array.isArray(made);
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/gu;
const KEYS: Partial<Record<FieldType, readonly (keyof PasswordFormat)[]>> = {
  text: ['mask', 'case', 'language'],
  date: ['pattern', 'calendar', 'digits', 'language', 'case'],
};

/**
 * Whether a text has `{{…}}`, as the password of a run does. Requests bind no fields, so such a text
 * would become the password as it stands, and anyone who knows the form could open every document.
 */
export function looksBound(text: string): boolean {
  const from = text.indexOf('{{');
  return from !== -1 && text.includes('}}', from);
}

/** Why a password cannot be made of these fields; null: it can. */
export function passwordFault(
  { text, format }: PasswordText,
  fields: readonly FieldDescriptor[],
  idField: string,
): string | null {
  const names = namesIn(text);
  if (names.length === 0) {
    return 'needs a field of the row, such as "{{birthDate}}": a password for all is not kept';
  }
  if (names.every((name) => name === idField)) {
    return `lists show the ids of rows (${idField}): take another field, or add one`;
  }
  if (text.replaceAll(PLACEHOLDER, '').includes('{{')) return 'has "{{" without "}}"';
  const used = names.map((name) => fields.find((field) => field.name === name));
  const unknown = names[used.indexOf(undefined)];
  if (unknown !== undefined) return `the template has no field ${JSON.stringify(unknown)}`;
  const types = used.flatMap((field) => (field === undefined ? [] : [field.type]));
  const unfit = types.find((type) => KEYS[type] === undefined);
  if (unfit !== undefined) return `a ${unfit} field makes no password; text and date do`;
  const known = new Set<string>(types.flatMap((type) => KEYS[type] ?? []));
  const unused = Object.keys(format).find((key) => !known.has(key));
  if (unused !== undefined) return `format.${unused} has no effect on a ${types.join(', ')} field`;
  return formatFault(format);
}

function formatFault(format: PasswordFormat): string | null {
  const unknown = unknownDateSymbols(format.pattern ?? '');
  if (unknown.length > 0) return `format.pattern uses ${unknown.join(', ')}`;
  try {
    Intl.getCanonicalLocales(format.language ?? 'en');
    return null;
  } catch (error) {
    if (error instanceof RangeError) return 'format.language is not a language tag such as th';
    throw error;
  }
}

/** Compiles passwords that passed `passwordFault`. */
export function compilePasswords(
  { user, owner }: RowPasswords,
  fields: readonly FieldDescriptor[],
  language: string,
): PasswordMaker {
  const makers = [user, owner].map((one) => one && compileOne(one, fields, language));
  return (values) => {
    const made = makers.map((make) => (make === null ? '' : make(values)));
    const defects = made.filter((one) => typeof one !== 'string');
    const first = defects[0];
    if (first !== undefined) {
      // A field has one reason.
      return defects.filter((one) => one === first || one.field !== first.field);
    }
    const [userPassword = '', ownerPassword = ''] = made.map(String);
    return { user: userPassword, owner: ownerPassword };
  };
}

/** Whether the piece adds only spaces to the password, such as the padding of a fixed column. */
function isBlank(piece: string): boolean {
  return piece === '' || preparePassword(piece)?.trim() === '';
}

type Print = (values: FieldValues) => string | null;

function compileOne(
  { text, format }: PasswordText,
  fields: readonly FieldDescriptor[],
  language: string,
): (values: FieldValues) => string | FieldDefect {
  const [field = ''] = namesIn(text);
  const prints = partsOf(text, format, fields, language);
  const defect = (reason: string): FieldDefect => ({ field, reason });
  return (values) => {
    let password = '';
    let hasValue = false;
    for (const { isField, print } of prints) {
      const piece = print(values);
      if (piece === null) return defect(REASONS.passwordMask);
      if (isField && !hasValue && !isBlank(piece)) hasValue = true;
      password += piece;
    }
    if (!hasValue) return defect(REASONS.passwordEmpty);
    const prepared = preparePassword(password);
    if (prepared === null) return defect(REASONS.passwordSign);
    if (prepared === '') return defect(REASONS.passwordEmpty);
    const isLong = Buffer.byteLength(prepared) > LIMITS.passwordBytesMax;
    return isLong ? defect(REASONS.passwordLong) : prepared;
  };
}

interface Piece {
  readonly isField: boolean;
  readonly print: Print;
}

function partsOf(
  text: string,
  format: PasswordFormat,
  fields: readonly FieldDescriptor[],
  language: string,
): readonly Piece[] {
  return text.split(PLACEHOLDER).map((part, index): Piece => {
    // Every second one is what stands between the braces.
    if (index % 2 === 0) return { isField: false, print: () => part };
    const at = fields.findIndex(({ name }) => name === part.trim());
    const write = writerOf(fields[at]?.type, format, language);
    return { isField: true, print: (values) => write(plainOf(values[at] ?? null)) };
  });
}

function writerOf(
  type: FieldType | undefined,
  { mask, ...format }: PasswordFormat,
  language: string,
): (value: string) => string | null {
  const write = compileCellFormatter(format, language, type === 'date' ? 'date' : 'text');
  if (mask === undefined || type !== 'text') return write;
  const { part } = compileMask(mask);
  return (value) => {
    const shown = value === '' ? '' : part(value);
    return shown === null ? null : write(shown);
  };
}

/** The value as it was sent, without the format of the field. */
function plainOf(value: FieldValue | null): string {
  if (value === null || !('display' in value)) return '';
  return value.raw ?? value.display;
}

function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name.trim());
}
