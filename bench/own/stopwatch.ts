/* oxlint-disable typescript/unbound-method -- Each method is called with the `this` that it was given. */
import {
  contentSink,
  Deflater,
  Flow,
  type Item,
  Painter,
  Plan,
  Sheet,
  StageClock,
} from '#engine/inside';
import { chargedPath } from './nodes.ts';

/**
 * Measures which node of a template takes the time of a document. It replaces methods of the engine
 * by ones that read a clock whenever another node begins, so it belongs into a process where nothing
 * else is measured. The time goes to one account at a time, so nothing is counted twice:
 *
 *   template ─ data ─ node: layout … ─ layout ─ node: painting … ─ file ─ digest
 *                                                     └─ deflating a stream, shared out by bytes
 */
export interface NodeTime {
  readonly path: string;
  readonly layoutMs: number;
  readonly paintMs: number;
  /** Its share of deflating the content streams, by the bytes that it put into them. */
  readonly deflateMs: number;
  /** Bytes of content before they are deflated. */
  readonly bytes: number;
  /** How often the clock was read for its layout and its painting. */
  readonly layoutVisits: number;
  readonly paintVisits: number;
}

export interface StageTime {
  readonly stage: Stage;
  readonly ms: number;
  readonly visits: number;
}

const STAGES = ['template', 'data', 'layout', 'file', 'digest', 'outside'] as const;
export type Stage = (typeof STAGES)[number];

/** A node has three accounts, which follow those of the stages and the stopwatch's own. */
const OWN = STAGES.length;
const FIRST_NODE = OWN + 1;
const PER_NODE = 3;
const [LAYOUT, PAINT, DEFLATE] = [0, 1, 2];
const NODES_MAX = 65_536;
const ACCOUNTS_MAX = FIRST_NODE + PER_NODE * NODES_MAX;

const spentMs = new Float64Array(ACCOUNTS_MAX);
const visits = new Float64Array(ACCOUNTS_MAX);
const paths: string[] = [];
const nodeBytes: number[] = [];
/** The account of a node's layout, by the path of the node or of one inside it. */
const accountOf = new Map<string, number>();
/** Bytes of the content stream being painted, by node. */
const streamBytes = new Map<number, number>();
/** The region that the pages of the document come from, and the index of the next one to paint. */
let mainRegion: Flow['region'] | null = null;
let nextPage = 0;
/** The last reading of the clock, and the region that it belongs to. */
let notedRegion: Flow['region'] | null = null;
let notedPage = -1;
let notedItems = -1;
let notedFills = -1;
let current: number = STAGES.indexOf('outside');
/** Its one number is when the account was opened: a variable would be a new object each time. */
const opened = new Float64Array(1);

function enter(account: number): void {
  const now = performance.now();
  spentMs[current] = (spentMs[current] ?? 0) + now - (opened[0] ?? 0);
  visits[account] = (visits[account] ?? 0) + 1;
  opened[0] = now;
  current = account;
}

function enterStage(stage: Stage): void {
  enter(STAGES.indexOf(stage));
}

function layoutAccount(path: string): number {
  let account = accountOf.get(path);
  if (account === undefined) {
    account = newAccount(path);
    accountOf.set(path, account);
  }
  return account;
}

function newAccount(path: string): number {
  // A section is not a node, so the time for its pages counts for the stage.
  if (/^document(?:\.sections\[\d+\])?$/.test(path)) return STAGES.indexOf('layout');
  const charged = chargedPath(path);
  if (charged !== path) return layoutAccount(charged);
  if (paths.length === NODES_MAX) return STAGES.indexOf('layout');
  nodeBytes.push(0);
  return FIRST_NODE + (paths.push(path) - 1) * PER_NODE;
}

/** Begins to measure: from now on the engine of this process reports to the stopwatch. */
export function installStopwatch(): void {
  watchStages();
  watchMeasuring();
  watchPlacing();
  watchPainting();
  watchDeflating();
  reset();
}

