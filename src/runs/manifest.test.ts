import t from 'tap';

import type { ManifestRow } from '../store/runs/types.ts';
import { writeManifest } from './manifest.ts';

const rowOf = (rowId: string): ManifestRow => ({
  rowId,
  outcome: 'invalid',
  code: 'invalid_data',
  length: 1,
  part: 1,
  packId: null,
  offset: 0,
});

async function csvOf(rowId: string): Promise<string> {
  async function* rows(): AsyncGenerator<readonly ManifestRow[]> {
    yield [rowOf(rowId)];
  }
  const parts: Uint8Array[] = [];
  for await (const part of writeManifest(rows(), 'csv', null, null)) parts.push(part);
  const [, line = ''] = Buffer.concat(parts).toString().split('\n');
  return line.slice(0, line.indexOf(',invalid'));
}

t.test('no row id runs as a formula in a spreadsheet', async (t) => {
  for (const rowId of ['=1+1', '+1', '-1', '@a', '＝1+1', '＋1', '－1', '＠a']) {
    t.equal(await csvOf(rowId), `'${rowId}`);
  }
  t.equal(await csvOf('a;=1+1'), '"a;=1+1"', 'nor the half behind a semicolon');
  t.equal(await csvOf('RC-0001'), 'RC-0001');
});

t.test('a CSV asks for dates in the format of the run', async (t) => {
  const reason = 'date expected as YYYY-MM-DD';
  async function* rows(): AsyncGenerator<readonly ManifestRow[]> {
    yield [{ ...rowOf('R-1'), fields: [{ field: 'issued', reason }] }];
  }
  const csv = { date: 'd/m/y', calendar: 'buddhist' } as const;
  const textOf = async (format: 'csv' | 'ndjson'): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const part of writeManifest(rows(), format, null, null, csv)) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  t.match(await textOf('csv'), '"issued: date expected as 31/12/2569, with the full year');
  t.match(await textOf('ndjson'), reason, 'programs compare the reasons of NDJSON');
});

t.test('a row tells how many of its characters no font has', async (t) => {
  const { code: _code, ...row } = rowOf('R-1');
  const stored: ManifestRow = { ...row, outcome: 'stored' };
  async function* rows(): AsyncGenerator<readonly ManifestRow[]> {
    yield [{ ...stored, missingCharacters: 2 }, stored];
  }
  const textOf = async (format: 'csv' | 'ndjson'): Promise<string[]> => {
    const parts: Uint8Array[] = [];
    for await (const part of writeManifest(rows(), format, null, null)) parts.push(part);
    return Buffer.concat(parts).toString().trimEnd().split('\n');
  };
  const [header, first, second] = await textOf('csv');
  t.match(header, /,missingCharacters,certificateSerial$/);
  t.match(first, /,2,$/);
  t.match(second, /,$/);
  const [one, other] = await textOf('ndjson');
  t.match(JSON.parse(one ?? ''), { missingCharacters: 2 });
  t.notMatch(other, /missingCharacters/);
});
