import { writeFileSync } from 'node:fs';

/**
 * Writes the names that the Unicode CLDR gives in Thai to countries, currencies, languages, towns and
 * units, as the runtime's ICU holds them: `node scripts/thai/cldr.ts`.
 */
const LIST = new URL('lists/cldr.txt', import.meta.url);
const ALPHABET = Array.from('abcdefghijklmnopqrstuvwxyz');
/** Shorter names of languages are syllables of other words. */
const LENGTHS_MIN = { region: 4, currency: 4, language: 6 } as const;
const TOWN_LENGTH_MIN = 6;

function codes(length: number): string[] {
  let list = [''];
  for (let index = 0; index < length; index++) {
    list = list.flatMap((start) => ALPHABET.map((letter) => start + letter));
  }
  return list;
}

function names(type: keyof typeof LENGTHS_MIN, list: readonly string[]): string[] {
  const display = new Intl.DisplayNames('th', { type, fallback: 'none' });
  const upper = type === 'language' ? list : list.map((code) => code.toUpperCase());
  const least = LENGTHS_MIN[type];
  return upper.flatMap((code) => thaiWords(display.of(code) ?? '', least));
}

function towns(): string[] {
  return Intl.supportedValuesOf('timeZone').flatMap((timeZone) => {
    const format = new Intl.DateTimeFormat('th', { timeZone, timeZoneName: 'shortGeneric' });
    const part = format.formatToParts(0).find(({ type }) => type === 'timeZoneName');
    return thaiWords((part?.value ?? '').replace(/^เวลา/u, ''), TOWN_LENGTH_MIN);
  });
}

function thaiWords(text: string, lengthMin: number): string[] {
  return text.split(/[^\u0e01-\u0e3a\u0e40-\u0e4e]+/u).filter((word) => word.length >= lengthMin);
}

const words = new Set([
  ...names('region', codes(2)),
  ...names('currency', Intl.supportedValuesOf('currency')),
  ...names('language', [...codes(2), ...codes(3)]),
  ...towns(),
]);
const source = `Unicode CLDR ${process.versions['cldr'] ?? ''}, ICU ${process.versions['icu'] ?? ''}`;
writeFileSync(LIST, `# ${source}\n${[...words].toSorted().join('\n')}\n`);