/** A document begins; `endDocument` follows. */
export function beginDocument(): void {
  mainRegion = null;
  notedRegion = null;
  nextPage = 0;
  streamBytes.clear();
  opened[0] = performance.now();
  current = STAGES.indexOf('template');
}

export function endDocument(): void {
  enterStage('outside');
}

function reset(): void {
  spentMs.fill(0);
  visits.fill(0);
  nodeBytes.fill(0);
}

/** The times since the last call. */
export function takeTimes(): { readonly nodes: NodeTime[]; readonly stages: StageTime[] } {
  const nodes = paths.map((path, id): NodeTime => {
    const first = FIRST_NODE + id * PER_NODE;
    return {
      path,
      layoutMs: spentMs[first + LAYOUT] ?? 0,
      paintMs: spentMs[first + PAINT] ?? 0,
      deflateMs: spentMs[first + DEFLATE] ?? 0,
      bytes: nodeBytes[id] ?? 0,
      layoutVisits: visits[first + LAYOUT] ?? 0,
      paintVisits: visits[first + PAINT] ?? 0,
    };
  });
  const stages = STAGES.filter((stage) => stage !== 'outside').map((stage, account) => ({
    stage,
    ms: spentMs[account] ?? 0,
    visits: visits[account] ?? 0,
  }));
  reset();
  return { nodes, stages };
}

/** What follows each mark of the engine's own clock. */
function watchStages(): void {
  const { mark } = StageClock.prototype;
  StageClock.prototype.mark = function (stage) {
    mark.call(this, stage);
    if (stage === 'templateMs' || stage === 'contractMs') enterStage('data');
    else if (stage === 'layoutMs') enterStage('file');
    else if (stage === 'pdfMs') enterStage('digest');
    else enterStage(current === STAGES.indexOf('digest') ? 'outside' : 'layout');
  };
}

/** Boxes: a node's bindings are filled in and its text is shaped. */
function watchMeasuring(): void {
  const { box } = Plan.prototype;
  Plan.prototype.box = function (scope) {
    const account = accountOfPlan(this);
    if (account === current) return box.call(this, scope);
    const outer = current;
    enter(account);
    try {
      return box.call(this, scope);
    } finally {
      enter(outer);
    }
  };
}

function accountOfPlan(plan: Plan): number {
  const known: unknown = Reflect.get(plan, ACCOUNT);
  if (typeof known === 'number') return known;
  const account = layoutAccount(plan.node.path);
  Reflect.set(plan, ACCOUNT, account);
  return account;
}

/** Placing: the flow is told the path of a node before it is placed, and that around it after. */
function watchPlacing(): void {
  const plain = Object.getOwnPropertyDescriptor(Flow.prototype, 'path');
  if (plain?.get === undefined || plain.set === undefined) throw new Error('a flow has a path');
  const { get, set } = plain;
  Object.defineProperty(Flow.prototype, 'path', {
    get,
    set(this: Flow, path: string) {
      set.call(this, path);
      const account = path === 'document' ? accountAround(this) : layoutAccount(path);
      if (account === current) return;
      if (isNoted(this.region)) {
        enter(account);
        return;
      }
      const left = current;
      enter(OWN);
      mainRegion ??= this.region;
      noteRegion(this.region, left);
      enter(account);
    },
  });
  watchStrips();
}

/** Headers, and running rows inside a table, are placed in strips: a flow each. */
function watchStrips(): void {
  const { beginStrip, endStrip } = Flow.prototype;
  Flow.prototype.beginStrip = function (top) {
    Reflect.set(this, AROUND, current);
    beginStrip.call(this, top);
  };
  Flow.prototype.endStrip = function () {
    const { sheet } = this.region;
    noteSheet(sheet, current);
    const drawn = endStrip.call(this);
    Reflect.set(drawn.items, SEGMENTS, addSegments([], sheet));
    return drawn;
  };
  const { take } = Sheet.prototype;
  Sheet.prototype.take = function (block, dx, dy) {
    noteSheet(this, current);
    noteSheet(block, current);
    itemsOf(this).append(itemsOf(block));
    fillsOf(this).append(fillsOf(block));
    take.call(this, block, dx, dy);
  };
}

