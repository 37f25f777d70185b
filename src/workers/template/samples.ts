import { checkIsObject, checkObject } from './check.ts';
import type { Findings } from './findings.ts';
import type { KeyTable } from './values.ts';
import { VALUES as V } from './values.ts';

export interface Sample {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const SAMPLE_KEYS = { name: V.name, data: V.object } as const satisfies KeyTable;

/** The template's samples; what is wrong with their shape is a finding. */
export function compileSamples(sources: readonly unknown[], findings: Findings): readonly Sample[] {
  const names = new Set<string>();
  return sources.flatMap((source, index): Sample[] => {
    const path = `samples[${index}]`;
    const object = checkIsObject(source, path, findings);
    if (object === null) return [];
    const { name = `sample ${index + 1}`, data } = checkObject(object, path, SAMPLE_KEYS, findings);
    if (data === undefined) {
      if (object['data'] === undefined) findings.error(path, 'A sample needs "data".');
      return [];
    }
    if (names.has(name)) findings.warning(`${path}.name`, 'Another sample has this name.');
    names.add(name);
    return [{ name, data }];
  });
}
