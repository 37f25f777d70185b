import type { CompiledTemplate, Node } from '../model/nodes.ts';
import type { Item, LaidOutDocument, Page, SignatureAppearance } from '../model/frame.ts';
import type { SignatureField } from '../model/structure.ts';
import type { Plans } from './box/plans.ts';
import { LineItem } from '../model/frame.ts';
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
/** Scales that are tried in order while the content is higher than the field. */
const SMALLER_SCALES = [0.9, 0.8, 0.7, 0.6, 0.5] as const;
const NO_IDS = new Map<never, never>();
const FRAME_WIDTH_PT = 0.5;
const FRAME_GREY = 0x8c8c8c;

/** What the content of the field is made from. */
interface Source {
  /** The content is drawn with the page set-up of the first one. */
  readonly sections: CompiledTemplate['sections'];
  readonly plans: Plans;
  readonly scope: DataScope;
}

/** The document without the field. */
type Placed = Pick<LaidOutDocument, 'pages' | 'destinations'>;

/**
 * Draws the visible field of a signature; null when it is placed at a node that is not in this
 * document. Throws `LayoutFault` when its page does not exist or the field lies outside that page.
 */
export function layOutSignature(
  field: SignatureField,
  { signer, atMs }: SignedAs,
  source: Source,
  document: Placed,
): SignatureAppearance | null {
  const place = placeOf(field, document);
  if (place === null) return null;
  demandOnPage(field, place, document.pages);
  const { scope } = source;
  scope.signature = { signer, ...clock(atMs, field.utcOffsetMinutes) };
  const { items } = drawContent(field.content, field, source);
  const { widthPt, heightPt, reason, location } = field;
  return {
    ...place,
    widthPt,
    heightPt,
    items,
    signer,
    reason: reason === null ? '' : scope.text(reason),
    location: location === null ? '' : scope.text(location),
    alt: scope.text(field.alt),
  };
}

/**
 * Draws the frame of the field and the words for an absent signature on the page: a draft is never
 * signed, and its author sees where the signature of a version will be.
 */
export function drawUnsignedField(
  field: SignatureField,
  language: string,
  source: Source,
  document: Placed,
  isTagged: boolean,
): void {
  const place = placeOf(field, document);
  if (place === null) return;
  demandOnPage(field, place, document.pages);
  const page = document.pages[place.pageIndex];
  if (page === undefined) return;
  const signer = /^th\b/i.test(language) ? 'ลายเซ็น – ฉบับร่าง' : 'Signature – draft';
  source.scope.signature = { signer, date: '', time: '' };
  const { items, heightPt } = drawContent(field.draftContent, field, source);
  if (isTagged) page.body.push({ kind: 'tag', element: null, order: 0, area: null });
  page.body.push(...frameOf(field, place));
  const y = place.y + (field.heightPt - heightPt) / 2;
  const group = { kind: 'group', x: place.x, y, matrix: null, clip: null, opacity: 1 } as const;
  page.body.push({ ...group, items });
}

function frameOf({ widthPt, heightPt }: SignatureField, { x, y }: Place): readonly Item[] {
  const [right, bottom] = [x + widthPt, y + heightPt];
  const edges = [
    [x, y, right, y],
    [right, y, right, bottom],
    [right, bottom, x, bottom],
    [x, bottom, x, y],
  ] as const;
  return edges.map(
    ([x1, y1, x2, y2]) => new LineItem(x1, y1, x2, y2, FRAME_WIDTH_PT, FRAME_GREY, null),
  );
}

/** The page of the field and its top left corner there. */
interface Place {
  readonly pageIndex: number;
  readonly x: number;
  readonly y: number;
}

function placeOf(
  { at, page, xPt, yPt }: SignatureField,
  { pages, destinations }: Placed,
): Place | null {
  if (at === null) {
    const number = page === Infinity ? pages.length : page;
    return { pageIndex: number - 1, x: xPt, y: yPt };
  }
  const target = destinations.find(({ name }) => name === at);
  if (target === undefined) return null;
  return { pageIndex: target.pageIndex, x: target.x + xPt, y: target.y + yPt };
}

function demandOnPage(
  { widthPt, heightPt }: SignatureField,
  { pageIndex, x, y }: Place,
  pages: readonly Page[],
): void {
  const page = pages[pageIndex];
  if (page === undefined) {
    throw new LayoutFault(PATH, `there is no page ${pageIndex + 1} for it`);
  }
  const fitsAcross = x >= 0 && x + widthPt <= page.widthPt + SLACK_PT;
  const fitsDown = y >= 0 && y + heightPt <= page.heightPt + SLACK_PT;
  if (!fitsAcross || !fitsDown) {
    throw new LayoutFault(PATH, `it lies outside page ${pageIndex + 1}`);
  }
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
  content: Node,
  field: SignatureField,
  source: Source,
): Pick<Drawn, 'items' | 'heightPt'> {
  let drawn = drawAt(1, content, field, source);
  for (const scale of SMALLER_SCALES) {
    if (drawn.heightPt * drawn.scale <= field.heightPt + SLACK_PT) break;
    drawn = drawAt(scale, content, field, source);
  }
  const fitting = Math.min(drawn.scale, field.heightPt / drawn.heightPt);
  if (!(fitting < 1)) return drawn;
  const matrix = [fitting, 0, 0, fitting, 0, 0] as const;
  const { items } = drawn;
  return {
    items: [{ kind: 'group', x: 0, y: 0, matrix, clip: null, opacity: 1, items }],
    heightPt: drawn.heightPt * fitting,
  };
}

/** The content before it is scaled. */
interface Drawn {
  readonly scale: number;
  readonly items: readonly Item[];
  readonly heightPt: number;
}

/** Draws the content in a width that is that of the field once it is scaled. */
function drawAt(
  scale: number,
  content: Node,
  { widthPt }: SignatureField,
  { sections, plans, scope }: Source,
): Drawn {
  const [section] = sections;
  const isHidden = content.conditions.length > 0 && !scope.holds(content.conditions);
  if (section === undefined || isHidden) return { scale, items: [], heightPt: 0 };
  const flow = new Flow(Region.block(section.setup, widthPt / scale), NO_IDS, null);
  flow.beginStrip(0);
  placeBox(flow, plans.of(content).box(scope));
  const heightPt = flow.region.y;
  return { scale, items: flow.endStrip().items, heightPt };
}
