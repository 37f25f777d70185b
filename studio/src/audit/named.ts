/** A user or key by identifier, such as `user:somchai`, with its name. */
export type Named = readonly [id: string, name: string];

/**
 * The users and keys that a text can mean: those with this name or, if there are none, those whose name
 * has words that begin with the words of the text, whatever their capitals. Empty when the text is an
 * identifier or matches nobody.
 */
export function principalsNamed(text: string, known: Iterable<Named>): readonly Named[] {
  const all = [...known];
  if (all.some(([id]) => id === text || id === `user:${text}`)) return [];
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  const exact = all.filter(([, name]) => wordsOf(name).join(' ') === wanted.join(' '));
  if (exact.length > 0) return exact;
  return all.filter(([, name]) => {
    const words = wordsOf(name);
    return wanted.every((part) => words.some((word) => word.startsWith(part)));
  });
}

/** The identifier of the one user or key that a text means; else the text, which may be an identifier. */
export function principalNamed(text: string, known: Iterable<Named>): string {
  const [first, second] = principalsNamed(text, known);
  return first === undefined || second !== undefined ? text : first[0];
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
}
