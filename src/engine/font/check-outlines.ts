import { glyphBytes, GLYPH_HEADER_BYTES, isComposite, viewOf, walkComponents } from './outlines.ts';
import { FontFormatError, type FontTables } from './sfnt.ts';

/** Nested components that a glyph may have; real fonts have two or three. */
const COMPONENT_DEPTH_MAX = 8;
/** Components of a glyph with those of its components; real fonts have some tens. */
const COMPONENTS_MAX = 256;

/** Flags of a point of a simple glyph (OpenType 1.9, table `glyf`). */
const X_SHORT = 0x02;
const Y_SHORT = 0x04;
const REPEATED = 0x08;
const X_SAME = 0x10;
const Y_SAME = 0x20;

/**
 * Walks the outlines of all glyphs as the subsetter and readers of the PDF do. Throws
 * `FontFormatError` when one of them leaves its bytes or names a glyph that is not there. Takes time
 * linear in the size of the font: about 10 ms per MB.
 */
export function checkOutlines(font: FontTables): void {
  const composites = new Map<number, readonly number[]>();
  for (let glyph = 0; glyph < font.glyphCount; glyph++) {
    const bytes = glyphBytes(font, glyph);
    if (bytes.length < GLYPH_HEADER_BYTES) continue;
    try {
      if (isComposite(bytes)) composites.set(glyph, componentsOf(font, bytes));
      else checkSimple(bytes);
    } catch (error) {
      if (error instanceof RangeError) throw fault(glyph, 'ends before its outline does');
      if (error instanceof OutlineFault) throw fault(glyph, error.message);
      throw error;
    }
  }
  checkNesting(composites);
}

class OutlineFault extends Error {
  override readonly name = 'OutlineFault';
}

function fault(glyph: number, what: string): FontFormatError {
  return new FontFormatError(`the outline of glyph ${glyph} ${what}`);
}

function componentsOf(font: FontTables, bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  const components: number[] = [];
  const end = walkComponents(bytes, (at) => {
    const component = view.getUint16(at + 2);
    if (component >= font.glyphCount) {
      throw new OutlineFault(`uses glyph ${component}, which the font does not have`);
    }
    components.push(component);
  });
  if (end > bytes.length) throw new OutlineFault('ends before its components do');
  return components;
}

function checkSimple(bytes: Uint8Array): void {
  const view = viewOf(bytes);
  const contours = view.getInt16(0);
  if (contours === 0) return;
  let points = 0;
  let at = GLYPH_HEADER_BYTES;
  for (let contour = 0; contour < contours; contour++, at += 2) {
    const end = view.getUint16(at) + 1;
    if (end < points) throw new OutlineFault('has contours that run backwards');
    points = end;
  }
  at += 2 + view.getUint16(at);
  let coordinateBytes = 0;
  for (let point = 0; point < points;) {
    const flags = view.getUint8(at++);
    const times = 1 + ((flags & REPEATED) === 0 ? 0 : view.getUint8(at++));
    point += times;
    if (point > points) throw new OutlineFault('has more flags than points');
    coordinateBytes +=
      times * (axisBytes(flags, X_SHORT, X_SAME) + axisBytes(flags, Y_SHORT, Y_SAME));
  }
  if (at + coordinateBytes > bytes.length) throw new OutlineFault('ends before its points do');
}

/** Bytes of one coordinate: one if short, none if it is that of the point before. */
function axisBytes(flags: number, short: number, same: number): number {
  if ((flags & short) !== 0) return 1;
  return (flags & same) === 0 ? 2 : 0;
}

/** Refuses composites that contain themselves, or that are so nested that drawing one takes long. */
function checkNesting(composites: ReadonlyMap<number, readonly number[]>): void {
  const totals = new Map<number, number>();
  const total = (glyph: number, depth: number): number => {
    const components = composites.get(glyph);
    if (components === undefined) return 1;
    if (depth >= COMPONENT_DEPTH_MAX) throw fault(glyph, 'is nested too deep, or in itself');
    const known = totals.get(glyph);
    if (known !== undefined) return known;
    let sum = 1;
    for (const component of components) sum += total(component, depth + 1);
    if (sum > COMPONENTS_MAX) throw fault(glyph, `has more than ${COMPONENTS_MAX} components`);
    totals.set(glyph, sum);
    return sum;
  };
  for (const glyph of composites.keys()) total(glyph, 0);
}
