import { encodePng } from '../shapes/png.ts';
import { seededRandom } from '../shapes/random.ts';

/**
 * Templates of the HTTP bench beside the shapes: one whose documents grow large by merging, and one
 * that a caller's data keeps a renderer busy with for as long as it may.
 */
export const PICTURE = {
  templateId: 'bench-picture',
  name: 'Picture',
  fields: [{ name: 'picture', type: 'image', required: true }],
  document: { content: [{ image: '{{picture}}', width: 400 }] },
} as const;

/** How often the end of bombs can be timed: each time with a template that is not yet suspect. */
export const BOMBS = 6;

const bombs = Array.from({ length: BOMBS }, (_, index) => ({
  templateId: bombId(index),
  name: 'Bomb',
  fields: [{ name: 'text', type: 'text', required: true }],
  document: { content: [{ columns: [{ width: 14, text: '{{text}}' }] }] },
}));

export const EXTRA_TEMPLATES = [PICTURE, ...bombs] as const;

function bombId(index: number): string {
  return `bench-bomb-${index}`;
}

/** 690 KB that no compression makes smaller, and 920 KB in a body of 1 MB. */
const SIDE_PX = 480;
const CHANNELS = 3;
const BOMB_CHARACTERS = 900_000;

function noise(): string {
  const random = seededRandom(1);
  const rowBytes = 1 + SIDE_PX * CHANNELS;
  const rows = Buffer.alloc(SIDE_PX * rowBytes);
  for (let i = 0; i < rows.length; i++) rows[i] = i % rowBytes === 0 ? 0 : random.below(256);
  const png = encodePng({ width: SIDE_PX, height: SIDE_PX }, CHANNELS, rows);
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** A generate body of PICTURE; with three attachments of a size, the document is four times that. */
export function pictureBody(mode: 'sync' | 'async', attach: readonly string[]): string {
  const data = { picture: noise() };
  const options = attach.length === 0 ? {} : { options: { attach } };
  return JSON.stringify({ templateId: PICTURE.templateId, mode, data, ...options });
}

/** One word without an end: no renderer finishes it within a second. */
export function bombBody(index: number): string {
  const data = { text: 'x'.repeat(BOMB_CHARACTERS) };
  return JSON.stringify({ templateId: bombId(index), mode: 'sync', data });
}
