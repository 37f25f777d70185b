/** A word as a shell takes it (POSIX.1-2017, Shell Command Language §2.2.2). */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
