import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import type { SoakSlice } from '../http/figures.ts';
import { NONE } from './none.ts';
import { fillPage } from './page.ts';

const PAGE = `# Page

<!-- figures: rows -->

old rows

<!-- /figures -->

between

<!-- figures: soak -->

old soak

<!-- /figures -->
`;

t.test('a run writes the tables it has figures for and leaves the others', async (t) => {
  t.equal(fillPage(PAGE, NONE), PAGE);
  const cpuMs = { min: 1, median: 2, max: 3, rounds: 3 };
  const rows = [{ rows: 10, cpuMs, perRowUs: 200 }];
  const peersLeftOut = [{ peer: 'typst', reason: 'none' }];
  const page = fillPage(PAGE, { ...NONE, rows, peersLeftOut });
  t.match(page, /<!-- figures: rows -->\n\nCommit .*Left out: typst\.\n\n\| rows of B \| 10 \|/);
  t.match(page, /\| µs a row \| 200 \|\n\n<!-- \/figures -->\n\nbetween/);
  t.notMatch(page, /old rows/);
  t.match(page, /old soak/);
  t.equal(fillPage(page, { ...NONE, rows, peersLeftOut }), page, 'written twice, it is the same');
});

function slice(documents: number, rssMb: number): SoakSlice {
  const rest = { documentsPerSecond: 10, p99Ms: 1, descriptors: 5, children: 1, errors: 0 };
  return { documents, rssMb, ...rest };
}

t.test('a soak is a row: its end beside its first tenth', async (t) => {
  const page = fillPage(PAGE, { ...NONE, soak: [slice(100, 100), slice(1_000, 110)] });
  t.match(page, /\| 1,000 \| 10\.0 \| 110 \| 1\.10 \| 5 → 5 \| 1 → 1 \| 0 \|/);
});

t.test('every place of the performance page belongs to a table', async (t) => {
  const page = readFileSync(join(HOME, 'docs', 'performance.md'), 'utf8');
  t.equal(fillPage(page, NONE), page);
  const opened = page.match(/<!-- figures: \w+ -->/g) ?? [];
  t.ok(opened.length > 5);
  t.equal(opened.length, page.match(/<!-- \/figures -->/g)?.length);
  t.throws(() => fillPage(PAGE.replace('soak', 'other'), NONE), /no table of the bench/);
});
