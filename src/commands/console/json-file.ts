import type { NamedEncoding, TextEncoding } from '../../runtime/encoding/decoder.ts';
import { CommandFailed } from './failure.ts';
import { asUtf8 } from './text-file.ts';
import { readInput } from '../engine.ts';

/** A JSON file: its text as UTF-8, which keeps the digits of numbers, and its value. */
export interface JsonFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly value: unknown;
  readonly encoding: TextEncoding;
}

/** U+FEFF in UTF-8, which some editors write and JSON does not allow (RFC 8259 §8.1). */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a JSON file; throws `CommandFailed` when it is no text, no JSON or too large. */
export function readJsonFile(
  path: string,
  bytesMax: number,
  named: NamedEncoding | null,
): JsonFile {
  const { bytes: text, encoding } = asUtf8(readInput(path, bytesMax), path, named);
  const { length } = BYTE_ORDER_MARK;
  const isMarked = BYTE_ORDER_MARK.equals(text.subarray(0, length));
  // A copy, whose buffer can be transferred to a thread.
  const bytes = new Uint8Array(isMarked ? text.subarray(length) : text);
  try {
    return { bytes, value: JSON.parse(new TextDecoder().decode(bytes)), encoding };
  } catch (error) {
    if (error instanceof SyntaxError) {
      const isEmpty = bytes.every((byte) => byte <= 0x20);
      throw new CommandFailed(isEmpty ? `${path} is empty` : `${path} is not valid JSON`);
    }
    throw error;
  }
}
