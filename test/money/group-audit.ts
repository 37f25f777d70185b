import { shareTemplate, tryRender } from '../../lab/render.ts';
import type { Failure } from '../../src/errors.ts';
import { TOUCHES } from './sheet.ts';
import { Chance } from './chance.ts';
import { readPages } from './pdf-text.ts';
import type { Glyph, PageText } from './pdf-text.ts';
import { Tally } from './tally.ts';

/** Repetition outside of tables: `each` on blocks, list items, columns and runs. */

const SHAPES = ['blocks', 'keptBlocks', 'list', 'numbered', 'columns', 'runs', 'nested'] as const;
type Shape = (typeof SHAPES)[number];

interface GroupCase {
  readonly shape: Shape;
  readonly width: number;
  readonly height: number;
  readonly fontSize: number;
  readonly introLines: number;
  /** Lines of each copy that is a block. */
  readonly lines: number;
  readonly rows: readonly string[];
  /** Between columns; amounts may touch where it is 0. */
  readonly columnGap: number;
}

function drawGroups(seed: number): GroupCase {
  const chance = new Chance(seed);
  const shape = chance.pick(SHAPES);
  const fontSize = chance.pick([7, 9, 11]);
  const most = shape === 'columns' ? 5 : 60;
  return {
    shape,
    width: chance.whole(240, 600),
    height: chance.whole(130, 400),
    fontSize,
    introLines: chance.whole(0, 12),
    lines: chance.whole(1, 4),
    rows: Array.from({ length: chance.whole(0, most) }, () => `${chance.whole(-99999, 99999)}.25`),
    columnGap: chance.pick([0, 0, 5]),
  };
}

function node(wanted: GroupCase): unknown {
  const lines = Array.from({ length: wanted.lines }, (_, line) => ({
    text: `{{0}}/${line} {{1}}`,
    color: '#010101',
  }));
  const whole = { text: '{{0}}/0 {{1}}', color: '#010101' };
  switch (wanted.shape) {
    case 'blocks':
      return { each: 'rows', stack: lines };
    case 'keptBlocks':
      return { each: 'rows', unbreakable: true, stack: lines };
    case 'list':
      return { ul: [{ each: 'rows', stack: lines }] };
    case 'numbered':
      return { ol: [{ each: 'rows', stack: lines }] };
    case 'columns':
      return {
        columnGap: wanted.columnGap,
        columns: [{ each: 'rows', width: 'auto', ...whole }],
      };
    case 'runs':
      return { text: [{ each: 'rows', text: '{{0}}/0 {{1}} ', color: '#010101' }] };
    case 'nested':
      return { ul: [{ stack: [{ each: 'rows', ...whole }] }, 'End'] };
  }
}

function makeDocument(wanted: GroupCase): { template: unknown; data: unknown } {
  const document = {
    pageSize: { width: wanted.width, height: wanted.height },
    pageMargins: 20,
    defaultStyle: { fontSize: wanted.fontSize },
    content: [...Array.from({ length: wanted.introLines }, () => 'Intro'), node(wanted)],
  };
  const rows = wanted.rows.map((amount, index) => [`#${index + 1}`, amount]);
  const fields = [{ name: 'rows', type: 'table' }];
  return { template: { templateId: 'audited', fields, document }, data: { rows } };
}

/** The glyphs of each column over all pages; each column begins with a `#`. */
function byColumn(pages: readonly (readonly Glyph[])[]): readonly (readonly Glyph[])[] {
  const all = pages.flat();
  const starts = all.filter(({ text }) => text === '#').map(({ left }) => left);
  const isIn = (glyph: Glyph, column: number): boolean =>
    starts.filter((left) => left <= glyph.left + 0.01).length === column + 1;
  return starts.map((_, column) => all.filter((glyph) => isIn(glyph, column)));
}

/** Text with a space wherever a line ends, or a gap is as wide as a space. */
function textOf(glyphs: readonly Glyph[]): string {
  let last: Glyph | null = null;
  let text = '';
  for (const glyph of glyphs) {
    const isOnLine = last !== null && Math.abs(glyph.baseline - last.baseline) <= 0.3;
    const isApart = last !== null && glyph.left > last.right + glyph.size * 0.2;
    if (!isOnLine || isApart) text += ' ';
    last = glyph;
    text += glyph.text;
  }
  return text;
}

/** Each row once, in order, amounts whole, and kept blocks on one page. */
function judge(wanted: GroupCase, pages: readonly PageText[]): string[] {
  const own = pages.map(({ glyphs }) => glyphs.filter(({ color }) => color === 0x010101));
  const texts = (wanted.shape === 'columns' ? byColumn(own) : own).map((glyphs) => {
    return textOf(glyphs).replaceAll('#', ' #').trim().split(/\s+/).join(' ');
  });
  const isBlock = ['blocks', 'keptBlocks', 'list', 'numbered'].includes(wanted.shape);
  const lineCount = isBlock ? wanted.lines : 1;
  const due = wanted.rows.flatMap((amount, row) =>
    Array.from({ length: lineCount }, (_, line) => `#${row + 1}/${line} ${amount}`),
  );
  const found = texts.filter((text) => text !== '').join(' ');
  if (found !== due.join(' '))
    return [`${found.slice(0, 200)}, not ${due.join(' ').slice(0, 200)}`];
  if (wanted.shape !== 'keptBlocks') return [];
  return wanted.rows
    .map((_, row) => `#${row + 1}/`)
    .filter((token) => texts.filter((text) => `${text} `.includes(token)).length > 1)
    .map((token) => `${token} is kept together, but stands on two pages`);
}

/** Columns without a gap are refused where their amounts would touch. */
function judgeRefusal(wanted: GroupCase, { code, message, fields }: Failure): string[] {
  const touches = fields?.every(({ reason }) => reason === TOUCHES) ?? false;
  if (touches && wanted.shape === 'columns' && wanted.columnGap === 0) return [];
  return [`${code}: ${message}`];
}

export async function groups(seed: number, count: number): Promise<Tally> {
  const tally = new Tally();
  for (let next = seed; next < seed + count; next++) {
    const wanted = drawGroups(next);
    const { template, data } = makeDocument(wanted);
    const result = await tryRender(shareTemplate(JSON.stringify(template)), data);
    const faults = result.ok
      ? judge(wanted, readPages(result.value.pdf))
      : judgeRefusal(wanted, result);
    tally.add(1, faults.length > 0 ? 1 : 0);
    for (const fault of faults) {
      tally.report(wanted.shape, `seed ${next}: ${fault}`, () =>
        Promise.resolve([`template: ${JSON.stringify(template)}`, `data: ${JSON.stringify(data)}`]),
      );
    }
  }
  return tally;
}
