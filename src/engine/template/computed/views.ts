import { FIRST_COLUMN, LAST_COLUMN } from '../../contract/nested/columns.ts';
import type { Condition } from '../../model/nodes.ts';
import { ANY_NAME, UNKNOWN_LIST } from '../fields/entries.ts';
import type { CompileScope, Context } from '../context.ts';
import { readCondition } from './condition.ts';
import type { SortKey } from './expressions.ts';

/** What an `each` says about the entries that it goes over. */
export interface ViewSource {
  readonly filter?: string;
  readonly sortBy?: string | readonly string[];
  readonly groupBy?: string;
  readonly groupHeader?: unknown;
  readonly groupFooter?: unknown;
}

/** An `each` over a list: the list or the view of it, and the scope at its entries. */
interface EnteredView {
  readonly each: number;
  readonly scope: CompileScope;
}

/** Whether an `each` needs a view of its list. */
export function hasView({ filter, sortBy, groupBy }: ViewSource): boolean {
  return filter !== undefined || sortBy !== undefined || groupBy !== undefined;
}

/**
 * Enters an `each` that filters, sorts or groups the entries of a list. `inner`: the scope at its
 * entries without that, in which `as` names them.
 */
export function enterView(
  source: ViewSource,
  list: number,
  as: string,
  path: string,
  context: Context,
  inner: CompileScope,
): EnteredView {
  const guards = [...inner.guards];
  const filter = filterOf(source.filter, `${path}.filter`, context, inner);
  if (filter !== null) guards.push(filter);
  const place = { ...inner, guards };
  const sources = typeof source.sortBy === 'string' ? [source.sortBy] : (source.sortBy ?? []);
  const keys = sources.flatMap((text, index): SortKey[] => {
    const at = typeof source.sortBy === 'string' ? `${path}.sortBy` : `${path}.sortBy[${index}]`;
    const [, expression = text, order = 'asc'] = /^(.*?)\s+(asc|desc)\s*$/su.exec(text) ?? [];
    const key = context.expressions.bindKey(expression, at, place, list);
    return key === null ? [] : [{ ...key, isDescending: order === 'desc' }];
  });
  const group =
    source.groupBy === undefined
      ? null
      : context.expressions.bindKey(source.groupBy, `${path}.groupBy`, place, list);
  const view = { path: `${path}.each`, list, filter, keys, group };
  const each = context.expressions.addView(view);
  if (each === null) return { each: list, scope: inner };
  const entries = new Map(inner.entries).set(as, each);
  // The grouping has a fault, so unknown names inside it are not reported.
  if (source.groupBy !== undefined && group === null) entries.set(ANY_NAME, UNKNOWN_LIST);
  const own = group === null ? inner.group : each;
  return { each, scope: { ...inner, entries, guards, group: own } };
}

function filterOf(
  source: string | undefined,
  path: string,
  { fields, expressions }: Context,
  scope: CompileScope,
): Condition | null {
  if (source === undefined) return null;
  const read = readCondition(source, (name) => fields.find(name) !== null);
  const bound =
    'name' in read
      ? fields.bindCondition(read.name, path, scope.entries)
      : expressions.bindCondition(read.expression, path, scope);
  return bound === null ? null : { ...bound, present: true };
}

/** The condition of what stands before, or behind, the entries of a group. */
export function groupEnd(view: number, end: 'first' | 'last'): Condition {
  const column = end === 'first' ? FIRST_COLUMN : LAST_COLUMN;
  return { list: view, column, present: true };
}

/** The scope of what stands before, or behind, the entries of a group. */
export function groupScope(scope: CompileScope, end: Condition): CompileScope {
  return { ...scope, guards: [...scope.guards, end] };
}
