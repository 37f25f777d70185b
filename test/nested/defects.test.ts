import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { shareTemplate, tryRender } from '../../lab/render.ts';
import { HOME } from '../../lab/home.ts';

/**
 * Plants defects into the consolidated statement by a program: of each kind, at each field, at each
 * depth. The refusal names each by its path, and nothing else.
 */

interface Field {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly validation?: { readonly min?: number; readonly maxItems?: number };
  readonly fields?: readonly Field[];
}
type Data = Record<string, unknown>;

const ENTRIES = 200;
const source = readFileSync(join(HOME, 'templates', 'consolidated-en.json'), 'utf8');
const template = JSON.parse(source) as {
  readonly fields: readonly Field[];
  readonly samples: readonly { readonly data: Data }[];
};

/** Three accounts of 200 entries each, and as many cards and months as defects need. */
function statement(): Data {
  const data = structuredClone(template.samples[0]?.data ?? {}) as {
    accounts: { entries: object[] }[];
    cards: object[];
    chart: object[];
  };
  const entry = data.accounts[0]?.entries[0];
  for (const account of data.accounts) {
    account.entries = Array.from({ length: ENTRIES }, () => ({ ...entry }));
  }
  for (const key of ['cards', 'chart'] as const) {
    data[key] = Array.from({ length: 60 }, () => ({ ...data[key][0] }));
  }
  return data;
}

/** Values that a field refuses: of another type, nested too deep, beyond its bounds. */
function wrongValues({ type, choices, validation }: Field): readonly unknown[] {
  switch (type) {
    case 'text':
      return [5, true, ['x'], { x: 1 }, ...(choices === undefined ? [] : ['none of them'])];
    case 'number':
      return ['x', true, [1], { x: 1 }, '1,000.00', ...(validation?.min === undefined ? [] : [-1])];
    case 'date':
      return [20261001, '2026-02-30', '1/2/2026', ['2026-01-01'], { day: 1 }];
    case 'list': {
      const { maxItems } = validation ?? {};
      const tooMany = Array.from({ length: (maxItems ?? 0) + 1 }, () => ({}));
      return [{}, 7, 'x', ...(maxItems === undefined ? [] : [tooMany])];
    }
    default:
      return [[], 7, 'x'];
  }
}

interface Planted {
  readonly path: string;
  readonly plant: () => void;
}

/** All single defects of an object; an object or list that is spoilt has no others in it. */
function defectsOf(fields: readonly Field[], at: Data, prefix: string, out: Planted[]): void {
  for (const field of fields) {
    const path = prefix + field.name;
    const set = (value: unknown) => ({ path, plant: () => void (at[field.name] = value) });
    if (field.value !== undefined) {
      out.push(set('1.00'));
      continue;
    }
    for (const wrong of wrongValues(field)) out.push(set(wrong));
    if (field.required === true) {
      out.push(set(null), set(''), { path, plant: () => void delete at[field.name] });
    }
    const inner = at[field.name];
    if (field.type === 'record') defectsOf(field.fields ?? [], inner as Data, `${path}.`, out);
    if (field.type !== 'list') continue;
    const items = inner as unknown[];
    for (const [index, item] of items.entries()) {
      const own = `${path}[${index}]`;
      out.push({ path: own, plant: () => void (items[index] = 'no entry') });
      out.push({ path: own, plant: () => void (items[index] = [[]]) });
      defectsOf(field.fields ?? [], item as Data, `${own}.`, out);
    }
  }
}

/** The kind of a defect: its path without the numbers of entries, and which of them it is. */
const placeOf = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);

async function namedBy(data: unknown): Promise<readonly string[]> {
  const result = await tryRender(shareTemplate(source), data, { checkOnly: true });
  if (result.ok) return [];
  return (result.fields ?? []).map(({ field }) => field);
}

function planted(data: Data): Planted[] {
  const all: Planted[] = [];
  defectsOf(template.fields, data, '', all);
  return all;
}

t.test('each defect by itself, of each kind at each field', async (t) => {
  const all = planted(statement());
  // In the first, the middle and the last entry of each list.
  const chosen = all.flatMap(({ path }, index) =>
    [...path.matchAll(/\[(\d+)\]/g)].every(([, at]) => ['0', '1', '59', '199'].includes(at ?? ''))
      ? [index]
      : [],
  );
  const wrong: string[] = [];
  for (const index of chosen) {
    const data = statement();
    const defect = planted(data)[index];
    defect?.plant();
    const named = await namedBy(data);
    if (named.length !== 1 || named[0] !== defect?.path)
      wrong.push(`${defect?.path}: ${named.join()}`);
  }
  t.same(wrong, []);
  t.ok(chosen.length > 300, `${chosen.length} defects`);
});

t.test('300 defects at once are named, none twice and none missing', async (t) => {
  const data = statement();
  const all = planted(data);
  const byPlace = Map.groupBy(all, ({ path }) => placeOf(path));
  const chosen: Planted[] = [];
  // In turns from each place, with a stride that spreads them over all entries.
  for (let round = 0; chosen.length < 300; round++) {
    for (const defects of byPlace.values()) {
      const defect = defects[(round * 7_919) % defects.length];
      if (defect === undefined || chosen.length === 300) continue;
      const { path } = defect;
      // A whole list or record would hide what is planted in it; the test above spoils those.
      if (!path.endsWith(']') && byPlace.has(`${placeOf(path)}[]`)) continue;
      if (chosen.some((other) => isWithin(path, other.path) || isWithin(other.path, path)))
        continue;
      if (['customer', 'accounts[0]'].includes(path)) continue;
      chosen.push(defect);
    }
  }
  for (const { plant } of chosen) plant();
  const named = await namedBy(data);
  t.equal(chosen.length, 300);
  t.same(named.toSorted(), chosen.map(({ path }) => path).toSorted());
  t.equal(new Set(named).size, 300);
  const places = new Set(chosen.map(({ path }) => placeOf(path)));
  t.ok(places.size >= 20, `${places.size} places`);
});
