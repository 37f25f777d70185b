import { Option } from 'commander';
import { createReadStream, statSync } from 'node:fs';
import {
  EncodingFault,
  NAMED_ENCODINGS,
  type NamedEncoding,
  type TextEncoding,
  TextToUtf8,
  textToUtf8,
} from '../../../runtime/encoding/decoder.ts';
import { CommandFailed, unreadable } from '../failure.ts';

/** Bytes that one read of a file returns at most. */
const PIECE_BYTES = 262_144;

/** The option that names the encoding of a file. */
export function encodingOption(): Option {
  return new Option('--encoding <name>', 'default: recognised, see below').choices(NAMED_ENCODINGS);
}

export const ENCODING_HELP = `
Files of data are UTF-8, UTF-16 with a byte order mark, or windows-874 (the Thai encoding of Windows
and of Excel's plain CSV), which is recognised by its spelling or named by --encoding. Anything else
ends the command before the first document, with line and byte.`;

/**
 * Throws `CommandFailed` for a source that can be read only once, such as `/dev/stdin` and `<(…)`,
 * because a second reading would find nothing.
 */
export function demandRepeatable(path: string): void {
  let found;
  try {
    found = statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (found.isFile() || found.isDirectory()) return;
  throw new CommandFailed(
    `${path} is a pipe or a device, and this command reads its input twice: save it to a file first`,
  );
}

/** Told what is learned while a file is read. */
interface ReadingWatch {
  /** Bytes of the file that were read so far. */
  readonly progress?: (bytes: number) => void;
  /** How the text was read, at the end. */
  readonly encoding?: (encoding: TextEncoding) => void;
}

/**
 * Reads a file as UTF-8, piece by piece. Throws `CommandFailed` with the place of the first byte that
 * is no text.
 */
export async function* utf8Pieces(
  path: string,
  named: NamedEncoding | null,
  watch: ReadingWatch = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const text = new TextToUtf8(named);
  const input = createReadStream(path, { highWaterMark: PIECE_BYTES });
  try {
    // Without an encoding, the stream yields buffers.
    for await (const piece of input) {
      watch.progress?.(input.bytesRead);
      yield text.add(piece as Buffer);
    }
    yield text.end();
    watch.encoding?.(text.encoding);
  } catch (error) {
    throw asFailure(error, path, named);
  } finally {
    input.destroy();
  }
}

/** Reads a whole file to find its encoding; throws `CommandFailed` when it is no text. */
export async function surveyEncoding(
  path: string,
  named: NamedEncoding | null,
): Promise<TextEncoding> {
  let encoding: TextEncoding = 'utf-8';
  const pieces = utf8Pieces(path, named, { encoding: (read) => void (encoding = read) });
  try {
    // The pieces themselves are not needed.
    for await (const piece of pieces) void piece;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(path, error) : error;
  }
  return encoding;
}

/** The bytes of a whole file as UTF-8, and its encoding. */
export function asUtf8(
  bytes: Uint8Array,
  path: string,
  named: NamedEncoding | null,
): ReturnType<typeof textToUtf8> {
  try {
    return textToUtf8(bytes, named);
  } catch (error) {
    throw asFailure(error, path, named);
  }
}

/** What a summary says about an encoding; '' for UTF-8, which needs no word. */
export function readAs(encoding: TextEncoding): string {
  return encoding === 'utf-8' ? '' : `; read as ${encoding}`;
}

function asFailure(error: unknown, path: string, named: NamedEncoding | null): unknown {
  if (!(error instanceof EncodingFault)) return error;
  const remedy =
    named === null
      ? ': save the file as UTF-8, or say --encoding windows-874 if it is Thai of Windows'
      : ': save the file as UTF-8';
  return new CommandFailed(`${path}: ${error.message}${remedy}`);
}
