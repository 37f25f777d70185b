import run from '../../../src/workers/render.ts';
import { shareTemplate, tryRender } from '../../../lab/render.ts';
import { type Glyph, type PageText, readPages } from '../pdf-text.ts';
import { Tally } from '../tally.ts';
import { drawNesting, type NestingCase } from './draw.ts';

/**
 * Amounts in random nestings: each is printed whole, on paper and with nothing over it, or the
 * document is refused. Where a template with fixed widths prints over an amount, its sample says so.
 */

interface Fault {
  readonly kind: string;
  readonly message: string;
}

const SLACK_PT = 0.05;
/** Side bearings: so much of two neighbours may overlap. */
const TOUCH_PT = 0.8;

export async function nestings(seed: number, count: number): Promise<Tally> {
  const tally = new Tally();
  let refused = 0;
  for (let next = seed; next < seed + count; next++) {
    const wanted = drawNesting(next);
    const template = shareTemplate(JSON.stringify(wanted.template));
    const result = await tryRender(template, wanted.data);
    const faults = result.ok
      ? judge(wanted, readPages(result.value.pdf))
      : judgeRefusal(wanted, result.code, result.fields ?? []);
    if (!result.ok) refused++;
    const isSaid = faults.length > 0 && (await hasFinding(wanted));
    const silent = isSaid && !wanted.isFlexible ? [] : faults;
    tally.add(1, silent.length > 0 ? 1 : 0);
    for (const { kind, message } of silent) {
      tally.report(kind, `seed ${next}: ${message}`, () =>
        Promise.resolve([
          `template: ${JSON.stringify(wanted.template)}`,
          `data: ${JSON.stringify(wanted.data)}`,
        ]),
      );
    }
  }
  if (refused > count / 2) tally.report('refusals', `${refused} of ${count}`, async () => []);
  return tally;
}

/** Amounts that can be made smaller and words that can be split are not cut. */
function judgeRefusal(
  { isFlexible }: NestingCase,
  code: string,
  fields: readonly { readonly reason: string }[],
): Fault[] {
  if (code !== 'invalid_data') return [{ kind: `refused as ${code}`, message: '' }];
  const cut = fields.find(({ reason }) => reason === CUT);
  return isFlexible && cut !== undefined ? [{ kind: 'refused as cut', message: cut.reason }] : [];
}

const CUT = 'amount would be cut by the edge of the page';

function judge({ amounts }: NestingCase, pages: readonly PageText[]): Fault[] {
  const faults: Fault[] = [];
  for (const amount of amounts) {
    const found = pages.flatMap((page) =>
      placesOf(amount, page).map((glyphs) => ({ page, glyphs })),
    );
    const [place] = found;
    if (found.length !== 1 || place === undefined) {
      faults.push({ kind: 'count', message: `${amount} is printed ${found.length} times` });
      continue;
    }
    const { page, glyphs } = place;
    const isInside = glyphs.every(
      ({ left, right }) => left >= -SLACK_PT && right <= page.width + SLACK_PT,
    );
    if (!isInside) faults.push({ kind: 'cut', message: `${amount} leaves the paper` });
    const over = page.glyphs.find((other) => !glyphs.includes(other) && isOver(other, glyphs));
    if (over === undefined) continue;
    faults.push({ kind: 'printed over', message: `${amount} has ${over.text} over it` });
  }
  return faults;
}

/** The glyphs of each place where a text stands by itself: no digit continues it. */
function placesOf(amount: string, { glyphs }: PageText): Glyph[][] {
  const places: Glyph[][] = [];
  for (let start = 0; start + amount.length <= glyphs.length; start++) {
    const part = glyphs.slice(start, start + amount.length);
    if (part.some(({ text }, index) => text !== amount.charAt(index))) continue;
    const [first] = part;
    const isOneLine = part.every((glyph, index) => {
      const before = part[index - 1];
      return before === undefined || follows(before, glyph);
    });
    const before = glyphs[start - 1];
    const after = glyphs[start + amount.length];
    const last = part.at(-1);
    if (first === undefined || last === undefined || !isOneLine) continue;
    if (before !== undefined && /[\d,.]/u.test(before.text) && follows(before, first)) continue;
    if (after !== undefined && /\d/u.test(after.text) && follows(last, after)) continue;
    places.push(part);
  }
  return places;
}

function follows(before: Glyph, { left, baseline, size }: Glyph): boolean {
  return Math.abs(before.baseline - baseline) < 0.1 && Math.abs(left - before.right) < size / 4;
}

/** Whether a glyph covers a part of others on its line or half a line from it. */
function isOver({ text, left, right, baseline, size }: Glyph, glyphs: readonly Glyph[]): boolean {
  if (text.trim() === '') return false;
  return glyphs.some(
    (glyph) =>
      Math.abs(glyph.baseline - baseline) < Math.min(size, glyph.size) * 0.4 &&
      left < glyph.right - TOUCH_PT &&
      right > glyph.left + TOUCH_PT,
  );
}

async function hasFinding({ template }: NestingCase): Promise<boolean> {
  const result = await run({
    kind: 'check',
    template: shareTemplate(JSON.stringify(template)),
    renderSamples: true,
    atMs: 0,
  });
  return result !== undefined && 'findings' in result && result.findings.length > 0;
}
