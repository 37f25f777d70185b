import { Chance } from './chance.ts';
import { DATE_LANGUAGES, drawDate } from './date-draw.ts';
import { groups } from './group-audit.ts';
import { nestings } from './nestings/judge.ts';
import { NUMBER_LANGUAGES, drawNumber } from './number-draw.ts';
import { makeSheet, trySheet } from './sheet.ts';
import type { SheetFault, SheetItem } from './sheet.ts';
import { shrink } from './shrink.ts';
import { drawStatement } from './statement-draw.ts';
import { makeDocument } from './statement-template.ts';
import { tryStatement } from './statement-try.ts';
import { Tally } from './tally.ts';

/** The audits by name: each prints and judges `count` cases, starting with a seed. */
export const AUDITS = { statements, groups, nestings, numbers, dates } as const;

async function statements(seed: number, count: number): Promise<Tally> {
  const tally = new Tally();
  for (let next = seed; next < seed + count; next++) {
    const faults = await tryStatement(drawStatement(next));
    tally.add(1, faults.length > 0 ? 1 : 0);
    for (const { kind, page, message } of faults) {
      tally.report(kind, `seed ${next}, page ${page}: ${message}`, () => simplest(kind, next));
    }
  }
  return tally;
}

/** The simplest case found that fails like the one of a seed, with template and data. */
async function simplest(kind: string, seed: number): Promise<string[]> {
  const first = drawStatement(seed);
  const known = new Set((await tryStatement(first)).map((fault) => fault.kind));
  // A simpler case that fails in another way, too, is another case.
  const found = await shrink(first, async (wanted) => {
    const kinds = new Set((await tryStatement(wanted)).map((fault) => fault.kind));
    return kinds.has(kind) && kinds.isSubsetOf(known);
  });
  const faults = await tryStatement(found);
  const { template, data } = makeDocument(found);
  return [
    ...faults.slice(0, 6).map((fault) => `page ${fault.page}: ${fault.kind}: ${fault.message}`),
    `case: ${JSON.stringify(found)}`,
    `template: ${JSON.stringify(template)}`,
    `data: ${JSON.stringify(data)}`,
  ];
}

/** Items of one document. */
const SHEET_SIZE = 100;

function numbers(seed: number, count: number): Promise<Tally> {
  return sheets(seed, count, NUMBER_LANGUAGES, drawNumber);
}

function dates(seed: number, count: number): Promise<Tally> {
  return sheets(seed, count, DATE_LANGUAGES, drawDate);
}

async function sheets(
  seed: number,
  count: number,
  languages: readonly string[],
  draw: (chance: Chance, language: string) => SheetItem,
): Promise<Tally> {
  const tally = new Tally();
  for (let sheet = 0; sheet * SHEET_SIZE < count; sheet++) {
    const chance = new Chance(seed + sheet);
    const language = chance.pick(languages);
    const size = Math.min(SHEET_SIZE, count - sheet * SHEET_SIZE);
    const items = Array.from({ length: size }, () => draw(chance, language));
    const faults = await trySheet(items, language);
    tally.add(items.length, new Set(faults.map((fault) => fault.item)).size);
    for (const fault of faults) {
      const message = `sheet ${seed + sheet}, language ${language}: ${fault.message}`;
      tally.report(fault.kind, message, () => Promise.resolve(single(fault, language)));
    }
  }
  return tally;
}

function single({ item }: SheetFault, language: string): string[] {
  const { template, data } = makeSheet([item], language);
  return [
    `language ${language}, item: ${JSON.stringify(item)}`,
    `template: ${JSON.stringify(template)}`,
    `data: ${JSON.stringify(data)}`,
  ];
}
