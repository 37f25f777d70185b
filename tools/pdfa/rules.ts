import { readFileSync } from 'node:fs';
import type { Fact } from './file.ts';
import type { Model } from './model.ts';
import { readModel } from './model.ts';
import { UNCONCERNED } from './unconcerned.ts';

/**
 * The rules of ISO 19005-2, ISO 19005-3 and ISO 14289-1 as conditions over a model of the file. The
 * table `rules.tsv` is taken from the validation profiles of veraPDF (CC BY 4.0, the PDF
 * Association and others); the model and the code that reads files into it are original.
 */
export type Profile = '2u' | '2a' | '3u' | '3a' | 'ua';

export interface Rule {
  readonly profiles: readonly Profile[];
  /** Clause and number of the test in it: `6.1.2-1`. */
  readonly id: string;
  readonly object: string;
  readonly condition: string;
  readonly text: string;
  readonly holds: (properties: Readonly<Record<string, unknown>>) => boolean;
}

/** A rule that a file breaks. */
export interface Violation {
  readonly rule: string;
  readonly where: string;
  readonly text: string;
}

export const RULES: readonly Rule[] = readRules();

function readRules(): Rule[] {
  const table = readFileSync(new URL('rules.tsv', import.meta.url), 'utf8');
  return table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [profiles = '', clause = '', test = '', object = '', condition = '', text = ''] =
        line.split('\t');
      return {
        profiles: profiles.split(',') as Profile[],
        id: `${clause}-${test}`,
        object,
        condition,
        text,
        holds: compileCondition(condition),
      };
    });
}

/** Compiles a condition. Conditions are JavaScript, except for two methods of Java's strings. */
function compileCondition(condition: string): Rule['holds'] {
  const script = condition
    .replaceAll('.length()', '.length')
    .replaceAll(/(\w+)\.contains\(/g, '$1.split("&").includes(');
  // The proxy throws for names that a fact does not have, because undefined might pass.
  // oxlint-disable-next-line typescript/no-implied-eval -- the table is a file of this folder
  const evaluate = new Function('facts', `with (facts) { return ${script}; }`) as (
    facts: object,
  ) => unknown;
  return (properties) => evaluate(strict(properties)) === true;
}

function strict(properties: Readonly<Record<string, unknown>>): object {
  return new Proxy(properties, {
    has: (target, key) => typeof key === 'string' && (key in target || !(key in globalThis)),
    get: (target, key) => {
      if (typeof key === 'symbol') return undefined;
      if (!(key in target)) throw new Error(`the model has no ${key}`);
      return target[key];
    },
  });
}

/** Every rule of a profile that the file breaks. */
export function findViolations(bytes: Uint8Array, profile: Profile): Violation[] {
  return violationsOf(readModel(bytes), profile);
}

/** What the checker says of any file: the rules that it breaks, or what of it cannot be read. */
export type Judgement =
  { readonly violations: readonly Violation[] } | { readonly unreadable: string };

/** Judges a file from anywhere; ends within bounded work, whatever the file holds. */
export function judge(bytes: Uint8Array, profile: Profile): Judgement {
  try {
    return { violations: findViolations(bytes, profile) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { unreadable: error.message };
  }
}

/** A rule that is not evaluated, although the file has a sign of the object that it is about. */
export interface Unjudged {
  readonly rule: string;
  readonly object: string;
  readonly text: string;
}

/** What is known about a file: the rules that it breaks, and those that nobody asked. */
export interface Findings {
  readonly violations: readonly Violation[];
  readonly unjudged: readonly Unjudged[];
}

/** Evaluates the rules of a profile on a file that was read already. */
export function findingsOf(model: Model, profile: Profile): Findings {
  const byType = new Map<string, Fact[]>();
  for (const fact of model.facts) {
    const known = byType.get(fact.type);
    if (known === undefined) byType.set(fact.type, [fact]);
    else known.push(fact);
  }
  const violations: Violation[] = [];
  const unjudged: Unjudged[] = [];
  for (const rule of RULES) {
    if (!rule.profiles.includes(profile)) continue;
    const unconcerned = UNCONCERNED.find(({ object }) => object === rule.object);
    if (unconcerned !== undefined) {
      const found = unconcerned.mayConcern(model.document);
      if (found) unjudged.push({ rule: rule.id, object: rule.object, text: rule.text });
      continue;
    }
    for (const fact of byType.get(rule.object) ?? []) {
      if (rule.holds(fact.properties)) continue;
      violations.push({ rule: rule.id, where: fact.where, text: rule.text });
    }
  }
  return { violations, unjudged };
}

/**
 * Every rule of a profile that a file of Intaglio breaks. An object that Intaglio never writes breaks
 * all rules about such objects.
 */
export function violationsOf(model: Model, profile: Profile): Violation[] {
  const { violations, unjudged } = findingsOf(model, profile);
  return [
    ...violations,
    ...unjudged.map(({ rule, object }) => ({ rule, where: 'file', text: reasonOf(object) })),
  ];
}

function reasonOf(object: string): string {
  return UNCONCERNED.find((one) => one.object === object)?.reason ?? '';
}
