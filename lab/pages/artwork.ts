import sharp from 'sharp';

/** Draws the pictures of the sample templates: the mark of an invented bank, and signatures. */

const NAVY = '#12305c';
const GOLD = '#c9a44c';

/** A closed guilloche line: a circle of `radius` with `waves` waves of the height `swing`. */
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

/** Colours from the ground to the lines' gold and the gem's white; 16 with the ground: 4 bits. */
const GOLD_STEPS = 11;
const WHITE_STEPS = 4;
/** Levels of alpha at the rim besides 0: 16 levels fit into 4 bits. */
const ALPHA_STEPS = 15;
const SIDE_PX = 240;

type Color = readonly [red: number, green: number, blue: number];

function parseColor(hex: string): Color {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** Colours from `from`, exclusive, to `to`. */
function ramp(from: Color, to: Color, steps: number): Color[] {
  return Array.from({ length: steps }, (_, index) => {
    const share = (index + 1) / steps;
    const [red, green, blue] = from.map((value, i) => {
      return Math.round(value + ((to[i] ?? 0) - value) * share);
    });
    return [red ?? 0, green ?? 0, blue ?? 0];
  });
}

/** Gives each pixel the nearest colour of the two ramps; transparent pixels get the ground. */
function snapColors(pixels: Buffer): void {
  const ground = parseColor(NAVY);
  const colors = [
    ground,
    ...ramp(ground, parseColor(GOLD), GOLD_STEPS),
    ...ramp(ground, [255, 255, 255], WHITE_STEPS),
  ];
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
    const distance = ([r, g, b]: Color): number =>
      (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    const nearest = colors.reduce((best, color) =>
      distance(color) < distance(best) ? color : best,
    );
    // Only the rim is transparent, and it has the colour of the ground.
    pixels.set(alpha < 255 ? ground : nearest, at);
    const step = 255 / ALPHA_STEPS;
    pixels[at + 3] = Math.round(alpha / step) * step;
  }
}

/**
 * The mark as a PNG with alpha and few colours: at 320 pixels an inch its edges look as smooth as
 * with hundreds of nearly equal colours, which would take six times the bytes in every document.
 */
export async function markPng(): Promise<Buffer> {
  const { data } = await sharp(Buffer.from(markSvg()), { density: 72 })
    .resize(SIDE_PX, SIDE_PX)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  snapColors(data);
  const raw = { width: SIDE_PX, height: SIDE_PX, channels: 4 } as const;
  return sharp(data, { raw }).png({ compressionLevel: 9, adaptiveFiltering: false }).toBuffer();
}

/** The path of a pen that moves up and down; each `seed` gives another signature. */
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
