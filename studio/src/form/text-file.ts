import {
  EncodingFault,
  type NamedEncoding,
  type TextEncoding,
  TextToUtf8,
} from '../../../src/runtime/encoding/decoder.ts';

/** Bytes decoded before the page may react to its user again. */
const PIECE_BYTES = 1_048_576;

/** A file as UTF-8, and how it was read. */
export interface ReadFile {
  readonly text: Blob;
  readonly encoding: TextEncoding;
}

/** Where a file is not text, and in which encoding it was read. */
export interface NoText {
  readonly line: number;
  readonly byte: number;
  readonly encoding: NamedEncoding | null;
}

/** Reads a file as the service reads files: UTF-8, UTF-16 by its mark, or windows-874. */
export async function readAsUtf8(
  file: Blob,
  named: NamedEncoding | null,
): Promise<ReadFile | NoText> {
  const text = new TextToUtf8(named);
  const pieces: Blob[] = [];
  try {
    for (let at = 0; at < file.size; at += PIECE_BYTES) {
      const piece = new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
      pieces.push(new Blob([new Uint8Array(text.add(piece))]));
    }
    pieces.push(new Blob([new Uint8Array(text.end())]));
  } catch (error) {
    if (!(error instanceof EncodingFault)) throw error;
    return { ...error.place, encoding: named };
  }
  const { encoding } = text;
  return { text: encoding === 'utf-8' ? file : new Blob(pieces), encoding };
}
