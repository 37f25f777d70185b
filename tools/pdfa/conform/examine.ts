import { type Cos, isDictionary } from '../cos.ts';
import type { PdfDocument } from '../file.ts';
import { type Model, readModel } from '../model.ts';
import { findingsOf, type Profile, RULES, type Violation } from '../rules.ts';
import { hasName, UNCONCERNED } from '../unconcerned.ts';
import { UnreadableFile } from '../work.ts';
import { claimedLevels, LEVELS, profileOf } from './levels.ts';

/** Where a rule fails; null: the place has no page, or is no object by itself. */
export interface Place {
  readonly where: string;
  readonly page: number | null;
  readonly object: number | null;
}

/** A rule that the file breaks. */
export interface Failure {
  /** Clause of the standard and number of the test in it: `6.1.2-1`. */
  readonly rule: string;
  readonly text: string;
  /** The number of places; a fault that repeats counts once. */
  readonly count: number;
  /** The first places. */
  readonly places: readonly Place[];
}

/** Rules that are not judged, because of something in the file. */
export interface NotJudged {
  /** What the file has. */
  readonly because: string;
  readonly rules: readonly string[];
}

/** `not decided`: no rule fails, but some are not judged. */
export type Verdict = 'conforms' | 'does not conform' | 'not decided';

export interface LevelReport {
  readonly level: string;
  readonly verdict: Verdict;
  /** The number of rules of the level. */
  readonly rules: number;
  readonly failures: readonly Failure[];
  readonly notJudged: readonly NotJudged[];
}

/** What is known about a file. */
export interface Examination {
  /** The levels that its metadata names. */
  readonly claimed: readonly string[];
  /** Those of them that this checker does not know. */
  readonly unknown: readonly string[];
  readonly levels: readonly LevelReport[];
  /** Why it was not judged, or not to its end; null: it was. */
  readonly unreadable: string | null;
}

/** Places of one rule that a report has. */
const PLACES_MAX = 20;

/** Objects that fonts which the checker cannot read give wrong facts about. */
const FONT_OBJECTS = [
  'PDFont',
  'PDSimpleFont',
  'PDTrueTypeFont',
  'TrueTypeFontProgram',
  'PDType0Font',
  'PDCIDFont',
  'PDCMap',
  'Glyph',
];

/** Things that make facts about other objects unreliable; their rules are not judged, then. */
export const MISLEADING: readonly {
  readonly because: string;
  readonly objects: readonly string[];
  readonly isThere: (document: PdfDocument) => boolean;
}[] = [
  {
    because: 'fonts that are not TrueType, or have an encoding other than Identity-H',
    objects: FONT_OBJECTS,
    isThere: (document) =>
      hasName(document, new Set(['FontFile', 'FontFile3', 'MMType1', 'Type3', 'UseCMap'])) ||
      [...document.objects.values()].some((font) => hasForeignCodes(document, font)),
  },
  {
    because: 'default colour spaces',
    objects: ['PDDeviceRGB', 'PDDeviceGray', 'PDDeviceCMYK'],
    isThere: (document) => hasName(document, new Set(['DefaultRGB', 'DefaultGray', 'DefaultCMYK'])),
  },
];

/** Whether a font has codes that the reader does not follow to glyphs. */
function hasForeignCodes(document: PdfDocument, font: Cos): boolean {
  if (!isDictionary(font)) return false;
  const subtype = document.nameAt(font, 'Subtype');
  // A simple font is read by the maps of its program alone, as one without an encoding.
  if (subtype === 'Type1') return true;
  if (subtype === 'TrueType') return document.has(font, 'Encoding');
  return subtype === 'Type0' && document.nameAt(font, 'Encoding') !== 'Identity-H';
}

/**
 * Judges a file by the levels that its metadata names, or by `profiles` if there are any. Ends within
 * bounded work, whatever the file holds.
 */
export function examine(bytes: Uint8Array, profiles: readonly Profile[]): Examination {
  let claimed: readonly string[] = [];
  try {
    const model = readModel(bytes);
    const { document } = model;
    claimed = claimedLevels(model);
    if (document.has(document.trailer, 'Encrypt')) {
      throw new UnreadableFile('it is encrypted, which no level of PDF/A allows');
    }
    const [filter] = document.undecoded;
    if (filter !== undefined) {
      throw new UnreadableFile(`it has a stream compressed by ${filter}, which is not read here`);
    }
    const asked = profiles.length > 0;
    const wanted = asked ? profiles : claimed.flatMap((one) => profileOf(one) ?? []);
    const unknown = asked ? [] : claimed.filter((one) => profileOf(one) === null);
    const levels = wanted.map((one) => judgeLevel(model, one));
    return { claimed, unknown, levels, unreadable: null };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { claimed, unknown: [], levels: [], unreadable: reasonOf(error) };
  }
}

/** A fault of a damaged file may be any error of the reader, whose text says little to others. */
function reasonOf(error: Error): string {
  return error instanceof UnreadableFile ? error.message : 'its structure is damaged';
}

function judgeLevel(model: Model, profile: Profile): LevelReport {
  const { violations, unjudged } = findingsOf(model, profile);
  const own = RULES.filter(({ profiles }) => profiles.includes(profile));
  const misleading = MISLEADING.filter(({ isThere }) => isThere(model.document));
  const notJudged = [
    ...UNCONCERNED.map(({ object, name }) => ({
      because: name,
      rules: unjudged.filter((one) => one.object === object).map(({ rule }) => rule),
    })),
    ...misleading.map(({ because, objects }) => ({
      because,
      rules: own.filter(({ object }) => objects.includes(object)).map(({ id }) => id),
    })),
  ].filter(({ rules }) => rules.length > 0);
  const doubtful = new Set(notJudged.flatMap(({ rules }) => rules));
  const failures = failuresOf(violations.filter(({ rule }) => !doubtful.has(rule)));
  const undecided = notJudged.length > 0 ? 'not decided' : 'conforms';
  return {
    level: LEVELS[profile],
    verdict: failures.length > 0 ? 'does not conform' : undecided,
    rules: own.length,
    failures,
    notJudged,
  };
}

function failuresOf(violations: readonly Violation[]): readonly Failure[] {
  const byRule = Map.groupBy(violations, ({ rule }) => rule);
  return [...byRule].map(([rule, found]) => ({
    rule,
    text: found[0]?.text ?? '',
    count: found.length,
    places: found.slice(0, PLACES_MAX).map(({ where }) => placeOf(where)),
  }));
}

function placeOf(where: string): Place {
  const page = /^page (\d+)/.exec(where)?.[1];
  const object = [...where.matchAll(/object (\d+)/g)].at(-1)?.[1];
  return { where, page: numberOf(page), object: numberOf(object) };
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined || digits === '0' ? null : Number(digits);
}
