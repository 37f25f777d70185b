import type { CompiledTemplate } from '../model/nodes.ts';
import type { Destination, Item, Page, SignatureAppearance } from '../model/frame.ts';
import type { SignatureField } from '../model/structure.ts';
import type { Plans } from './box/plans.ts';
import { LayoutFault } from './layout-fault.ts';
import { Flow, SLACK_PT } from './place/flow.ts';
import { placeBox } from './place/node.ts';
import { Region } from './place/region.ts';
import type { DataScope } from './scope.ts';

/** The signer of a document and the time of signing. */
export interface SignedAs {
  readonly signer: string;
  readonly atMs: number;
}

const PATH = 'signatureField';
/** Scales of the content, tried in order until it is no higher than the field. */
const SCALES = [1, 0.9, 0.8, 0.7, 0.6, 0.5] as const;
const NO_IDS = new Map<never, never>();

/**
 * Draws the visible field of a signature; null when it is placed at a node that is not in this
 * document. Throws `LayoutFault` when its page does not exist or the field lies outside that page.
 */
export function layOutSignature(
  template: CompiledTemplate,
  field: SignatureField,
  plans: Plans,
  scope: DataScope,
  { signer, atMs }: SignedAs,
  pages: readonly Page[],
  destinations: readonly Destination[],
): SignatureAppearance | null {
  const place = placeOf(field, pages, destinations);
  if (place === null) return null;
  const { pageIndex, x, y } = place;
  const { widthPt, heightPt, reason, location, alt } = field;
  const page = pages[pageIndex];
  if (page === undefined) {
    throw new LayoutFault(PATH, `there is no page ${pageIndex + 1} for it`);
  }
  const isAcross = x >= 0 && x + widthPt <= page.widthPt + SLACK_PT;
  if (!isAcross || y < 0 || y + heightPt > page.heightPt + SLACK_PT) {
    throw new LayoutFault(PATH, `it lies outside page ${pageIndex + 1}`);
  }
  scope.signature = { signer, ...clock(atMs, field.utcOffsetMinutes) };
  const items = drawContent(template, field, plans, scope);
  const text = (words: typeof reason): string => (words === null ? '' : scope.text(words));
  const about = { signer, reason: text(reason), location: text(location), alt: scope.text(alt) };
  return { pageIndex, x, y, widthPt, heightPt, items, ...about };
}

interface Place {
  readonly pageIndex: number;
  readonly x: number;
  readonly y: number;
}

function placeOf(
  { at, page, xPt, yPt }: SignatureField,
  pages: readonly Page[],
  destinations: readonly Destination[],
): Place | null {
  if (at === null) {
    const number = page === Infinity ? pages.length : page;
    return { pageIndex: number - 1, x: xPt, y: yPt };
  }
  const target = destinations.find(({ name }) => name === at);
  if (target === undefined) return null;
  return { pageIndex: target.pageIndex, x: target.x + xPt, y: target.y + yPt };
}

/** Date and time at an offset from UTC: `2026-11-21` and `14:05:09 UTC+07:00`. */
function clock(atMs: number, offsetMinutes: number): { date: string; time: string } {
  const iso = new Date(atMs + offsetMinutes * 60_000).toISOString();
  const distance = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.floor(distance / 60), distance % 60];
  const digits = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = offsetMinutes === 0 ? 'UTC' : `UTC${offsetMinutes < 0 ? '-' : '+'}${digits}`;
  return { date: iso.slice(0, 10), time: `${iso.slice(11, 19)} ${zone}` };
}

/** Draws the content, scaled down to fit the field, relative to the field's top left corner. */
function drawContent(
  template: CompiledTemplate,
  field: SignatureField,
  plans: Plans,
  scope: DataScope,
): readonly Item[] {
  let drawn = drawIn(template, field.widthPt, field, plans, scope);
  let used = 1;
  for (const scale of SCALES) {
    if (scale < 1) drawn = drawIn(template, field.widthPt / scale, field, plans, scope);
    used = scale;
    if (drawn.heightPt * scale <= field.heightPt + SLACK_PT) break;
  }
  const fitting = Math.min(used, field.heightPt / drawn.heightPt);
  if (!(fitting < 1)) return drawn.items;
  const matrix = [fitting, 0, 0, fitting, 0, 0] as const;
  return [{ kind: 'group', x: 0, y: 0, matrix, clip: null, opacity: 1, items: drawn.items }];
}

function drawIn(
  { sections }: CompiledTemplate,
  widthPt: number,
  { content }: SignatureField,
  plans: Plans,
  scope: DataScope,
): { readonly items: readonly Item[]; readonly heightPt: number } {
  const [section] = sections;
  const isHidden = content.conditions.length > 0 && !scope.holds(content.conditions);
  if (section === undefined || isHidden) return { items: [], heightPt: 0 };
  const flow = new Flow(Region.block(section.setup, widthPt), NO_IDS, null);
  flow.beginStrip(0);
  placeBox(flow, plans.of(content).box(scope));
  const heightPt = flow.region.y;
  return { items: flow.endStrip().items, heightPt };
}
