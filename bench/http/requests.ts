import { SHAPES } from '../shapes/index.ts';
import type { ShapeName } from '../shapes/sheet.ts';

/** One kind of document in a load, and its share. */
export interface Ingredient {
  readonly weight: number;
  readonly shape: ShapeName;
  readonly rows: number | null;
  readonly mode: 'sync' | 'async';
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Distinct bodies an ingredient has; they repeat after that. */
const BODIES = 256;
const BODIES_LARGE = 16;
const PATH = '/v1/generate';

/** A whole generate request as it goes over the wire. */
export function generateRequest(url: string, key: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head =
    `POST ${PATH} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Api-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

function bodiesOf({ shape, rows, mode, options }: Ingredient): string[] {
  const count = shape === 'B' ? BODIES_LARGE : BODIES;
  const { template, document } = SHAPES[shape];
  const length = rows === null ? {} : { rows };
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      templateId: template['templateId'],
      mode,
      data: document(i + 1, { cold: false, ...length }).data,
      ...(options === null ? {} : { options }),
    }),
  );
}

/** Requests in the proportion of the weights, well mixed and always in the same order. */
export function mixRequests(
  mix: readonly Ingredient[],
  url: string,
  key: string,
): readonly Buffer[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const lists = mix.map((ingredient) => ({ ...ingredient, bodies: bodiesOf(ingredient), due: 0 }));
  const mixed: Buffer[] = [];
  for (let i = 0; i < BODIES; i++) {
    for (const list of lists) list.due += list.weight / total;
    const next = lists.reduce((most, list) => (list.due > most.due ? list : most));
    next.due -= 1;
    const body = next.bodies[i % next.bodies.length];
    if (body !== undefined) mixed.push(generateRequest(url, key, body));
  }
  return mixed;
}
