import type { PicturePlace } from '../pictures/places.ts';

/** Words for a picture, as officers say them. The text has its name, which is often another. */
const WORDS: ReadonlySet<string> = new Set([
  'logo',
  'picture',
  'photo',
  'seal',
  'stamp',
  'signature',
  'โลโก้',
  'รูป',
  'รูปภาพ',
  'ภาพ',
  'ตรา',
  'ตราประทับ',
  'ลายเซ็น',
]);

/** Pictures that are named where a search finds nothing. */
const NAMED_MAX = 5;

/** Whether a search is for a picture. */
export function asksForPicture(text: string): boolean {
  return WORDS.has(text.trim().normalize('NFC').toLowerCase());
}

/** The first names of the pictures of a text, each once. */
export function pictureNames(places: readonly Pick<PicturePlace, 'name'>[]): readonly string[] {
  const names = new Set(places.map(({ name }) => name).filter((name) => name !== ''));
  return [...names].slice(0, NAMED_MAX);
}
