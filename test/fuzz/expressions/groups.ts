import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../lab/fuzz-random.ts';
import { pageTexts, shareTemplate, tryRender } from '../../../lab/render.ts';
import { compare, exactOf, isEqual, plus, textOf, type Exact, type Value } from './reference.ts';

/** Lists that a template filters, sorts and groups, beside a plain program that does the same. */

interface Line {
  readonly id: string;
  readonly text: string | null;
  readonly net: string | null;
  readonly day: string | null;
}

const TEXTS = [
  'ขาว',
  'เก',
  'กา',
  'แกะ',
  'ไก่',
  'ก่ำ',
  'a',
  'B',
  'b',
  'Ä',
  'z',
  'ๆ',
  '10',
  '9',
  'ขา',
  'ข่า',
  'ข้า',
  null,
];
const NETS = [
  '0',
  '-0.00',
  '7',
  '7.00',
  '-1.005',
  '1250.50',
  '0.10',
  '99999999999999999999.99',
  '12',
  null,
];
const DAYS = ['2026-01-31', '0001-01-01', '9999-12-31', '2026-02-01', null];
const COLLATOR = new Intl.Collator('th');

type Key = (line: Line) => Value;
const absent: Key = () => null;
const number = (text: string | null): Value => (text === null ? null : exactOf(text));

const KEYS: Readonly<Record<string, Key>> = {
  'line.text': ({ text }) => text,
  'line.net': ({ net }) => number(net),
  'line.day': ({ day }) => day,
  'has(line.net) && line.net > 5': ({ net }) =>
    net !== null && compare(exactOf(net), exactOf('5')) > 0,
  'has(line.day)': ({ day }) => day !== null,
  'has(line.net) ? line.net * 2 : null': ({ net }) => number(net),
};
const FILTERS: Readonly<Record<string, (line: Line) => boolean>> = {
  'has(line.net)': ({ net }) => net !== null,
  'line.text': ({ text }) => text !== null,
  'line.net == null || line.net >= 1': ({ net }) =>
    net === null || compare(exactOf(net), exactOf('1')) >= 0,
  'line.day == date("1999-01-01")': () => false,
  'size(lines.filter(l, l.net == line.net)) < 3': () => true,
};

function sorted(
  lines: readonly Line[],
  keys: readonly (readonly [Key, boolean])[],
): readonly Line[] {
  return lines.toSorted((a, b) => {
    for (const [key, isDescending] of keys) {
      const [x, y] = [key(a), key(b)];
      if (x === null && y === null) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      const by =
        typeof x === 'string' && typeof y === 'string' && !/^\d{4}-/.test(x)
          ? COLLATOR.compare(x, y)
          : compare(x, y);
      if (by !== 0) return isDescending ? -by : by;
    }
    return 0;
  });
}

function sumOf(lines: readonly Line[]): string {
  const zero: Exact = { units: 0n, scale: 0 };
  const nets = lines.flatMap(({ net }) => (net === null ? [] : [exactOf(net)]));
  return textOf(nets.reduce((sum, net) => plus(sum, net, 1n), zero));
}

/** One template over random lines: every line of its text is what the plain program says. */
export async function compareGroups(random: Random, file: string): Promise<void> {
  const lines = Array.from({ length: random.below(14) }, (_, index): Line => ({
    id: `i${index}`,
    text: random.pick(TEXTS, null),
    net: random.pick(NETS, null),
    day: random.pick(DAYS, null),
  }));
  const filter = random.chance(2) ? random.pick(Object.keys(FILTERS), '') : null;
  const sortBy = Array.from({ length: random.below(4) }, () => {
    const key = random.pick(Object.keys(KEYS), '');
    return [key, random.chance(2)] as const;
  });
  const groupBy = random.chance(3) ? null : random.pick(Object.keys(KEYS), '');
  const each = {
    each: 'lines',
    as: 'line',
    ...(filter === null ? {} : { filter }),
    ...(sortBy.length === 0
      ? {}
      : { sortBy: sortBy.map(([key, down]) => (down ? `${key} desc` : key)) }),
    ...(groupBy === null
      ? {}
      : {
          groupBy,
          groupHeader: 'H/{{line.id}}/{{= size(group)}}/{{= sum(group.map(l, l.net))}}',
          groupFooter: { text: 'F/{{line.id}}/{{= string(size(group.filter(l, l.net == null)))}}' },
        }),
    text: 'E/{{line._number}}/{{line.id}}/{{= size(lines)}}',
  };
  const fields = [
    {
      name: 'lines',
      type: 'list',
      fields: ['id', 'text', 'net', 'day'].map((name) => ({
        name,
        type: { net: 'number', day: 'date' }[name] ?? 'text',
      })),
    },
  ];
  const last = 'T/{{= size(lines)}}/{{= sum(lines.map(l, l.net))}}';
  const template = { templateId: 'g', language: 'th', fields, document: { content: [each, last] } };
  const result = await tryRender(shareTemplate(JSON.stringify(template)), { lines });
  const told = (what: string): Error =>
    new Error(`${what}\n${JSON.stringify(template)}\n${JSON.stringify(lines)}`);
  if (!result.ok) throw told(`${result.code} ${JSON.stringify(result.fields)}`);
  const printed = pageTexts(file, result.value.pdf)
    .join('\n')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ''))
    .filter((line) => line !== '');
  const expected = expectedOf(lines, filter, sortBy, groupBy);
  if (!isDeepStrictEqual(printed, expected)) {
    throw told(`${JSON.stringify(printed)} instead of ${JSON.stringify(expected)}`);
  }
}

function expectedOf(
  lines: readonly Line[],
  filter: string | null,
  sortBy: readonly (readonly [string, boolean])[],
  groupBy: string | null,
): readonly string[] {
  const isSame = (a: Line, b: Line): boolean => isEqual(number(a.net), number(b.net));
  const counted = (line: Line): boolean => lines.filter((other) => isSame(other, line)).length < 3;
  const holds =
    filter?.startsWith('size') === true ? counted : (FILTERS[filter ?? ''] ?? (() => true));
  const left = sorted(
    lines.filter(holds),
    sortBy.map(([key, down]) => [KEYS[key] ?? absent, down] as const),
  );
  const key = groupBy === null ? absent : (KEYS[groupBy] ?? absent);
  const groups: Line[][] = [];
  for (const line of left) {
    const group = groups.find(([first]) => first !== undefined && isEqual(key(first), key(line)));
    if (group === undefined) groups.push([line]);
    else group.push(line);
  }
  const inGroup = (group: readonly Line[]): string[] => {
    const entries = group.map(({ id }, index) => `E/${index + 1}/${id}/${lines.length}`);
    if (groupBy === null) return entries;
    const header = `H/${group[0]?.id}/${group.length}/${sumOf(group)}`;
    const footer = `F/${group.at(-1)?.id}/${group.filter(({ net }) => net === null).length}`;
    return [header, ...entries, footer];
  };
  return [...groups.flatMap(inGroup), `T/${lines.length}/${sumOf(lines)}`];
}
