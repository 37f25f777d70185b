/** How a language forms names. */
export interface NameRules {
  /** Whether the first word begins with a capital. */
  readonly isPascal: boolean;
  /** Characters that a name cannot have. */
  readonly illegal: RegExp;
  /** Names that mean something else there, in the spelling of the language. */
  readonly reserved: ReadonlySet<string>;
}

/** Put before a name that has no legal beginning. */
const PREFIX = 'field';

/**
 * A legal name of the language for each of `sources`, in their order. Two that become the same are
 * numbered: `amount`, `amount2`.
 */
export function uniqueNames(sources: readonly string[], rules: NameRules): readonly string[] {
  const taken = new Set<string>(rules.reserved);
  return sources.map((source) => {
    const wanted = toName(source, rules);
    let name = rules.reserved.has(wanted) ? `${wanted}_` : wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}${count}`;
    taken.add(name);
    return name;
  });
}

/** The name that a text becomes; it may be reserved. */
export function toName(source: string, { isPascal, illegal }: NameRules): string {
  const words = source
    .normalize('NFC')
    .replaceAll(illegal, ' ')
    .split(' ')
    .filter((word) => word !== '');
  const joined = words
    .map((word, at) => (at === 0 && !isPascal ? lower(word) : upper(word)))
    .join('');
  const isLegal = isPascal ? /^\p{Lu}/u.test(joined) : /^\p{L}/u.test(joined);
  if (isLegal) return joined;
  return (isPascal ? upper(PREFIX) : PREFIX) + joined;
}

function upper(word: string): string {
  const [first = ''] = word;
  const raised = first.toUpperCase();
  // ß becomes two letters, of which the second is capital, too.
  return (raised.length === first.length ? raised : first) + word.slice(first.length);
}

/** IBAN stays a word: iban. customerName keeps its capitals inside. */
function lower(word: string): string {
  if (/^\p{Lu}+$/u.test(word)) return word.toLowerCase();
  const [first = ''] = word;
  return first.toLowerCase() + word.slice(first.length);
}

/** A string literal that all five languages read the same. */
export function literal(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Words of a list in text, as a set. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
