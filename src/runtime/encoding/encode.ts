import type { TextEncoding } from './decoder.ts';
import { thaiToUtf8 } from './thai.ts';

const FIRST_BYTE = 0x80;
const UNKNOWN = 0x3f;

let thaiBytes: ReadonlyMap<string, number> | null = null;

/** Encodes a text that was decoded from this encoding; any other character becomes a question mark. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'windows-874': {
      thaiBytes ??= bytesOfThai();
      const bytes = thaiBytes;
      return Uint8Array.from(text, (character) => byteOf(character, bytes));
    }
  }
}

function byteOf(character: string, bytes: ReadonlyMap<string, number>): number {
  const code = character.codePointAt(0) ?? 0;
  return code < FIRST_BYTE ? code : (bytes.get(character) ?? UNKNOWN);
}

/** The byte of each character of windows-874 beyond ASCII. */
function bytesOfThai(): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (let byte = FIRST_BYTE; byte <= 0xff; byte += 1) {
    const utf8 = thaiToUtf8(Uint8Array.of(byte));
    // A number: the byte stands for nothing.
    if (typeof utf8 !== 'number') bytes.set(Buffer.from(utf8).toString(), byte);
  }
  return bytes;
}
