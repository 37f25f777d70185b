import { DatabaseSync } from 'node:sqlite';

/*
 * The page layout is that of https://www.sqlite.org/fileformat2.html, sections 1.3, 1.5 and 1.6:
 *
 *   page 1 only: 100 bytes of file header
 *   header (8 or 12 bytes) | cell pointers, 2 bytes each | unallocated | cells and free blocks
 */
const FILE_HEADER_BYTES = 100;
const HEADER_BYTES = { leaf: 8, interior: 12 } as const;
const LEAF_TYPES = new Set([10, 13]);

/** Says which page holds the byte, whose page that is, and in which part of it the byte lies. */
export function locate(path: string, file: Buffer, at: number): string {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 60_000 });
  try {
    const bytes = Number(database.prepare('pragma page_size').get()?.['page_size']);
    const number = Math.floor(at / bytes) + 1;
    const owner = database
      .prepare('select name, pagetype from dbstat where pageno = ?')
      .get(number);
    const place = `page ${number}, byte ${at % bytes}`;
    if (owner === undefined) return `${place}: a free page`;
    const { name, pagetype } = owner;
    if (pagetype === 'overflow') return `${place}: overflow page of ${String(name)}`;
    const page = file.subarray((number - 1) * bytes, number * bytes);
    const part = partOf(page, at % bytes, number === 1 ? FILE_HEADER_BYTES : 0);
    return `${place}: ${String(pagetype)} page of ${String(name)}, ${part}`;
  } finally {
    database.close();
  }
}

function partOf(page: Buffer, at: number, start: number): string {
  if (at < start) return 'file header';
  const isLeaf = LEAF_TYPES.has(page.readUInt8(start));
  const pointersAt = start + HEADER_BYTES[isLeaf ? 'leaf' : 'interior'];
  if (at < pointersAt) return 'page header';
  const count = page.readUInt16BE(start + 3);
  if (at < pointersAt + 2 * count) return `pointer of cell ${(at - pointersAt) >> 1}`;
  // 0 means 65536, which no page of ours has.
  if (at < page.readUInt16BE(start + 5)) return 'unallocated space';
  for (let block = page.readUInt16BE(start + 1); block !== 0; block = page.readUInt16BE(block)) {
    if (at >= block && at < block + page.readUInt16BE(block + 2)) return 'free block';
  }
  const starts = Array.from({ length: count }, (_, cell) =>
    page.readUInt16BE(pointersAt + 2 * cell),
  );
  const cellAt = Math.max(...starts.filter((cell) => cell <= at));
  return `byte ${at - cellAt} of cell ${starts.indexOf(cellAt)}`;
}
