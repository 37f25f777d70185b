import { SHAPES } from '../shapes/index.ts';
import { sampleReceipt } from '../shapes/sample.ts';
import type { ShapeName } from '../shapes/sheet.ts';

/** One kind of document in a load, and its share. */
export interface Ingredient {
  readonly weight: number;
  /** A judged shape, or the product's sample receipt. */
  readonly shape: ShapeName | 'sample';
  readonly rows: number | null;
  readonly mode: 'sync' | 'async';
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Distinct bodies of an ingredient, which repeat after that; fewer of the large shape B. */
const BODIES = 256;
const BODIES_LARGE = 16;
const PATH = '/v1/generate';

/** A generate request as bytes on the wire. */
export function generateRequest(url: string, key: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head =
    `POST ${PATH} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Api-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** A template's id, and data for it. */
interface Source {
  readonly templateId: unknown;
  data(this: void, seed: number): unknown;
}

function sourceOf({ shape, rows }: Ingredient): Source {
  if (shape === 'sample') return sampleReceipt();
  const { template, document } = SHAPES[shape];
  const length = rows === null ? {} : { rows };
  const data = (seed: number): unknown => document(seed, { cold: false, ...length }).data;
  return { templateId: template['templateId'], data };
}

function bodiesOf(ingredient: Ingredient): string[] {
  const { shape, mode, options } = ingredient;
  const count = shape === 'B' ? BODIES_LARGE : BODIES;
  const { templateId, data } = sourceOf(ingredient);
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      templateId,
      mode,
      data: data(i + 1),
      ...(options === null ? {} : { options }),
    }),
  );
}

/** Bodies in proportion to the weights, interleaved, always in the same order. */
export function mixBodies(mix: readonly Ingredient[]): readonly string[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const lists = mix.map((ingredient) => ({ ...ingredient, bodies: bodiesOf(ingredient), due: 0 }));
  const mixed: string[] = [];
  for (let i = 0; i < BODIES; i++) {
    for (const list of lists) list.due += list.weight / total;
    const next = lists.reduce((most, list) => (list.due > most.due ? list : most));
    next.due -= 1;
    const body = next.bodies[i % next.bodies.length];
    if (body !== undefined) mixed.push(body);
  }
  return mixed;
}

/** A generate body of a stored document of three pages, for others to attach. */
export function contractBody(): string {
  const { template, document } = SHAPES.C;
  const { data } = document(1, { cold: false });
  return JSON.stringify({ templateId: template['templateId'], mode: 'async', data });
}
