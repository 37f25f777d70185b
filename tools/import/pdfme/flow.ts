import type { Frame, Sides } from './schema-reader.ts';
import { round } from './schema-reader.ts';

/** The nodes of one schema, and where it stands in the template. */
export interface PlacedSchema {
  readonly frame: Frame;
  /** Nodes with absolute positions; if `grows`, a single node without a position. */
  readonly nodes: readonly object[];
  readonly grows: boolean;
}

/**
 * The content of a page with schemas that grow. Schemas that begin above the first growing one keep
 * their positions. The others flow in bands of schemas that stand side by side, because pdfme pushes
 * down everything that begins below a growing schema.
 */
export function flowContent(schemas: readonly PlacedSchema[], padding: Sides): readonly object[] {
  const ordered = schemas.toSorted((one, other) => one.frame.y - other.frame.y);
  const firstGrowing = ordered.findIndex(({ grows }) => grows);
  const above = new Set(firstGrowing < 0 ? ordered : ordered.slice(0, firstGrowing));
  // Schemas that do not move are painted in pdfme's order.
  const content: object[] = schemas.filter((one) => above.has(one)).flatMap(({ nodes }) => nodes);
  let bottom = padding.top;
  for (const band of bandsOf(ordered.filter((one) => !above.has(one)))) {
    const top = Math.min(...band.map(({ frame }) => frame.y));
    content.push(bandNode(band, top, round(top - bottom), padding.left));
    bottom = Math.max(...band.map(({ frame }) => frame.y + frame.height));
  }
  return content;
}

/** Groups schemas that overlap vertically; a growing schema forms a band by itself. */
function bandsOf(ordered: readonly PlacedSchema[]): readonly (readonly PlacedSchema[])[] {
  const bands: PlacedSchema[][] = [];
  let end = 0;
  for (const schema of ordered) {
    const band = bands.at(-1);
    const bottom = schema.frame.y + schema.frame.height;
    if (band !== undefined && !schema.grows && band[0]?.grows === false && schema.frame.y < end) {
      band.push(schema);
      end = Math.max(end, bottom);
    } else {
      bands.push([schema]);
      end = bottom;
    }
  }
  return bands;
}

function bandNode(band: readonly PlacedSchema[], top: number, gap: number, left: number): object {
  const [first] = band;
  if (first !== undefined && first.grows) {
    const [node = {}] = first.nodes;
    return { ...node, margin: [round(first.frame.x - left), gap, 0, 0] };
  }
  const height = Math.max(...band.map(({ frame }) => frame.y + frame.height)) - top;
  // Positioned nodes take no space, so a rectangle without width reserves the height.
  const room = { canvas: [{ type: 'rect', x: 0, y: 0, w: 0, h: round(height), color: '#ffffff' }] };
  const nodes = band.flatMap(({ nodes: own }) => own.map((node) => inBand(node, left, top)));
  return { stack: [...nodes, room], unbreakable: true, margin: [0, gap, 0, 0] };
}

function inBand(node: object, left: number, top: number): object {
  if (!('absolutePosition' in node)) return node;
  // This importer wrote the node, with a position of two numbers.
  const { absolutePosition, ...rest } = node as { absolutePosition: { x: number; y: number } };
  const { x, y } = absolutePosition;
  return { relativePosition: { x: round(x - left), y: round(y - top) }, ...rest };
}
