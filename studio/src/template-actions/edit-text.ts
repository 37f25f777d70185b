import { TOKENS } from '../editor/template-text.ts';

/** The keys of a template that name it. */
export interface Names {
  readonly templateId?: string;
  readonly name?: string;
}

/**
 * The text of a template with other names. Only these values change, each in its place: all else stays
 * byte for byte. Returns null for a text that is no JSON object or has something else than texts there.
 */
export function withNames(text: string, names: Names): string | null {
  const tokens = [...text.matchAll(TOKENS)];
  if (tokens[0]?.[0] !== '{') return null;
  let changed = text;
  // From the end, so that the places before stay true.
  const edits = Object.entries(names).map(([key, value]) => editOf(tokens, key, String(value)));
  for (const edit of edits.toSorted((a, b) => (b?.from ?? 0) - (a?.from ?? 0))) {
    if (edit === null) return null;
    changed = changed.slice(0, edit.from) + edit.text + changed.slice(edit.to);
  }
  return changed;
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The last value of a key counts, as `JSON.parse` reads it; a key that is absent becomes the first. */
function editOf(tokens: readonly RegExpExecArray[], key: string, value: string): Edit | null {
  const text = JSON.stringify(value);
  let found: Edit | null | undefined;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token[0] === '{' || token[0] === '[') depth += 1;
    else if (token[0] === '}' || token[0] === ']') depth -= 1;
    else if (depth === 1 && tokens[at + 1]?.[0] === ':' && isKey(token[0], key)) {
      const old = tokens[at + 2];
      const isText = old?.[0].startsWith('"') === true;
      found = isText ? { from: old.index, to: old.index + old[0].length, text } : null;
    }
  }
  if (found !== undefined) return found;
  const start = (tokens[0]?.index ?? 0) + 1;
  const comma = tokens[1]?.[0] === '}' ? '' : ',';
  return { from: start, to: start, text: ` ${JSON.stringify(key)}: ${text}${comma}` };
}

function isKey(token: string, key: string): boolean {
  if (!token.startsWith('"')) return false;
  try {
    return JSON.parse(token) === key;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
