import sharp from 'sharp';
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

export const BOMB = {
  templateId: 'bench-bomb',
  name: 'Bomb',
  fields: [{ name: 'text', type: 'text', required: true }],
  document: { content: [{ columns: [{ width: 14, text: '{{text}}' }] }] },
} as const;

export const EXTRA_TEMPLATES = [PICTURE, BOMB] as const;

/** 690 KB that no compression makes smaller, and 920 KB in a body of 1 MB. */
const SIDE_PX = 480;
const CHANNELS = 3;
const BOMB_CHARACTERS = 900_000;

async function noise(): Promise<string> {
  const random = seededRandom(1);
  const pixels = Buffer.alloc(SIDE_PX * SIDE_PX * CHANNELS);
  for (let i = 0; i < pixels.length; i++) pixels[i] = random.below(256);
  const raw = { width: SIDE_PX, height: SIDE_PX, channels: CHANNELS } as const;
  const png = await sharp(pixels, { raw }).png().toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** A generate body of PICTURE; with three attachments of a size, the document is four times that. */
export async function pictureBody(
  mode: 'sync' | 'async',
  attach: readonly string[],
): Promise<string> {
  const data = { picture: await noise() };
  const options = attach.length === 0 ? {} : { options: { attach } };
  return JSON.stringify({ templateId: PICTURE.templateId, mode, data, ...options });
}

/** One word without an end: no renderer finishes it within a second. */
export function bombBody(): string {
  const data = { text: 'x'.repeat(BOMB_CHARACTERS) };
  return JSON.stringify({ templateId: BOMB.templateId, mode: 'sync', data });
}
