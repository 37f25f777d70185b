import type { NamedEncoding, TextEncoding } from '../../../runtime/encoding/decoder.ts';
import { CommandFailed } from '../failure.ts';
import { notJson } from './json-fault.ts';
import { asUtf8 } from './text-file.ts';
import { readInput } from '../../engine.ts';

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
  return { bytes, value: demandJson(bytes, path), encoding };
}

/**
 * The value of a JSON text. Throws `CommandFailed` with place and cause if the text is not JSON.
 */
export function demandJson(bytes: Uint8Array, path: string): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandFailed(notJson(path, text));
    throw error;
  }
}
