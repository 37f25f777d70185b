import { counted } from '../../../src/commands/console/output.ts';
import { RULES } from '../rules.ts';
import { UNCONCERNED } from '../unconcerned.ts';
import { MISLEADING, type Examination, type Failure, type LevelReport } from './examine.ts';
import { LEVELS, PROFILES } from './levels.ts';

/** Places of a failing rule that the text shows; JSON has more. */
const SHOWN_MAX = 3;

/** Lines about a file: a verdict for each level, with the rules that fail and those not judged. */
export function describeFile(file: string, examination: Examination): string {
  const { claimed, unknown, levels, unreadable } = examination;
  if (unreadable !== null) return `${file}: cannot be judged: ${unreadable}`;
  const known = Object.values(LEVELS).join(', ');
  const lines = unknown.map((level) => `${file}: ${level}: not judged; this judges ${known}`);
  if (levels.length === 0 && claimed.length === 0) {
    lines.push(
      `${file}: its metadata names no level of PDF/A or PDF/UA, so it conforms to none; to judge it ` +
        'by one all the same, give --level',
    );
  }
  return [...lines, ...levels.map((level) => describeLevel(file, level))].join('\n');
}

function describeLevel(file: string, report: LevelReport): string {
  const { level, verdict, rules, failures, notJudged } = report;
  const notAsked = new Set(notJudged.flatMap((one) => one.rules)).size;
  const judged = `${rules - notAsked} of ${counted(rules, 'rule')} judged`;
  const failed = failures.length === 0 ? '' : `, ${failures.length} fail`;
  return [
    `${file}: ${level}: ${verdict} (${judged}${failed})`,
    ...failures.flatMap(describeFailure),
    ...notJudged.map(
      ({ because, rules: ids }) => `  not judged, as it has ${because}: ${ids.join(' ')}`,
    ),
  ].join('\n');
}

function describeFailure({ rule, text, count, places }: Failure): readonly string[] {
  const shown = places.slice(0, SHOWN_MAX).map(({ where }) => where);
  const more = count > shown.length ? `; ${count - shown.length} more` : '';
  return [`  ${rule}  ${text}`, `    ${shown.join('; ')}${more}`];
}

/** What is judged and what is not, for every file. */
export interface RuleList {
  readonly levels: readonly { readonly level: string; readonly rules: number }[];
  /** Rules that are not judged in a file that has this. */
  readonly notJudged: readonly { readonly because: string; readonly rules: readonly string[] }[];
  /** Demands of the standards that these rules do not cover. */
  readonly outside: readonly string[];
}

/** Demands that no rule of the table states, or that need a person. */
const OUTSIDE = [
  'the levels PDF/A-1, PDF/A-2b, PDF/A-3b, PDF/A-4 and PDF/UA-2',
  'whether alternative texts, tags and the reading order mean what the page shows (for a person)',
  'whether an embedded PDF conforms to PDF/A: in PDF/A-2 each one counts as a failure',
  'annotations outside of the crop box of their page, which PDF/UA-1 exempts from its rules',
  'pixels of images, and the validity of signatures (./intaglio verify)',
] as const;

export function ruleList(): RuleList {
  return {
    levels: PROFILES.map((profile) => ({
      level: LEVELS[profile],
      rules: RULES.filter(({ profiles }) => profiles.includes(profile)).length,
    })),
    notJudged: [
      ...UNCONCERNED.map(({ name, object }) => ({ because: name, rules: idsOf([object]) })),
      ...MISLEADING.map(({ because, objects }) => ({ because, rules: idsOf(objects) })),
    ],
    outside: OUTSIDE,
  };
}

function idsOf(objects: readonly string[]): readonly string[] {
  return [...new Set(RULES.filter(({ object }) => objects.includes(object)).map(({ id }) => id))];
}

export function describeRules(): string {
  const { levels, notJudged, outside } = ruleList();
  return [
    'Judged:',
    ...levels.map(({ level, rules }) => `  ${level}: ${rules} rules of veraPDF's profile`),
    'Not judged, where a file has',
    ...notJudged.map(({ because, rules }) => `  ${because}: ${rules.join(' ')}`),
    'Not covered by these rules:',
    ...outside.map((line) => `  ${line}`),
  ].join('\n');
}
