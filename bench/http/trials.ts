import type { Load } from './load/load.ts';
import type { Ingredient } from './requests.ts';

/** Documents to send, and how many callers send them or how often. */
export type Pressure = Pick<Load, 'mix' | 'callers' | 'perSecond'>;

/** One kind of load. */
export interface Trial {
  readonly name: string;
  readonly words: string;
  pressure(this: void, peakPerSecond: number, attachedId: string): Pressure;
  /** How the load depends on the peak, which is measured for each round. */
  readonly peak: PeakUse;
  /** It merges a stored document. */
  readonly attaches: boolean;
  /** Requests of another key meanwhile. */
  readonly otherKey: { readonly words: string; readonly pressure: Pressure } | null;
  /** Who else holds connections meanwhile; measured before, with and after them. */
  readonly company: CompanyName | null;
  /** An independent load generator sends the same afterwards. */
  readonly isRepeated: boolean;
  /** wrk puts the load on the service and measures its peak, where it is installed. */
  readonly prefersWrk: boolean;
  /** It does not run unless it is named. */
  readonly isOnlyByName: boolean;
}

/**
 * `offered`: a share of the peak found just before is sent. `reached`: what is delivered is measured
 * against the mean of the peaks found just before and just after. Null: no matter of the peak.
 */
export type PeakUse = 'offered' | 'reached' | null;

export type CompanyName =
  'slow senders' | 'stalled files' | 'stalled sync' | 'refused elsewhere' | 'editors' | 'bombs';

/** A receipt, answered at once. */
export const RECEIPT: Ingredient = {
  weight: 1,
  shape: 'A',
  rows: null,
  mode: 'sync',
  options: null,
};
/** The product's own sample, with its logo, frames and two columns. */
const SAMPLE: Ingredient = { ...RECEIPT, shape: 'sample' };
const MIX: readonly Ingredient[] = [
  { ...RECEIPT, weight: 80 },
  { ...RECEIPT, weight: 16, shape: 'C' },
  { ...RECEIPT, weight: 4, shape: 'B', rows: 500 },
];
const MIX_WORDS = '80 % A, 16 % C, 4 % B of 500 rows';
const PLAIN = {
  peak: null,
  attaches: false,
  otherKey: null,
  company: null,
  isRepeated: false,
  prefersWrk: false,
  isOnlyByName: false,
};
const OFFERED = { ...PLAIN, peak: 'offered' as const };
const REACHED = { ...PLAIN, peak: 'reached' as const };
const PROTECTION = { userPassword: 'bench-user', ownerPassword: 'bench-owner' };

/**
 * The load beside bad company, as a share of the peak. At 70 % the two cores, with the load
 * generator, are nine tenths busy: anything else, even the company's sending, multiplies the p99.
 */
const BESIDE_OTHERS = 0.5;
/** The overload as a multiple of the peak. */
const OVER = 10;
export const REFUSED = OVER - 1;

/** A share of the peak is at least this, whatever the peak was. */
const RATE_MIN = 10;

function closed(mix: readonly Ingredient[], callers: number): Pressure {
  return { mix, callers, perSecond: null };
}

function open(perSecond: number): Pressure {
  return { mix: [RECEIPT], callers: 0, perSecond };
}

function share(peakPerSecond: number, times: number): Pressure {
  return open(Math.max(RATE_MIN, Math.round(peakPerSecond * times)));
}

/** The load that defines the peak: 16 callers, each requesting one receipt after the other. */
export const PEAK: Pressure = closed([RECEIPT], 16);

const OVER_2: Trial = {
  ...REACHED,
  name: 'over ×2',
  words: 'receipts at twice the peak, open loop',
  pressure: (peak) => share(peak, 2),
};

const OVER_10: Trial = {
  ...REACHED,
  name: 'over ×10',
  words: 'receipts at ten times the peak, open loop',
  otherKey: { words: 'meanwhile, a request a second with another key', pressure: open(1) },
  pressure: (peak) => share(peak, OVER),
};

/** The loads in the order they run. `sync` always runs, and first, because it warms the service. */
export const TRIALS: readonly Trial[] = [
  {
    ...PLAIN,
    name: 'single',
    words: 'one caller, receipts',
    pressure: () => closed([RECEIPT], 1),
  },
  {
    ...PLAIN,
    name: 'sync',
    words: '16 callers, receipts',
    isRepeated: true,
    pressure: () => PEAK,
  },
  {
    ...PLAIN,
    name: 'sync sample',
    words: '16 callers, the sample receipt of templates/',
    isRepeated: true,
    pressure: () => closed([SAMPLE], 16),
  },
  {
    ...REACHED,
    name: 'async',
    words: '32 callers, receipts stored',
    isRepeated: true,
    pressure: () => closed([{ ...RECEIPT, mode: 'async' }], 32),
  },
  {
    ...PLAIN,
    name: 'async sample',
    words: '32 callers, the sample receipt stored',
    isRepeated: true,
    pressure: () => closed([{ ...SAMPLE, mode: 'async' }], 32),
  },
  {
    ...PLAIN,
    name: 'mixed',
    words: `16 callers: ${MIX_WORDS}`,
    pressure: () => closed(MIX, 16),
  },
  {
    ...PLAIN,
    name: 'protect',
    words: '8 callers, AES-256',
    pressure: () => closed([{ ...RECEIPT, options: { protection: PROTECTION } }], 8),
  },
  {
    ...PLAIN,
    name: 'attach',
    words: '8 callers, a stored contract merged',
    attaches: true,
    pressure: (_peak, id) => closed([{ ...RECEIPT, options: { attach: [id] } }], 8),
  },
  {
    ...OFFERED,
    name: '70 %',
    words: 'receipts at 70 % of the peak, open loop',
    pressure: (peak) => share(peak, 0.7),
  },
  {
    ...OFFERED,
    name: 'slow senders',
    words: 'receipts at half the peak, 1,000 connections dripping a body meanwhile',
    company: 'slow senders',
    pressure: (peak) => share(peak, BESIDE_OTHERS),
  },
  {
    ...OFFERED,
    name: 'stalled files',
    words: 'the same, 200 readers of a stored 8.9 MB stopped reading meanwhile',
    company: 'stalled files',
    pressure: (peak) => share(peak, BESIDE_OTHERS),
  },
  {
    ...OFFERED,
    name: 'stalled sync',
    words: 'the same of documents that are not stored',
    company: 'stalled sync',
    pressure: (peak) => share(peak, BESIDE_OTHERS),
  },
  { ...OVER_2, prefersWrk: true },
  { ...OVER_10, prefersWrk: true },
  { ...OVER_2, name: 'over ×2 own', isOnlyByName: true },
  { ...OVER_10, name: 'over ×10 own', isOnlyByName: true },
  {
    ...REACHED,
    name: 'refused elsewhere',
    words: '16 callers; nine times the peak goes to an empty server beside, which only refuses',
    company: 'refused elsewhere',
    pressure: () => PEAK,
  },
  {
    ...PLAIN,
    name: 'editors',
    words: '16 callers, receipts; ten users of the Studio change a draft and look at it every 2 s',
    company: 'editors',
    pressure: () => PEAK,
  },
];

/** The load during which one of the two renderers is always busy with a bomb. */
export const BOMB_TRIAL: Trial = {
  ...OFFERED,
  name: 'bombs',
  words: 'receipts at 30 % of the peak, a document that never ends on one of two renderers',
  company: 'bombs',
  pressure: (peak) => share(peak, 0.3),
};

/** The load of the soak. */
export const SOAK: Pressure = closed(MIX, 16);
