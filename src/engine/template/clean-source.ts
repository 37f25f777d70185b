import { LIMITS } from '../../limits.ts';
import type { Finding } from '../job.ts';
import type { Compilation } from './compile.ts';

type CleanSource =
  | { readonly ok: true; readonly source: Uint8Array }
  | { readonly ok: false; readonly finding: Finding };

/**
 * The template's source with each PDF replaced by its cleaned version; `source` itself if none was.
 * Documents are made from what is stored without cleaning it again, so the result is checked once
 * more: a file whose PDFs would still be cleaned is refused.
 */
export async function withCleanPdfs(
  source: Uint8Array,
  { cleanedPdfs }: Compilation,
  check: (source: Uint8Array) => Promise<Compilation>,
): Promise<CleanSource> {
  if (cleanedPdfs === undefined || cleanedPdfs.size === 0) return { ok: true, source };
  const text = replaceStrings(new TextDecoder().decode(source), cleanedPdfs);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LIMITS.templateBytesMax) {
    return refused(
      `With its PDFs cleaned, the template has ${bytes.length} bytes; at most ` +
        `${LIMITS.templateBytesMax} are allowed. Place smaller PDFs.`,
    );
  }
  const again = await check(bytes);
  if ((again.cleanedPdfs?.size ?? 0) > 0) {
    return refused('A PDF of this template could not be cleaned; save that PDF again.');
  }
  return { ok: true, source: bytes };
}

function refused(message: string): CleanSource {
  return { ok: false, finding: { severity: 'error', path: 'document', message } };
}

/**
 * The JSON text with each string that equals a key of `replacements` replaced by its value, however
 * the string is written: `"data:application\/pdf;…"` and `"data:application/pdf;…"` are the same
 * string. Takes time linear in the text.
 */
export function replaceStrings(text: string, replacements: ReadonlyMap<string, string>): string {
  const lengthMin = [...replacements.keys()].reduce(
    (least, from) => Math.min(least, from.length),
    Number.MAX_SAFE_INTEGER,
  );
  let replaced = '';
  let copiedTo = 0;
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    if (end < 0) break;
    // No escape is shorter than the character it stands for.
    const to =
      end - start - 1 < lengthMin ? undefined : replacements.get(valueOf(text, start, end));
    if (to !== undefined) {
      replaced += text.slice(copiedTo, start) + JSON.stringify(to);
      copiedTo = end + 1;
    }
    start = text.indexOf('"', end + 1);
  }
  return copiedTo === 0 ? text : replaced + text.slice(copiedTo);
}

/** Index of the quote that closes the string that begins at `start`; -1: the string has no end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let at = end - 1;
    while (text[at] === '\\') at -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - at) % 2 === 1) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function valueOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  // A string of JSON parses to a string.
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
