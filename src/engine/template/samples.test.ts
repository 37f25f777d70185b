import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { loadFonts } from '../font/library.ts';
import { checkTemplate } from '../values/check-template.ts';
import { plainSurroundings } from './fixtures.ts';

/** The shipped templates have no finding, and the data of each sample fits. */

const folder = new URL('../../../templates/', import.meta.url);
const surroundings = plainSurroundings(loadFonts(null).library);

const names = readdirSync(folder).filter((name) => /^[a-z-]+\.json$/.test(name));

t.ok(names.length >= 4);

for (const name of names) {
  t.test(`${name} has no finding and at least two samples`, async (t) => {
    const source = readFileSync(new URL(name, folder));
    const { template, samples, findings } = await checkTemplate(
      source,
      { hash: name },
      surroundings,
    );
    t.strictSame(findings, []);
    t.ok(samples.length >= 2);
    t.equal(`${template?.templateId}.json`, name);
  });
}

t.test('the statement of 2,000 rows fits its contract and adds up', async (t) => {
  const source = readFileSync(new URL('statement.json', folder));
  const data = readFileSync(new URL('statement.2000.json', folder));
  const { template } = await checkTemplate(source, { hash: 'statement' }, surroundings);
  t.match(await template?.contract.check(data), { ok: true });
  const file: unknown = JSON.parse(data.toString());
  const { transactions, opening, closing } = file as {
    transactions: string[][];
    opening: string;
    closing: string;
  };
  t.equal(transactions.length, 2000);
  let balance = satang(opening);
  for (const row of transactions) {
    balance += satang(row[5]) - satang(row[4]);
    if (satang(row[6]) !== balance) t.fail(`balance of ${row.join(' ')}`);
  }
  t.equal(balance, satang(closing));
});

function satang(text: string | undefined): number {
  return Math.round(Number((text ?? '').replaceAll(',', '') || 0) * 100);
}
