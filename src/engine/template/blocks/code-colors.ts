import type { Rgb } from '../../model/style.ts';
import type { Context } from '../context.ts';

/**
 * Least difference between the reflectance of modules and background: grade C of the symbol contrast
 * (ISO/IEC 15415 §7.8.2, and ISO/IEC 15416 for bars). Readers miss codes below it.
 */
const CONTRAST_MIN = 0.4;

interface ColoredCode {
  readonly path: string;
  readonly foreground: Rgb;
  /** null: the paper. */
  readonly background: Rgb | null;
}

/** Warns of the colours of a QR code or barcode that many readers cannot read. */
export function reportCodeColors(
  { path, foreground, background }: ColoredCode,
  { findings }: Context,
): void {
  const contrast =
    (background === null ? 1 : reflectanceOf(background)) - reflectanceOf(foreground);
  if (contrast >= CONTRAST_MIN) return;
  if (contrast < 0) {
    findings.warning(
      path,
      '"foreground" is lighter than "background": many readers cannot read such a code. Make ' +
        '"foreground" dark and "background" light.',
    );
    return;
  }
  const percent = Math.floor(contrast * 100);
  findings.warning(
    path,
    `The contrast of "foreground" and "background" is ${percent} %: many readers need ` +
      `${CONTRAST_MIN * 100} %. Make "foreground" darker, or "background" lighter.`,
  );
}

/** The share of light that a colour of sRGB reflects, as its luminance. */
function reflectanceOf(color: Rgb): number {
  const linear = (shift: number): number => {
    const part = ((color >> shift) & 255) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}
