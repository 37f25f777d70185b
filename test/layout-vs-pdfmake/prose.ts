/**
 * Text that is the same in every run, with enough different words to wrap unevenly. It has no date
 * with slashes: we break such a date after a slash, pdfmake at any character.
 */
const WORDS = `lorem ipsum dolor sit amet consectetur adipiscing elit Vivamus posuere Tower Toyota
AVAWAY Yearly statement account balance transfer 1,250.50 well-known and/or (brackets) "quoted"
e-mail user@example.com 12May2026 50% $120.00 Mr. O'Neil semi-annual payments, interest; fees: total!
WAVE To Ty Ve P. re-issue non-transferable up-to-date left—right range 10–20 a b c I naïve café`
  .trim()
  .split(/\s+/u);

/** `count` words from the list, starting anywhere. */
export function prose(count: number, start = 0): string {
  return Array.from(
    { length: count },
    (_, index) => WORDS[(start + index * 7) % WORDS.length],
  ).join(' ');
}

/** The same without words that a line may end in: in justified lines pdfmake widens such words. */
export function wholeWords(count: number, start = 0): string {
  return prose(count, start)
    .split(' ')
    .filter((word) => !/[-–—]|and\/or/u.test(word))
    .join(' ');
}

/** Rows of cells for tables. */
export function rows(
  count: number,
  columns: number,
  wordsOf: (row: number, column: number) => number,
) {
  return Array.from({ length: count }, (_row, row) =>
    Array.from({ length: columns }, (_cell, column) =>
      prose(wordsOf(row, column), row * 5 + column * 3),
    ),
  );
}
