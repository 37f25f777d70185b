import type { Page } from 'playwright-core';
import { callAs, type Scene } from './browser.ts';

/** A file as `setInputFiles` takes it. */
interface SentFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

function quoted(text = ''): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function csvOf(rows: readonly Readonly<Record<string, string>>[]): SentFile {
  const [first = {}] = rows;
  const names = Object.keys(first);
  // With semicolons, as Excel saves in many countries.
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))].map((cells) =>
    cells.map(quoted).join(';'),
  );
  const buffer = Buffer.from(`\uFEFF${lines.join('\r\n')}\r\n`);
  return { name: 'november.csv', mimeType: 'text/csv', buffer };
}

/** 200 rows of 100.25: the id of line 18 is missing, the totals of lines 94 and 151 are no numbers. */
function monthEnd(sample: Readonly<Record<string, unknown>>): SentFile {
  const data = Object.entries(sample).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const rows = Array.from({ length: 200 }, (_, index) => ({
    row: index === 16 ? '' : `RC-${index + 2}`,
    ...Object.fromEntries(data),
    total: index === 92 ? '100,25' : index === 149 ? 'one hundred' : '100.25',
  }));
  return csvOf(rows);
}

/** Makes the run of the month in the Studio, and waits until it has stopped. */
export async function startRun({ url }: Scene, page: Page): Promise<void> {
  const found = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  await page.goto(`${url}/studio/runs/new?template=receipt`);
  await page.getByLabel('File of rows').setInputFiles(monthEnd(sample.data));
  await page.getByLabel('Column that identifies a row').selectOption('row');
  await page.getByLabel('Rows', { exact: true }).fill('200');
  await page.getByLabel('Sum of “total”').fill('20050.00');
  await page.getByRole('button', { name: 'Upload and start' }).click();
  await page.getByText('The run has stopped').waitFor();
  await page.getByRole('heading', { name: 'Rows to correct: 3' }).waitFor();
}
