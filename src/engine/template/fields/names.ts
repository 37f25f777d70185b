import { LIMITS } from '../../../limits.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import { type EntryColumn, entryColumns } from '../../contract/nested/columns.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { suggested } from '../../../runtime/nearest.ts';
import { headOf } from './entries.ts';

/** Paths of all fields that a template declares, including those inside records and lists. */
export function declaredPaths(
  fields: readonly unknown[],
  prefix = '',
  depth = 0,
): readonly string[] {
  return fields.flatMap((field) => {
    const name = isObject(field) ? field['name'] : undefined;
    if (!isObject(field) || typeof name !== 'string') return [];
    const inner = depth < LIMITS.nestedFieldsDepthMax ? field['fields'] : undefined;
    const path = prefix + name;
    return [path, ...declaredPaths(Array.isArray(inner) ? inner : [], `${path}.`, depth + 1)];
  });
}

/**
 * A name for the value of an expression: its path, with a number if the path has several
 * expressions.
 */
export function unusedName(path: string, names: readonly string[]): string {
  if (!names.includes(path)) return path;
  let number = 2;
  while (names.includes(`${path} (${number})`)) number++;
  return `${path} (${number})`;
}

/** The column of the field with this name. Throws RangeError if there is no such field. */
export function columnIn(fields: readonly FieldDescriptor[], name: string): EntryColumn {
  const column = entryColumns(fields).find((one) => one.name === name);
  if (column === undefined) throw new RangeError('no such column');
  return column;
}

/**
 * The path of the only field inside a record that has this name. Null if there is none, or more
 * than one.
 */
export function fieldInRecord(name: string, known: Iterable<string>): string | null {
  const found = [...known].filter((one) => one.endsWith(`.${name}`));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Names that other programs have for the numbers of pages, and the name of each here. */
const PAGE_WORDS: ReadonlyMap<string, 'page' | 'pages'> = new Map([
  ...['pagecount', 'pagescount', 'numpages', 'numberofpages', 'totalpages', 'pagetotal'].map(
    (word) => [word, 'pages'] as const,
  ),
  ...['pagenumber', 'pageno', 'pagenum', 'currentpage'].map((word) => [word, 'page'] as const),
]);

/** The message about a name that no field has. `near`: the name that was probably meant. */
export function unknownMessage(name: string, near: string | null, isHeadKnown: boolean): string {
  const quoted = JSON.stringify(name);
  const [plain, ...filters] = name.split('|').map((part) => part.trim());
  if (filters.length > 0) {
    const written = `Write {{${near ?? plain}}}, or compute by {{= … }}, such as {{= upper(name) }}.`;
    return `${quoted}: "|" has no meaning here. ${written}`;
  }
  const pages = PAGE_WORDS.get(name.toLowerCase().replaceAll(/[\s_.-]/g, ''));
  if (pages !== undefined) return `There is no field ${quoted}${suggested(`{{${pages}}}`)}`;
  if (near !== null) return `There is no field ${quoted}${suggested(near)}`;
  const foreign = foreignHint(name);
  if (foreign !== null) return `${quoted} ${foreign}`;
  return `There is no field ${quoted}${unknownHint(name, isHeadKnown)}`;
}

/** The words of a text that may be names in an expression. */
export function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/[\p{L}_][\p{L}\p{M}\p{N}_]*/gu), ([word]) => word);
}

/** The end of the message about an unknown name that resembles no known name. */
function unknownHint(name: string, isHeadKnown: boolean): string {
  const head = headOf(name);
  if (head === name || isHeadKnown) return '; declare it in fields.';
  const quoted = JSON.stringify(head);
  return `: ${quoted} is neither a field nor the "as" of an "each" around this place.`;
}

/**
 * What to write for an unknown name that is not meant as a name: an expression without its sign, or
 * a block of other template languages. Null if it may be a name.
 */
function foreignHint(name: string): string | null {
  if (/^[#/^]\s*\w|^(?:else|elseif|endif|end if)\b/.test(name)) {
    return 'has no meaning here: give the node or row "if", "unless" or "each".';
  }
  const expression = /^==+/.test(name) ? name.replace(/^=+\s*/, '') : name;
  const computes = /^[\p{L}_(!-].*(?:[*+/%()<>?]|[=!]=|&&|\s-\s)|^[(!-]/u.test(expression);
  return computes || expression !== name ? `is an expression: write {{= ${expression}}}.` : null;
}
