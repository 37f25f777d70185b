import { encodePng } from '../shapes/png.ts';
import { seededRandom } from '../random.ts';

/** A template of the HTTP bench beside the shapes; its documents grow large by merging. */
const PICTURE = {
  templateId: 'bench-picture',
  name: 'Picture',
  fields: [{ name: 'picture', type: 'image', required: true }],
  document: { content: [{ image: '{{picture}}', width: 400 }] },
} as const;

/** The number of bomb templates: each call of `timeReturn` needs a fresh one. */
export const BOMBS = 6;

/** Templates whose data keeps a renderer busy until its time limit. */
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

/** Side of the picture: 690 KB of incompressible pixels, and 920 KB as base64 in a 1 MB body. */
const SIDE_PX = 480;
const CHANNELS = 3;
const BOMB_CHARACTERS = 900_000;

/** A PNG of noise as a data URL. */
function noise(): string {
  const random = seededRandom(1);
  const rowBytes = 1 + SIDE_PX * CHANNELS;
  const rows = Buffer.alloc(SIDE_PX * rowBytes);
  for (let i = 0; i < rows.length; i++) rows[i] = i % rowBytes === 0 ? 0 : random.below(256);
  const png = encodePng({ width: SIDE_PX, height: SIDE_PX }, CHANNELS, rows);
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** A generate body of PICTURE, whose document is merged with the attached ones. */
export function pictureBody(mode: 'sync' | 'async', attach: readonly string[]): string {
  const data = { picture: noise() };
  const options = attach.length === 0 ? {} : { options: { attach } };
  return JSON.stringify({ templateId: PICTURE.templateId, mode, data, ...options });
}

/** A body whose text is one very long word: no renderer finishes it within a second. */
export function bombBody(index: number): string {
  const data = { text: 'x'.repeat(BOMB_CHARACTERS) };
  return JSON.stringify({ templateId: bombId(index), mode: 'sync', data });
}
