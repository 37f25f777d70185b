import type { Model } from '../model.ts';
import type { Profile } from '../rules.ts';
import { PDFA_ID, PDFUA_ID } from '../xmp.ts';

/** The levels that the rules of this checker are about, by their profiles. */
export const LEVELS: Readonly<Record<Profile, string>> = {
  '2u': 'PDF/A-2u',
  '2a': 'PDF/A-2a',
  '3u': 'PDF/A-3u',
  '3a': 'PDF/A-3a',
  ua: 'PDF/UA-1',
};

export const PROFILES = Object.keys(LEVELS) as readonly Profile[];

/** The profile of a level as people write it: `2u`, `PDF/A-2u`, `PDF/UA-1`; null: there is none. */
export function profileOf(level: string): Profile | null {
  const short = level.toLowerCase().replace(/^pdf\/?(?:a-?)?(?=[u\d])/, '');
  const name = short === 'ua-1' || short === 'ua1' ? 'ua' : short;
  return PROFILES.find((profile) => profile === name) ?? null;
}

/** The levels that the metadata of a file names, such as `PDF/A-2b`; empty: none. */
export function claimedLevels({ metadata }: Model): readonly string[] {
  const part = metadata.get(`${PDFA_ID}part`);
  const conformance = metadata.get(`${PDFA_ID}conformance`) ?? '';
  const accessible = metadata.get(`${PDFUA_ID}part`);
  return [
    ...(part === undefined ? [] : [`PDF/A-${shown(part)}${shown(conformance).toLowerCase()}`]),
    ...(accessible === undefined ? [] : [`PDF/UA-${shown(accessible)}`]),
  ];
}

/** A value of the metadata as far as a level may have it: it comes from a foreign file. */
function shown(value: string): string {
  return value
    .trim()
    .replaceAll(/[^\w.-]/g, '?')
    .slice(0, 8);
}
