/** A table of docs/performance.md that a bench wrote: cells by the name of their row and column. */
export interface MeasuredTable {
  /**
   * The figure in the row and the column whose names begin so: of `0.27 (0.25–0.31)` the median. Null
   * where nothing was measured.
   */
  figure(row: string, column: string): number | null;
}

/** The table between the comments `<!-- figures: NAME -->` of the page; it may still be empty. */
export function measuredTable(page: string, name: string): MeasuredTable {
  const block = new RegExp(`<!-- figures: ${name} -->\\n([\\s\\S]*?)<!-- /figures -->`).exec(page);
  if (block === null) throw new Error(`docs/performance.md has no table ${name}`);
  const [head = [], , ...rows] = (block[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1).map(plain));
  return {
    figure: (rowName, columnName) => {
      const column = head.findIndex((cell) => cell.startsWith(columnName));
      const row = rows.find(([cell = '']) => cell.startsWith(rowName));
      const value = /^-?[\d,]+(?:\.\d+)?/.exec(row?.[column] ?? '')?.[0];
      return value === undefined ? null : Number(value.replaceAll(',', ''));
    },
  };
}

/** A cell without the marks of emphasis. */
function plain(cell: string): string {
  return cell.replaceAll('**', '').trim();
}
