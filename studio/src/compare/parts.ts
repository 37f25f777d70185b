import { parseExact, toJson } from '../api/exact.ts';
import type { Sample } from '../api/template-data.ts';
import { type Difference, differencesOf } from '../editor/conflict/difference.ts';
import { formatJson, isRecord } from '../editor/template-text.ts';

/** A member of the template's text that differs, with the lines that differ. */
export interface DifferingPart {
  /** Such as `fields` or `document.styles`. */
  readonly path: string;
  readonly places: readonly Difference[];
}

/**
 * The members of this object are separate parts: a changed style is not a change of the content.
 */
const SPLIT = 'document';

/**
 * The parts in which two templates differ, samples included. Null if a text is not a JSON object.
 */
export function differingParts(before: string, after: string): readonly DifferingPart[] | null {
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === null || now === null) return null;
  const paths = new Set([...now.keys(), ...old.keys()]);
  return [...paths].flatMap((path) => {
    const [was = '', is = ''] = [old.get(path), now.get(path)];
    const places = differencesOf(was, is).map(({ line, lines }) => ({
      line,
      // If a template lacks the part, its text is an empty line.
      lines: lines.filter(({ text }) => text !== ''),
    }));
    return places.length === 0 ? [] : [{ path, places }];
  });
}

/** The members of the template by path, laid out as lines in which numbers keep their digits. */
function membersOf(text: string): ReadonlyMap<string, string> | null {
  const template = parsed(text);
  if (!isRecord(template)) return null;
  const members = Object.entries(template).flatMap(([name, value]) =>
    name === SPLIT && isRecord(value)
      ? Object.entries(value).map(([key, one]): [string, unknown] => [`${name}.${key}`, one])
      : [[name, value] as [string, unknown]],
  );
  return new Map(members.map(([path, value]) => [path, formatJson(toJson(value))]));
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The sample of another version with the same name or, without a name, the same index. */
export function sampleLike(
  samples: readonly Sample[],
  { name }: Sample,
  index: number,
): Sample | null {
  if (name !== undefined) return samples.find((one) => one.name === name) ?? null;
  const sample = samples[index];
  return sample === undefined || sample.name !== undefined ? null : sample;
}

/** The data of a file in a template, which nobody reads. */
const FILE_DATA = /(data:[\w/+.-]+;base64,)([A-Za-z0-9+/=]{40,})/g;
const LINE_LENGTH_MAX = 300;

/**
 * A line of a template's text for display. `count` describes the number of characters of a file's
 * data.
 */
export function shownLine(text: string, count: (characters: number) => string): string {
  const line = text.replaceAll(
    FILE_DATA,
    (_, head: string, data: string) => `${head}[${count(data.length)}]`,
  );
  return line.length <= LINE_LENGTH_MAX ? line : `${line.slice(0, LINE_LENGTH_MAX)}…`;
}
