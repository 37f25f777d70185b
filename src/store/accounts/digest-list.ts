import { digest } from '../ids.ts';
import { LOOKUPS_MAX } from './types.ts';

/**
 * Lengths of the lists in statements: a statement of each length would fill the connections' caches
 * of prepared ones.
 */
const LENGTHS = [1, 8, 64, LOOKUPS_MAX];

/** What callers sent as keys or sessions, as the parameters of a statement that finds their rows. */
export interface DigestList {
  /** The SHA-256 of each, the last of them repeated up to one of a few lengths. */
  readonly parameters: readonly Buffer[];
  /** `in (?, …)` */
  readonly condition: string;
  /** The SHA-256 of each text in hex; '' for those that cannot be valid. */
  readonly digests: readonly string[];
}

/** Lists the digests of at most `LOOKUPS_MAX` texts that fit the pattern; null: none does. */
export function listDigests(texts: readonly string[], pattern: RegExp): DigestList | null {
  const parameters: Buffer[] = [];
  const digests = texts.map((text) => {
    if (!pattern.test(text)) return '';
    const bytes = digest(text);
    parameters.push(bytes);
    return bytes.toString('hex');
  });
  const last = parameters.at(-1);
  if (last === undefined) return null;
  const length = LENGTHS.find((most) => parameters.length <= most);
  if (length === undefined) throw new Error(`more than ${LOOKUPS_MAX} look-ups in one statement`);
  while (parameters.length < length) parameters.push(last);
  return { parameters, condition: `in (?${', ?'.repeat(length - 1)})`, digests };
}
