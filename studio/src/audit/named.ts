/**
 * The identifier of the one user or key with this name, whatever its capitals; else the text itself,
 * which may be an identifier.
 */
export function principalNamed(
  text: string,
  known: Iterable<readonly [id: string, name: string]>,
): string {
  const all = [...known];
  if (all.some(([id]) => id === text || id === `user:${text}`)) return text;
  const wanted = text.trim().toLowerCase();
  const [first, second] = all.filter(([, name]) => name.trim().toLowerCase() === wanted);
  return first === undefined || second !== undefined ? text : first[0];
}
