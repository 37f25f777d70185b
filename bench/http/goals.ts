import type { HttpFigure } from './figures.ts';

/** A goal of a load that is the same on every machine: a share of the machine's peak, or a time. */
interface Goal {
  readonly words: string;
  isMet(this: void, figure: HttpFigure): boolean;
}

/** A goal beside the figure that it judges. */
export interface GoalVerdict {
  readonly words: string;
  readonly isMet: boolean;
}

const REFUSAL_MS_MAX = 5;
const P99_MS_MAX = 50;

/** The goals by the name of a load. */
const GOALS: Readonly<Record<string, readonly Goal[]>> = {
  '70 %': [{ words: `p99 ≤ ${P99_MS_MAX} ms`, isMet: ({ p99Ms }) => p99Ms <= P99_MS_MAX }],
  editors: [delivers(0.97)],
  'over ×2': [delivers(0.9), refusesQuickly()],
  'over ×10': [delivers(0.6), refusesQuickly()],
  'over ×10, other key': [{ words: 'every request succeeds', isMet: hasOnlyDocuments }],
};

function delivers(share: number): Goal {
  return {
    words: `≥ ${share * 100} % of the peak`,
    isMet: ({ ofPeak }) => ofPeak !== null && ofPeak >= share,
  };
}

function refusesQuickly(): Goal {
  return {
    words: `refusals ≤ ${REFUSAL_MS_MAX} ms`,
    isMet: ({ refusalP50Ms }) => refusalP50Ms === null || refusalP50Ms <= REFUSAL_MS_MAX,
  };
}

function hasOnlyDocuments({ statuses }: HttpFigure): boolean {
  const names = Object.keys(statuses);
  return names.length > 0 && names.every((status) => status === '200' || status === '201');
}

/** The goals of a load, judged by the medians of its rounds and the responses of all rounds. */
export function judgeGoals(figure: HttpFigure): readonly GoalVerdict[] {
  // The goals do not depend on the generator.
  const goals = GOALS[figure.name.replace(' own', '')] ?? [];
  return goals.map(({ words, isMet }) => ({ words, isMet: isMet(figure) }));
}
