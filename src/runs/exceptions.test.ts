import t from 'tap';
import { type FaultyRow, writeCorrectionsCsv } from './exceptions.ts';

t.test('corrections as CSV ask for dates in the format of the run', async (t) => {
  const reason = 'date expected as YYYY-MM-DD';
  const row: FaultyRow = {
    part: 1,
    line: 2,
    outcome: 'invalid',
    rowId: 'R-1',
    fields: [{ field: 'issued', reason }],
    data: { issued: '31/2/2569' },
    extra: [],
    text: '',
  };
  async function* rows(): AsyncGenerator<readonly FaultyRow[]> {
    yield [row];
  }
  const csv = { date: 'd/m/y', calendar: 'buddhist' } as const;
  const parts: Uint8Array[] = [];
  for await (const part of writeCorrectionsCsv(rows(), ['issued'], csv)) parts.push(part);
  const text = Buffer.concat(parts).toString();
  t.match(text, '"issued: date expected as 31/12/2569, with the full year of the Buddhist Era');
  t.notMatch(text, reason);
});
