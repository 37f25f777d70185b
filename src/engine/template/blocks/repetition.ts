import type { Context, CompileScope } from '../context.ts';
import { lonePlaceholder } from '../fields/bindings.ts';
import type { Condition } from '../../model/nodes.ts';

interface RepetitionSource {
  readonly if?: string;
  readonly unless?: string;
  readonly each?: string;
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
  addCondition(source.if, true, `${path}.if`, context, conditions);
  addCondition(source.unless, false, `${path}.unless`, context, conditions);
  if (source.each === undefined) return { conditions, each: null, scope };
  const name = fieldName(source.each);
  const each = context.fields.bind(name, `${path}.each`, ['table'], '"each"');
  return { conditions, each, scope: each === null ? scope : { ...scope, each } };
}

function addCondition(
  source: string | undefined,
  present: boolean,
  path: string,
  context: Context,
  conditions: Condition[],
): void {
  if (source === undefined) return;
  const field = context.fields.bindCondition(fieldName(source), path);
  if (field !== null) conditions.push({ field, present });
}

/** `name`, also when it is written as `{{name}}`. */
function fieldName(source: string): string {
  return lonePlaceholder(source) ?? source;
}
