import type { CompanyName } from './company/company.ts';
import type { Load } from '../../lab/load/load.ts';
import type { Ingredient } from '../../lab/load/requests.ts';

/** Documents to send, and how many callers send them or how often. */
export type Pressure = Pick<Load, 'mix' | 'callers' | 'perSecond'>;

/** One kind of load on a service. */
export interface Trial {
  readonly name: string;
  readonly description: string;
  pressure(this: void, peakPerSecond: number, attachedId: string): Pressure;
  readonly peak: PeakUse;
  /** Its requests attach a stored document. */
  readonly attaches: boolean;
  /** Requests of another key meanwhile. */
  readonly otherKey: { readonly description: string; readonly pressure: Pressure } | null;
  /** Other callers meanwhile; the load is measured without them, too. */
  readonly company: CompanyName | 'editors' | null;
  /** Where wrk is installed, it sends the same afterwards. */
  readonly isRepeated: boolean;
  /** Where wrk is installed, it generates the load and measures the peak. */
  readonly prefersWrk: boolean;
  /** It runs only when the command line names it. */
  readonly isOnlyByName: boolean;
}

/**
 * The peak that is measured before and after each round, and how the load depends on it. `offered`:
 * the load is a share of the peak before it. `reached`: the documents delivered are compared with the
 * mean of both. null: the peak is not measured.
 */
export type PeakUse = 'offered' | 'reached' | null;

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
const MIX_DESCRIPTION = '80 % A, 16 % C, 4 % B of 500 rows';

/** A load that has nothing to do with the peak, and the two that have. */
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
 * The load beside other callers, as a share of the peak. At 70 %, service and load generator keep
 * the two cores nine tenths busy: the CPU of the other callers' programs would multiply the p99.
 */
const BESIDE_OTHERS = 0.5;
/** The least rate of a load that is a share of the peak, for machines whose peak is very low. */
const PER_SECOND_MIN = 10;

function closed(mix: readonly Ingredient[], callers: number): Pressure {
  return { mix, callers, perSecond: null };
}

function open(perSecond: number): Pressure {
  return { mix: [RECEIPT], callers: 0, perSecond };
}

function share(peakPerSecond: number, times: number): Pressure {
  return open(Math.max(PER_SECOND_MIN, Math.round(peakPerSecond * times)));
}

/** The load that defines the peak: 16 callers, each requesting one receipt after the other. */
export const PEAK: Pressure = closed([RECEIPT], 16);

const OVER_2: Trial = {
  ...REACHED,
  name: 'over ×2',
  description: 'receipts at twice the peak, open loop',
  pressure: (peak) => share(peak, 2),
};

const OVER_10: Trial = {
  ...REACHED,
  name: 'over ×10',
  description: 'receipts at ten times the peak, open loop',
  otherKey: { description: 'meanwhile, a request a second with another key', pressure: open(1) },
  pressure: (peak) => share(peak, 10),
};

/** The loads in the order they run. `sync` always runs, and first, because it warms the service. */
export const TRIALS: readonly Trial[] = [
  {
    ...PLAIN,
    name: 'single',
    description: 'one caller, receipts',
    pressure: () => closed([RECEIPT], 1),
  },
  {
    ...PLAIN,
    name: 'sync',
    description: '16 callers, receipts',
    isRepeated: true,
    pressure: () => PEAK,
  },
  {
    ...PLAIN,
    name: 'sync sample',
    description: '16 callers, the sample receipt of templates/',
    isRepeated: true,
    pressure: () => closed([SAMPLE], 16),
  },
  {
    ...REACHED,
    name: 'async',
    description: '32 callers, receipts stored',
    isRepeated: true,
    pressure: () => closed([{ ...RECEIPT, mode: 'async' }], 32),
  },
  {
    ...PLAIN,
    name: 'async sample',
    description: '32 callers, the sample receipt stored',
    isRepeated: true,
    pressure: () => closed([{ ...SAMPLE, mode: 'async' }], 32),
  },
  {
    ...PLAIN,
    name: 'mixed',
    description: `16 callers: ${MIX_DESCRIPTION}`,
    pressure: () => closed(MIX, 16),
  },
  {
    ...PLAIN,
    name: 'protect',
    description: '8 callers, AES-256',
    pressure: () => closed([{ ...RECEIPT, options: { protection: PROTECTION } }], 8),
  },
  {
    ...PLAIN,
    name: 'attach',
    description: '8 callers, a stored contract merged',
    attaches: true,
    pressure: (_peak, id) => closed([{ ...RECEIPT, options: { attach: [id] } }], 8),
  },
  {
    ...OFFERED,
    name: '70 %',
    description: 'receipts at 70 % of the peak, open loop',
    pressure: (peak) => share(peak, 0.7),
  },
  {
    ...OFFERED,
    name: 'slow senders',
    description: 'receipts at half the peak, 1,000 connections dripping a body meanwhile',
    company: 'slow senders',
    pressure: (peak) => share(peak, BESIDE_OTHERS),
  },
  {
    ...OFFERED,
    name: 'stalled files',
    description: 'the same, 200 readers of a stored 8.9 MB stopped reading meanwhile',
    company: 'stalled files',
    pressure: (peak) => share(peak, BESIDE_OTHERS),
  },
  {
    ...OFFERED,
    name: 'stalled sync',
    description: 'the same of documents that are not stored',
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
    description:
      '16 callers; nine times the peak goes to an empty server beside, which only refuses',
    company: 'refused elsewhere',
    pressure: () => PEAK,
  },
  {
    ...PLAIN,
    name: 'editors',
    description:
      '16 callers, receipts; ten users of the Studio change a draft and look at it every 2 s',
    company: 'editors',
    pressure: () => PEAK,
  },
];

/** The load during which a bomb always occupies one of the two renderers. */
export const BOMB_TRIAL: Trial = {
  ...OFFERED,
  name: 'bombs',
  description: 'receipts at 30 % of the peak, a document that never ends on one of two renderers',
  company: 'bombs',
  pressure: (peak) => share(peak, 0.3),
};

/** The load of the soak. */
export const SOAK: Pressure = closed(MIX, 16);
