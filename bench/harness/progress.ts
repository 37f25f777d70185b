/** Tells the person at the terminal how far the bench is. Standard output holds the tables only. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
