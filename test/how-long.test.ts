import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../lab/home.ts';

const readPage = (name: string): string => readFileSync(join(HOME, 'docs', name), 'utf8');

/** A number of the page, such as `2,519`. */
function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]?.replaceAll(',', ''));
}

t.test('what docs/how-long.md says of a run is what performance.md measured', async (t) => {
  const rate = numberIn(
    readPage('performance.md'),
    /\| the same, with its upload +\| +([\d,]+) \|/,
  );
  const page = readPage('how-long.md').replaceAll('\n', ' ');
  const minutes = numberIn(page, /1,000,000 receipts on two cores take about (\d+) min/);
  const measured = 1_000_000 / rate / 60;
  t.ok(Math.abs(minutes - measured) <= 0.15 * measured, `${measured} min, not ${minutes}`);
});

t.test('so is the speed of single calls', async (t) => {
  const measured = readPage('performance.md');
  const page = readPage('how-long.md').replaceAll('\n', ' ');
  const single = numberIn(measured, /\*\*single\*\*: [^|]*\| +([\d,]+) \|/);
  const said = numberIn(page, /some ([\d,]+) receipts a second by one call/);
  t.ok(Math.abs(said - single) <= 0.15 * single, `${single}, not ${said}`);
  const least = numberIn(page, /over ([\d,]+) by 16 or more/);
  const rates = [...measured.matchAll(/\*\*a?sync(?: sample)?(?:, wrk)?\*\*[^|]*\| +([\d,]+) \|/g)];
  t.equal(rates.length, 8);
  for (const [, rate = ''] of rates) t.ok(Number(rate.replaceAll(',', '')) > least, rate);
});