/** A flow in a strip begins at the path `document`; its time is that of the node around it. */
function accountAround(flow: Flow): number {
  const around: unknown = Reflect.get(flow, AROUND);
  return typeof around === 'number' ? around : STAGES.indexOf('layout');
}

/**
 * Which items of a sheet belong to which node, in the order of the items. Items are counted, not
 * referred to: a list that held them would keep them from the garbage collector.
 */
class Owners {
  readonly #ends: number[] = [];
  readonly #accounts: number[] = [];

  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** Those from the last noted one up to `length` belong to an account. */
  note(length: number, account: number): void {
    while (this.length > length) this.#dropTo(length);
    if (this.length === length) return;
    if (this.#accounts.at(-1) === account) this.#ends[this.#ends.length - 1] = length;
    else {
      this.#ends.push(length);
      this.#accounts.push(account);
    }
  }

  /** Items that were placed and taken back, to be placed on the next page. */
  #dropTo(length: number): void {
    this.#ends.pop();
    const account = this.#accounts.pop() ?? 0;
    if (this.length < length) {
      this.#ends.push(length);
      this.#accounts.push(account);
    }
  }

  append(other: Owners): void {
    const start = this.length;
    for (const [index, end] of other.#ends.entries()) {
      this.note(start + end, other.#accounts[index] ?? 0);
    }
  }

  /** Adds the segments in the order of the items, or the last one first. */
  addTo(segments: Segments, isReversed: boolean): void {
    const { length } = this.#ends;
    for (let index = 0; index < length; index++) {
      const at = isReversed ? length - 1 - index : index;
      segments.push((this.#ends[at] ?? 0) - (this.#ends[at - 1] ?? 0), this.#accounts[at] ?? 0);
    }
  }
}

/** Pairs: so many items in a row, and the account of their node. */
type Segments = number[];

const [ITEMS, FILLS] = [Symbol('owners of items'), Symbol('owners of fills')];
const [SEGMENTS, PAGE] = [Symbol('segments'), Symbol('page')];
const [ACCOUNT, AROUND] = [Symbol('account'), Symbol('account around')];

function itemsOf(sheet: Sheet): Owners {
  return ownersOf(sheet, ITEMS);
}

function fillsOf(sheet: Sheet): Owners {
  return ownersOf(sheet, FILLS);
}

function ownersOf(sheet: Sheet, key: symbol): Owners {
  const known: unknown = Reflect.get(sheet, key);
  if (known instanceof Owners) return known;
  const made = new Owners();
  Reflect.set(sheet, key, made);
  return made;
}

/** Whether nothing was placed since the last note: most nodes begin right after their parents. */
function isNoted(region: Flow['region']): boolean {
  if (region !== notedRegion || region.page !== notedPage) return false;
  const sheet = region.sheets[notedPage];
  return sheet?.items.length === notedItems && sheet.fills.length === notedFills;
}

/** The items that were placed since the last call belong to the node that is left now. */
function noteRegion(region: Flow['region'], account: number): void {
  const { page, sheets } = region;
  const known: unknown = Reflect.get(region, PAGE);
  const before = typeof known === 'number' ? known : page;
  for (let index = Math.min(before, page); index <= Math.max(before, page); index++) {
    const sheet = sheets[index];
    if (sheet !== undefined) noteSheet(sheet, account);
  }
  if (before !== page || known === undefined) Reflect.set(region, PAGE, page);
  const sheet = sheets[page];
  notedRegion = region;
  notedPage = page;
  notedItems = sheet?.items.length ?? -1;
  notedFills = sheet?.fills.length ?? -1;
}

function noteSheet(sheet: Sheet, account: number): void {
  itemsOf(sheet).note(sheet.items.length, account);
  fillsOf(sheet).note(sheet.fills.length, account);
}

/** In the order of painting: fills first, the last one at the bottom. */
function addSegments(segments: Segments, sheet: Sheet): Segments {
  fillsOf(sheet).addTo(segments, true);
  itemsOf(sheet).addTo(segments, false);
  return segments;
}

/** The segments of a list of items: a header or footer, or the body of the next page. */
function segmentsOfList(items: readonly Item[], isBody: boolean): Segments {
  const known: unknown = Reflect.get(items, SEGMENTS);
  // Set by `endStrip` above.
  if (known !== undefined) return known as Segments;
  const sheet = isBody ? mainRegion?.sheets[nextPage++] : undefined;
  if (sheet === undefined) return [];
  const beneath = Math.max(0, items.length - sheet.items.length - sheet.fills.length);
  return addSegments([beneath, layoutAccount('document.background')], sheet);
}

/** A list of items that tells the stopwatch which one is painted. */
class WatchedItems {
  readonly #items: readonly Item[];
  readonly #segments: Segments;
  readonly #stage: number;
  #index = 0;
  #segment = 0;
  #segmentEnd = 0;
  #bytes = 0;

  constructor(items: readonly Item[], segments: Segments, stage: number) {
    this.#items = items;
    this.#segments = segments;
    this.#stage = stage;
  }

  [Symbol.iterator](): Iterator<Item> {
    this.#bytes = contentSink.length;
    return this;
  }

  next(): IteratorResult<Item> {
    const index = this.#index++;
    if (index >= this.#segmentEnd) this.#beginSegment();
    const item = this.#items[index];
    if (item === undefined) {
      if (current !== this.#stage) this.#change(this.#stage);
      return { done: true, value: undefined };
    }
    return { done: false, value: item };
  }

  #beginSegment(): void {
    let account = this.#stage;
    do {
      const owner = this.#segments[this.#segment + 1] ?? 0;
      this.#segmentEnd += this.#segments[this.#segment] ?? Number.POSITIVE_INFINITY;
      this.#segment += 2;
      account = owner < FIRST_NODE ? this.#stage : owner + PAINT;
    } while (this.#segmentEnd < this.#index);
    if (account !== current) this.#change(account);
  }

  #change(account: number): void {
    const { length } = contentSink;
    if (current >= FIRST_NODE) {
      const id = Math.floor((current - FIRST_NODE) / PER_NODE);
      const bytes = length - this.#bytes;
      nodeBytes[id] = (nodeBytes[id] ?? 0) + bytes;
      streamBytes.set(id, (streamBytes.get(id) ?? 0) + bytes);
    }
    this.#bytes = length;
    enter(account);
  }
}

function watchPainting(): void {
  const { paint } = Painter.prototype;
  Painter.prototype.paint = function (items, heightPt, isolated, tags, mark) {
    const stage = current;
    enter(OWN);
    streamBytes.clear();
    const segments = segmentsOfList(items, isolated && mark === null);
    // The painter reads the list once, from its start to its end.
    const watched = new WatchedItems(items, segments, stage) as unknown as readonly Item[];
    enter(stage);
    return paint.call(this, watched, heightPt, isolated, tags, mark);
  };
}

/** A stream is deflated right after it was painted. */
function watchDeflating(): void {
  const { deflate } = Deflater.prototype;
  Deflater.prototype.deflate = function (content) {
    const outer = current;
    enter(OWN);
    const deflated = deflate.call(this, content);
    const now = performance.now();
    const ms = now - (opened[0] ?? 0);
    let shared = 0;
    for (const [id, bytes] of streamBytes) {
      const part = (ms * bytes) / content.length;
      spentMs[FIRST_NODE + id * PER_NODE + DEFLATE]! += part;
      shared += part;
    }
    spentMs[outer]! += ms - shared;
    opened[0] = now;
    current = outer;
    streamBytes.clear();
    return deflated;
  };
}
