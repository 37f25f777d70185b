import { LIMITS } from '../../limits.ts';

/** Why a text cannot be encoded. */
export type EncodeFault = 'characters' | 'digits' | 'ean13' | 'length';

/** Rules of a symbology from its standard: which texts it encodes, and its quiet zone. */
interface SymbologyRules {
  /** Its name in bwip-js. */
  readonly encoder: string;
  /** Quiet zone on each side, in modules: the wider one that the standard demands. */
  readonly quietModules: number;
  /** Checks what can be checked without encoding. */
  readonly faultOf: (text: string) => EncodeFault | null;
}

/** Symbologies that a library encodes; QR codes have their encoder in `qr/`. */
export const SYMBOLOGIES = {
  code128: {
    encoder: 'code128',
    quietModules: 10,
    faultOf: (text) => barsFault(text, /^[\r -~]*$/, 'characters'),
  },
  ean13: {
    encoder: 'ean13',
    quietModules: 11,
    faultOf: (text) => (isEan13(text) ? null : 'ean13'),
  },
  itf: {
    encoder: 'interleaved2of5',
    quietModules: 10,
    faultOf: (text) => barsFault(text, /^(?:\d\d)+$/, 'digits'),
  },
  datamatrix: { encoder: 'datamatrix', quietModules: 1, faultOf: matrixFault },
  pdf417: { encoder: 'pdf417', quietModules: 2, faultOf: matrixFault },
} as const satisfies Readonly<Record<string, SymbologyRules>>;

export type Symbology = keyof typeof SYMBOLOGIES;

// The keys of an object literal are those of its type.
export const SYMBOLOGY_NAMES = Object.keys(SYMBOLOGIES) as readonly Symbology[];

export function isSymbology(kind: string): kind is Symbology {
  return Object.hasOwn(SYMBOLOGIES, kind);
}

/** Bars hold one line of text, which readers scan in one go. */
function barsFault(text: string, holds: RegExp, fault: EncodeFault): EncodeFault | null {
  if (text.length > LIMITS.barCharactersMax) return 'length';
  return holds.test(text) ? null : fault;
}

function matrixFault(text: string): EncodeFault | null {
  return Buffer.byteLength(text) > LIMITS.matrixBytesMax ? 'length' : null;
}

/** Twelve digits, or thirteen of which the last is the check digit (GS1 General Specifications). */
function isEan13(text: string): boolean {
  if (/^\d{12}$/.test(text)) return true;
  if (!/^\d{13}$/.test(text)) return false;
  let sum = 0;
  for (let index = 0; index < 13; index++) sum += Number(text[index]) * (index % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}
