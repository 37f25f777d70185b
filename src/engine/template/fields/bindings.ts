import { DEFINITIONS, PRINTED_TYPES } from '../../contract/definitions.ts';
import { compileCellFormatter } from '../../contract/format/formats.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import { expressionIn } from '../computed/condition.ts';
import type { Context, CompileScope } from '../context.ts';
import type { BoundEntry } from './fieldtable.ts';
import { headOf } from './entries.ts';
import { formattedField } from './format.ts';
import type { StatementSum, TextPart, TextTemplate } from '../../model/nodes.ts';

/** `\{{` is a literal, `{{name}}` a placeholder, and `{{` without an end a fault. */
const TOKEN = /\\\{\{|\{\{([^{}]*)\}\}|\{\{/g;

const SUMS: Readonly<Record<string, StatementSum>> = {
  'statement.balance': 'balance',
  'statement.credits': 'credits',
  'statement.debits': 'debits',
  'statement.pageCredits': 'pageCredits',
  'statement.pageDebits': 'pageDebits',
  'statement.rows': 'rows',
  'statement.pageRows': 'pageRows',
};

/** Sums that are not known until the rows of the page are placed. */
const PAGE_SUMS: ReadonlySet<StatementSum> = new Set(['pageCredits', 'pageDebits', 'pageRows']);
/** Counts of rows: they are not printed as money, whatever the statement's format says. */
const COUNTS: ReadonlySet<StatementSum> = new Set(['rows', 'pageRows']);

/** The name in a string that consists of one placeholder; null for any other string. */
export function lonePlaceholder(text: string): string | null {
  const match = /^\s*\{\{([^{}]*)\}\}\s*$/.exec(text);
  return match === null ? null : (match[1] ?? '').trim();
}

/** Splits a string into its static and bound parts. A TAB is four spaces, as in pdfmake. */
export function parseText(
  text: string,
  path: string,
  context: Context,
  scope: CompileScope,
): TextTemplate {
  const parts: TextPart[] = [];
  let pending = '';
  let end = 0;
  const flush = (): void => {
    if (pending !== '') parts.push({ kind: 'static', text: pending });
    pending = '';
  };
  for (const match of text.matchAll(TOKEN)) {
    pending += cleanStatic(text.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[1];
    if (match[0] === '\\{{') pending += '{{';
    else if (name === undefined) {
      context.findings.error(
        path,
        String.raw`"{{" has no "}}"; for two literal braces the file has "\\{{".`,
      );
    } else {
      flush();
      parts.push(...parsePlaceholder(name.trim(), path, context, scope));
    }
  }
  pending += cleanStatic(text.slice(end));
  if (pending !== '' || parts.length === 0) parts.push({ kind: 'static', text: pending });
  return parts;
}

/** Line ends as LF, TAB as four spaces, no other control characters. */
function cleanStatic(text: string): string {
  if (!/[\p{Cc}\p{Cs}]/u.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll('\t', '    ')
    .replace(/(?!\n)[\p{Cc}\p{Cs}]/gu, '');
}

function parsePlaceholder(
  name: string,
  path: string,
  context: Context,
  scope: CompileScope,
): readonly TextPart[] {
  if (name.startsWith('signature.') && context.fields.find(name) === null) {
    return parseSignature(name, path, context, scope);
  }
  const part = parseValue(name, path, context, scope);
  return part === null ? [] : [part];
}

function parseValue(
  name: string,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart | null {
  if (name === '') {
    context.findings.error(path, '"{{}}" names no field; write "{{name}}".');
    return null;
  }
  const expression = context.fields.find(name) === null ? expressionIn(name) : null;
  if (expression === '') {
    context.findings.error(path, '"{{=}}" has no expression; write such as "{{= price * 2 }}".');
    return null;
  }
  if (expression !== null) return parseExpression(expression, path, context, scope);
  if (scope.inRunningElement && (name === 'page' || name === 'pages')) return { kind: name };
  if (/^\d+$/.test(name) && (scope.each !== null || context.fields.find(name) === null)) {
    return parseCell(Number(name), path, context, scope);
  }
  const isColumnSum = /^sum\s/.test(name) && context.fields.find(name) === null;
  if (isColumnSum) return parseColumnSum(name, path, context, scope);
  const sum = Object.hasOwn(SUMS, name) ? SUMS[name] : undefined;
  if (sum !== undefined && context.fields.find(name) === null) {
    return parseSum(sum, path, context, scope);
  }
  if ((name === 'page' || name === 'pages') && context.fields.find(name) === null) {
    const message = `{{${name}}} is known in header, footer and background only; use pageReference here.`;
    context.findings.error(path, message);
    return null;
  }
  const { fields } = context;
  if (context.fields.isEntryPath(name, scope.entries)) {
    const entry = fields.bindEntry(name, path, scope.entries);
    return entry === null ? null : entryPart(entry, path, context, scope);
  }
  if (fields.reportOfEntry(name, path, scope.entries)) return null;
  const field = scope.printsSecrets
    ? fields.bindPrinted(name, path, scope.format?.mask ?? null)
    : fields.bind(name, path, PRINTED_TYPES, `{{${name}}} in a text`);
  return field === null ? null : fieldPart(field, path, context, scope);
}

/** `{{= source}}`: its value, in the format of its text or as numbers and dates are written. */
function parseExpression(
  source: string,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart | null {
  const bound = context.expressions.bindPrinted(source, path, scope);
  if (bound === null) return null;
  return 'entry' in bound
    ? entryPart(bound.entry, path, context, scope)
    : fieldPart(bound.field, path, context, scope);
}

/** A value of an entry, in the format that its text gives, or else in that of its field. */
function entryPart(
  entry: BoundEntry,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart {
  const { findings } = context;
  const { list: field, column, rawColumn, of } = entry;
  const language = languageOf(scope, context);
  const inline = scope.format?.field(field, of, language, findings) ?? null;
  if (inline !== null) {
    context.fields.markRaw(field);
    return { kind: 'entry', field, column: rawColumn, format: inline.format, of };
  }
  const own: TextPart = { kind: 'entry', field, column, format: null, of };
  if (language === context.language || !dependsOnLanguage(of)) return own;
  const placeholder = { index: field, field: of, format: of.format ?? {}, language, path };
  const formatted = formattedField(placeholder, findings);
  if (formatted === null) return own;
  context.fields.markRaw(field);
  return { kind: 'entry', field, column: rawColumn, format: formatted.format, of };
}

/** Properties of a signature that its field shows. */
function parseSignature(
  name: string,
  path: string,
  context: Context,
  scope: CompileScope,
): readonly TextPart[] {
  const { signature } = scope;
  if (signature === null) {
    context.findings.error(path, `{{${name}}} is known in signatureField only.`);
    return [];
  }
  switch (name) {
    case 'signature.signer':
      return [{ kind: 'signature', shows: 'signer', format: null }];
    case 'signature.time':
      return [{ kind: 'signature', shows: 'time', format: null }];
    case 'signature.date': {
      const language = languageOf(scope, context);
      const own = /^th\b/i.test(language) ? BUDDHIST : GREGORIAN;
      const format =
        scope.format?.cells(language, 'date') ?? compileCellFormatter(own, language, 'date');
      return [{ kind: 'signature', shows: 'date', format }];
    }
    case 'signature.reason':
      return signature.reason;
    case 'signature.location':
      return signature.location;
    default: {
      const known = ['signer', 'date', 'time', 'reason', 'location'].map(
        (one) => `signature.${one}`,
      );
      const hint = context.findings.suggestion(name, known) || `; there is ${known.join(', ')}.`;
      context.findings.error(path, `{{${name}}} is not known${hint}`);
      return [];
    }
  }
}

const BUDDHIST = { calendar: 'buddhist' } as const;
const GREGORIAN = { calendar: 'gregory' } as const;

/** The language in which values are printed at a place of the template. */
export function languageOf({ style }: CompileScope, { language }: Context): string {
  return style.language ?? language;
}

/** A field in the format that its text gives, or else in its own format. */
function fieldPart(field: number, path: string, context: Context, scope: CompileScope): TextPart {
  const { fields, findings } = context;
  const descriptor = fields.descriptor(field);
  const language = languageOf(scope, context);
  const own: TextPart = { kind: 'field', field };
  const inline = scope.format?.field(field, descriptor, language, findings);
  if (inline !== undefined && inline !== null) return inline;
  if (language === context.language || !dependsOnLanguage(descriptor)) return own;
  const format = descriptor.format ?? {};
  const placeholder = { index: field, field: descriptor, format, language, path };
  return formattedField(placeholder, findings) ?? own;
}

/** Whether a field prints differently in another language. */
function dependsOnLanguage({ type, format }: FieldDescriptor): boolean {
  if (format?.language !== undefined) return false;
  const { prints, formatKeys } = DEFINITIONS[type];
  if (prints === 'number' || prints === 'date') return true;
  return format?.case !== undefined && formatKeys.includes('case');
}

function parseCell(
  column: number,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart | null {
  if (scope.each !== null) {
    const format = scope.format?.cells(languageOf(scope, context)) ?? null;
    return { kind: 'cell', column, format };
  }
  const message = `{{${column}}} is a cell of the current row; it needs "each" on this node or on one around it.`;
  context.findings.error(path, message);
  return null;
}

function parseSum(
  sum: StatementSum,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart | null {
  if (scope.sums === null) {
    const message =
      `{{statement.${sum}}} is known in a statement table only; what every page should show ` +
      'goes into its pageTotal row.';
    context.findings.error(path, message);
    return null;
  }
  if (!scope.pageSums && PAGE_SUMS.has(sum)) {
    const message =
      `{{statement.${sum}}} is known where a page ends or begins only: in broughtForward, ` +
      'carriedForward and pageTotal.';
    context.findings.error(path, message);
    return null;
  }
  const { amount, count } = scope.sums;
  const inline = scope.format?.cells(languageOf(scope, context), 'number') ?? null;
  return { kind: 'sum', sum, format: inline ?? (COUNTS.has(sum) ? count : amount) };
}

/** Parses `{{sum items.2}}`: a table field and one of its columns, counted from 0. */
function parseColumnSum(
  name: string,
  path: string,
  context: Context,
  scope: CompileScope,
): TextPart | null {
  const overList = sumOverList(name.slice(3).trim(), context, scope);
  if (overList !== null) {
    const message = `{{${name}}} sums a table; the values of a list are summed by {{= ${overList}}}.`;
    context.findings.error(path, message);
    return null;
  }
  const match = /^sum\s+(.+?)\.(\d{1,4})$/.exec(name);
  const table = match?.[1] ?? '';
  if (match === null) {
    const message =
      `{{${name}}} names no column; write the table field and the number of its column, from 0: ` +
      '"{{sum items.2}}".';
    context.findings.error(path, message);
    return null;
  }
  const field = context.fields.bind(table, path, ['table'], `{{${name}}}`);
  if (field === null) return null;
  const column = Number(match[2]);
  context.columnSums.push({ table, column, path });
  context.amountColumns.add(field, column, path);
  const language = languageOf(scope, context);
  const format =
    scope.format?.cells(language, 'number') ?? compileCellFormatter({}, language, 'number');
  return { kind: 'columnSum', field, column, format };
}

/** The expression that sums the values at a path into a list; null: there is no list on the path. */
function sumOverList(
  target: string,
  { fields }: Context,
  { entries }: CompileScope,
): string | null {
  const head = headOf(target);
  const entry = entries.get(head) ?? -1;
  const own = entry < 0 ? target : `${fields.descriptor(entry).name}${target.slice(head.length)}`;
  for (let end = own.length; end > 0; end = own.lastIndexOf('.', end - 1)) {
    const index = fields.find(own.slice(0, end));
    if (index === null || fields.descriptor(index).type !== 'list') continue;
    const inside = own.slice(end + 1) || '…';
    const list = target.slice(0, target.length - (own.length - end));
    return list === '' ? null : `sum(${list}.map(item, item.${inside}))`;
  }
  return null;
}

/** The text if it has no placeholders, else null. */
export function staticText(template: TextTemplate): string | null {
  let text = '';
  for (const part of template) {
    if (part.kind !== 'static') return null;
    text += part.text;
  }
  return text;
}
