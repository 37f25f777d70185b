import { readFileSync } from 'node:fs';
import t from 'tap';
import { LIMITS } from '../../limits.ts';
import {
  amountInCell,
  dateFrom,
  dateUntil,
  itemsAtLeast,
  itemsAtMost,
  itemsInAll,
  notComputed,
  numberAtLeast,
  numberAtMost,
  REASONS,
  textAtLeast,
  textAtMost,
} from './reasons.ts';

const DOCS = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');

t.test('docs/contract.md lists exactly the reasons there are', async (t) => {
  const table = DOCS.slice(DOCS.indexOf('## Reasons'));
  const listed = [...table.matchAll(/^\| `([^`]+)`/gmu)].map(([, reason]) => reason ?? '');
  const bounded = [
    amountInCell(0, 1).replace('0', 'N').replace('1', 'N'),
    numberAtLeast('N'),
    numberAtMost('N'),
    dateFrom('N'),
    dateUntil('N'),
    textAtLeast(0).replace('0', 'N'),
    textAtMost(0).replace('0', 'N'),
    itemsAtLeast(0).replace('0', 'N'),
    itemsAtMost(0).replace('0', 'N'),
    itemsInAll(0).replace('0', 'N'),
    notComputed('N'),
  ];
  const known = new Set([...Object.values(REASONS), ...bounded]);
  t.same(listed.toSorted(), [...known].toSorted());
});

t.test('the figures in reasons are the limits', async (t) => {
  t.match(REASONS.numberDigits, String(LIMITS.numberDigitsMax));
  t.match(REASONS.tableRows, String(LIMITS.tableRowsMax));
  t.match(REASONS.tableCells, String(LIMITS.tableCellsMax));
  t.match(REASONS.listCells, String(LIMITS.listCellsMax));
  t.match(REASONS.barcodesMany, String(LIMITS.barcodeCharactersMax));
  t.match(REASONS.imagePixels, String(LIMITS.imagePixelsMax));
  t.match(REASONS.imageSide, String(LIMITS.imageSidePxMax));
  t.match(REASONS.imageSum, String(LIMITS.requestImagePixelsMax));
});
