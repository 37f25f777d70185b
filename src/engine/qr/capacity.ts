import {
  countBits,
  dataCodewordCount,
  type EccLevel,
  MODE_INDICATOR_BITS,
  payloadBits,
  type QrMode,
  VERSION_MAX,
} from './tables.ts';

/** How a template encodes a field: the text around it, and what the node prescribes. */
export interface QrUse {
  readonly eccLevel: EccLevel;
  /** A fixed version 1 to 40, or null: as large as needed. */
  readonly version: number | null;
  readonly mode: QrMode | null;
  readonly before: string;
  readonly after: string;
}

const ALPHANUMERIC = /^[0-9A-Z $%*+\-./:]*$/;

/**
 * Whether a value fits the code that the template draws, as one segment; this is found without
 * encoding it. If the template demands alphanumeric mode, lowercase letters become capitals.
 */
export function fitsQrCode(value: string, use: QrUse): boolean {
  const whole = use.before + value + use.after;
  const text = use.mode === 'alphanumeric' ? whole.toUpperCase() : whole;
  const narrowest = modeOf(text);
  const mode = use.mode ?? narrowest;
  if (mode === 'numeric' && narrowest !== 'numeric') return false;
  if (mode === 'alphanumeric' && narrowest === 'octet') return false;

  const version = use.version ?? VERSION_MAX;
  const count = mode === 'octet' ? Buffer.byteLength(text, 'utf8') : text.length;
  const bits = MODE_INDICATOR_BITS + countBits(version, mode) + payloadBits(mode, count);
  return bits <= dataCodewordCount(version, use.eccLevel) * 8;
}

/** The narrowest mode that can hold the text (ISO/IEC 18004 §7.4). */
function modeOf(text: string): QrMode {
  if (/^\d*$/.test(text)) return 'numeric';
  return ALPHANUMERIC.test(text) ? 'alphanumeric' : 'octet';
}
