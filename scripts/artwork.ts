import sharp from 'sharp';

/**
 * The pictures of the sample templates, drawn from formulas: the mark of a bank that does not exist,
 * and signatures that nobody writes.
 */

const NAVY = '#12305c';
const GOLD = '#c9a44c';

/** A closed guilloche line: a circle of `radius` that swings `waves` times by `swing`. */
function guilloche(radius: number, swing: number, waves: number, phase: number): string {
  const steps = 360;
  const points: string[] = [];
  for (let step = 0; step <= steps; step += 1) {
    const angle = (step / steps) * 2 * Math.PI;
    const r = radius + swing * Math.sin(waves * angle + phase);
    const x = 120 + r * Math.cos(angle);
    const y = 120 + r * Math.sin(angle);
    points.push(`${x.toFixed(2)},${y.toFixed(2)}`);
  }
  return `M${points.join('L')}Z`;
}

/** The mark as SVG: an engraver's rosette around a cut gem. */
export function markSvg(): string {
  const lines = Array.from({ length: 6 }, (_, index) => {
    const d = guilloche(78, 22, 9, (index * Math.PI) / 3);
    return `<path d="${d}" fill="none" stroke="${GOLD}" stroke-width="1.6"/>`;
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" width="240" height="240">',
    `<circle cx="120" cy="120" r="118" fill="${NAVY}"/>`,
    `<circle cx="120" cy="120" r="110" fill="none" stroke="${GOLD}" stroke-width="2.5"/>`,
    ...lines,
    `<circle cx="120" cy="120" r="50" fill="${NAVY}"/>`,
    '<path d="M120 76 L158 108 L120 166 L82 108 Z" fill="#ffffff"/>',
    `<path d="M82 108 H158 M120 76 L104 108 L120 166 L136 108 Z" fill="none" stroke="${NAVY}" stroke-width="3.5" stroke-linejoin="round"/>`,
    '</svg>',
  ].join('');
}

/** The mark as a small PNG with alpha. */
export async function markPng(): Promise<Buffer> {
  return sharp(Buffer.from(markSvg()), { density: 72 })
    .resize(240, 240)
    .png({ palette: true, colours: 32, compressionLevel: 9 })
    .toBuffer();
}

/** A pen line made of swings; `seed` makes each hand its own. */
function signaturePath(seed: number): string {
  let x = 14;
  let y = 62;
  let d = `M${x} ${y}`;
  for (let index = 0; index < 9; index += 1) {
    const a = Math.sin(seed * 12.9898 + index * 78.233);
    const b = Math.cos(seed * 4.1414 + index * 37.719);
    const width = 16 + 12 * Math.abs(a);
    const height = (index % 2 === 0 ? -1 : 1) * (16 + 26 * Math.abs(b)) * (1 - index / 14);
    const nextY = 60 + 6 * a;
    d += ` C${(x + width * 0.2).toFixed(1)} ${(y + height).toFixed(1)},`;
    d += `${(x + width * 1.1).toFixed(1)} ${(nextY + height * 0.7).toFixed(1)},`;
    d += `${(x + width).toFixed(1)} ${nextY.toFixed(1)}`;
    x += width;
    y = nextY;
  }
  d += ` C${(x + 8).toFixed(1)} ${(y - 26).toFixed(1)},${(x - 90).toFixed(1)} 88,`;
  d += `${(x + 24).toFixed(1)} ${(y + 10).toFixed(1)}`;
  return d;
}

export function signatureSvg(seed: number): string {
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 100">' +
    `<path d="${signaturePath(seed)}" fill="none" stroke="#1b2f8a" stroke-width="2.6" ` +
    'stroke-linecap="round" stroke-linejoin="round"/></svg>'
  );
}

export async function signaturePng(seed: number): Promise<Buffer> {
  return sharp(Buffer.from(signatureSvg(seed)), { density: 144 })
    .resize(520, 200)
    .png({ palette: true, colours: 16, compressionLevel: 9 })
    .toBuffer();
}

export function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}
