import { readPaths } from '../../../expressions/index.ts';
import { isList } from '../../contract/nested/flatten.ts';
import { isPathName, PLACEHOLDER_WORDS } from '../../contract/nested/problems.ts';
import type { Context, CompileScope } from '../context.ts';
import { lonePlaceholder } from '../fields/bindings.ts';
import { readCondition } from '../computed/condition.ts';
import { enterView, hasView, type ViewSource } from '../computed/views.ts';
import { ANY_NAME, UNKNOWN_LIST } from '../fields/entries.ts';
import type { Condition } from '../../model/nodes.ts';

interface RepetitionSource extends ViewSource {
  readonly if?: string;
  readonly unless?: string;
  readonly each?: string;
  readonly as?: string;
}

/** Conditions and repetition of a node, run or row, and the scope inside it. */
export interface Repetition {
  readonly conditions: readonly Condition[];
  readonly each: number | null;
  readonly scope: CompileScope;
}

export function enterRepetition(
  source: RepetitionSource,
  path: string,
  context: Context,
  scope: CompileScope,
): Repetition {
  const conditions: Condition[] = [];
  addCondition(source.if, true, `${path}.if`, source, context, scope, conditions);
  addCondition(source.unless, false, `${path}.unless`, source, context, scope, conditions);
  const guards = [...scope.guards, ...conditions];
  if (source.each === undefined) {
    if (source.as !== undefined) {
      context.findings.error(`${path}.as`, '"as" names the entries of a list; it needs "each".');
    }
    reportViewKeys(source, path, '"each" over a list', context);
    return { conditions, each: null, scope: { ...scope, guards } };
  }
  const name = fieldName(source.each);
  const each = context.fields.bindEach(name, `${path}.each`, scope.entries);
  if (each === null) return { conditions, each, scope: withUnknown(source.as ?? ANY_NAME, scope) };
  if (!isList(context.fields.descriptor(each))) {
    if (source.as !== undefined) {
      const message = '"as" names the entries of a list; the cells of a table are {{0}}, {{1}}, …';
      context.findings.error(`${path}.as`, message);
    }
    reportViewKeys(source, path, 'a list', context);
    guards.push({ field: each, present: true });
    return { conditions, each, scope: { ...scope, each, guards } };
  }
  guards.push({ field: each, present: true });
  const entries = new Map(scope.entries);
  const errors = context.findings.errors;
  const entry = entryName(source.as, name, path, context, scope);
  const isNamed = context.findings.errors === errors;
  if (!isNamed) entries.set(ANY_NAME, UNKNOWN_LIST);
  if (entry !== null) entries.set(entry, each);
  const inner = { ...scope, entries, guards };
  if (source.groupBy === undefined) {
    const ends = { groupHeader: source.groupHeader, groupFooter: source.groupFooter };
    reportViewKeys(ends, path, '"groupBy"', context);
  }
  if (entry === null || !hasView(source)) return { conditions, each, scope: inner };
  return { conditions, ...enterView(source, each, entry, path, context, inner) };
}

/** Reports keys of an `each` over a list that stand where they have nothing to work on. */
function reportViewKeys(
  source: ViewSource,
  path: string,
  needed: string,
  { findings }: Context,
): void {
  for (const key of VIEW_KEYS) {
    if (source[key] !== undefined) findings.error(`${path}.${key}`, `"${key}" needs ${needed}.`);
  }
}

const VIEW_KEYS = ['filter', 'sortBy', 'groupBy', 'groupHeader', 'groupFooter'] as const;

/** The name of the entries of a list; null, with a finding, when there is none or it is taken. */
function entryName(
  name: string | undefined,
  list: string,
  path: string,
  { fields, findings }: Context,
  { entries }: CompileScope,
): string | null {
  if (name === undefined) {
    const message = `${JSON.stringify(list)} is a list: name its entries, such as "as": "entry".`;
    findings.error(path, message);
    return null;
  }
  const at = `${path}.as`;
  if (!isPathName(name)) {
    findings.error(at, 'A name has letters, digits, _ and -, and begins with a letter or _.');
  } else if (PLACEHOLDER_WORDS.has(name)) {
    findings.error(at, `{{${name}}} has a meaning already; take another name.`);
  } else if (entries.has(name)) {
    findings.error(at, `The "each" around it has this name already; take another one.`);
  } else if (fields.find(name) !== null) {
    findings.error(at, `A field has this name already; take another one.`);
  }
  return name;
}

/**
 * A scope in which `name` stands for the entries of an unknown list, so that one fault is not
 * reported many times.
 */
function withUnknown(name: string, scope: CompileScope): CompileScope {
  return { ...scope, entries: new Map(scope.entries).set(name, UNKNOWN_LIST) };
}

function addCondition(
  source: string | undefined,
  present: boolean,
  path: string,
  { as }: RepetitionSource,
  context: Context,
  { entries, guards, group }: CompileScope,
  conditions: Condition[],
): void {
  if (source === undefined) return;
  const { fields, expressions, findings } = context;
  if (/^(?:true|false)$/.test(source) && fields.find(source) === null) {
    findings.error(path, `There is no field "${source}"; write the expression as "= ${source}".`);
    return;
  }
  const read = readCondition(fieldName(source), (name) => fields.find(name) !== null);
  if (as !== undefined && !entries.has(as) && isAbout(as, read)) {
    const message =
      `${JSON.stringify(as)} is known only inside this node: use "filter" to leave entries out, or ` +
      'put the condition on a node inside it.';
    findings.error(path, message);
    return;
  }
  const bound =
    'name' in read
      ? fields.bindCondition(read.name, path, entries)
      : expressions.bindCondition(read.expression, path, {
          entries,
          guards: [...guards, ...conditions],
          group,
        });
  if (bound !== null) conditions.push({ ...bound, present });
}

/** Whether a condition reads an entry by its name. */
function isAbout(as: string, read: ReturnType<typeof readCondition>): boolean {
  if ('name' in read) return read.name.startsWith(`${as}.`);
  return readPaths(read.expression)?.some(([name]) => name === as) === true;
}

/** `name`, also when it is written as `{{name}}`. */
function fieldName(source: string): string {
  return lonePlaceholder(source) ?? source;
}
