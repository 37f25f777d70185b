import t from 'tap';
import { NONE } from './none.ts';
import { formatTable, ratioRange, reportTables } from './table.ts';

const spreadOf = (min: number, median: number, max: number) => ({ min, median, max, rounds: 4 });

t.test('a ratio whose range includes 1 shows no clear difference', async (t) => {
  const open = ': no clear difference';
  t.equal(ratioRange(spreadOf(0.97, 1.01, 1.04)), `1.01 (0.970–1.04)${open}`);
  t.equal(ratioRange(spreadOf(1, 1.02, 1.04)), `1.02 (1.00–1.04)${open}`);
  t.equal(ratioRange(spreadOf(0.9, 0.95, 0.99)), '0.950 (0.900–0.990)');
  t.equal(ratioRange(spreadOf(1.01, 1.05, 1.1)), '1.05 (1.01–1.10)');
  t.equal(ratioRange(spreadOf(1, 1, 1)), '1.00 (1.00–1.00)', 'compared with itself');
});

t.test('of two commits it says what their starts show', async (t) => {
  const ratio = spreadOf(0.906, 0.916, 0.926);
  t.equal(ratioRange({ ...spreadOf(1, 1, 1), shows: 'too few rounds' }), '1.00 (1.00–1.00)');
  t.equal(
    ratioRange({ ...ratio, shows: 'too few rounds' }),
    '0.916 (0.906–0.926): too few rounds to tell (--rounds 6)',
  );
  t.equal(ratioRange({ ...ratio, shows: 'a difference' }), '0.916 (0.906–0.926)');
  t.equal(
    ratioRange({ ...ratio, shows: 'no clear difference' }),
    '0.916 (0.906–0.926): no clear difference',
  );
});

t.test('the table of two services says it of each figure', async (t) => {
  const [a, b] = [spreadOf(90, 100, 110), spreadOf(80, 90, 120)];
  const open = { ...spreadOf(0.8, 0.9, 1.1), shows: 'no clear difference' as const };
  const few = { ...spreadOf(0.8, 0.9, 0.95), shows: 'too few rounds' as const };
  const clear = { ...spreadOf(1.1, 1.2, 1.3), shows: 'a difference' as const };
  const services = [
    {
      commits: ['aaa', 'bbb'] as const,
      name: 'sync',
      load: 'receipts',
      documentsPerSecond: { a, b, ratio: open },
      cpuMsPerRequest: { a, b, ratio: few },
      p99Ms: { a, b, ratio: clear },
    },
  ];
  const text = reportTables({ ...NONE, services })
    .map(formatTable)
    .join('\n');
  t.equal(text.match(/no clear difference/g)?.length, 1);
  t.match(text, '0.900 (0.800–1.10): no clear difference');
  t.match(text, '0.900 (0.800–0.950): too few rounds to tell (--rounds 6)');
});
