/*
 * Frames between the service and its protection host, both ways over one socket pair:
 *
 *   u32 requestId | u32 noteLength | u32 bytesLength | note (UTF-8 JSON) | bytes
 *
 * Passwords travel in the bytes, before the document: bytes can be overwritten after use, but
 * JavaScript strings cannot.
 */
import type { Protection } from '#engine';

const HEADER_BYTES = 12;
const NOTE_BYTES_MAX = 16 * 1024;

/** Largest document that goes through protection, and largest result. */
export const PROTECT_BYTES_MAX = 512 * 1024 * 1024;

/** The folder in which a process finds its own open descriptors. */
export const FD_FOLDER = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';

/**
 * Asks for one document to be protected: the bytes are the user password, the owner password (both
 * UTF-8) and the document. A frame without a note cancels the run of the same id.
 */
export interface RunNote {
  /** The qpdf program, which runs if `library` is null or cannot be used. */
  readonly qpdf: string;
  /** File name of qpdf's shared library, for the dynamic linker; null if the program must run. */
  readonly library: string | null;
  readonly passwordBytes: { readonly user: number; readonly owner: number };
  readonly permissions: Protection['permissions'];
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
}

/**
 * A document and its passwords, in UTF-8. All are bytes, which the caller may overwrite after use.
 */
export interface OpenDocument {
  readonly pdf: Uint8Array;
  readonly userPassword: Uint8Array;
  readonly ownerPassword: Uint8Array;
  readonly permissions: Protection['permissions'];
}

/** Splits the bytes of a frame into passwords and document. */
export function documentOf(
  { passwordBytes, permissions }: RunNote,
  bytes: Uint8Array,
): OpenDocument {
  const { user, owner } = passwordBytes;
  return {
    userPassword: bytes.subarray(0, user),
    ownerPassword: bytes.subarray(user, user + owner),
    pdf: bytes.subarray(user + owner),
    permissions,
  };
}

/** How a run ended. Only `exit` carries bytes; its code is that of the program, 0 of the library. */
export type EndNote =
  | { readonly end: 'exit'; readonly code: number }
  /** The tool is not there, or may not be executed. */
  | { readonly end: 'absent' }
  /** The system had no process, memory or descriptor to spare. */
  | { readonly end: 'busy' }
  | { readonly end: 'timeout' | 'signal' | 'oversize' | 'cancelled' | 'failed' };

/** The chunks of a frame: the bytes, which may come in several parts, are not copied. */
export function frame(
  requestId: number,
  note: RunNote | EndNote | null,
  ...parts: readonly Uint8Array[]
): readonly Uint8Array[] {
  const text = note === null ? '' : JSON.stringify(note);
  const noteLength = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(HEADER_BYTES + noteLength);
  head.writeUInt32LE(requestId, 0);
  head.writeUInt32LE(noteLength, 4);
  const bytesLength = parts.reduce((sum, part) => sum + part.byteLength, 0);
  head.writeUInt32LE(bytesLength, 8);
  head.write(text, HEADER_BYTES);
  return [head, ...parts.filter((part) => part.byteLength > 0)];
}

/**
 * Splits a byte stream into frames. Overwrites chunks after joining them, because they hold
 * passwords.
 */
export class FrameReader {
  readonly #onFrame: (requestId: number, note: unknown, bytes: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes of the frame at the front, or of its header while that is incomplete. */
  #needed = HEADER_BYTES;

  constructor(onFrame: (requestId: number, note: unknown, bytes: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** False when a frame breaks the bounds: nothing after it can be trusted. */
  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#needed) {
      const [first] = this.#chunks;
      const received =
        first !== undefined && this.#chunks.length === 1
          ? first
          : joined(this.#chunks, this.#length);
      const requestId = received.readUInt32LE(0);
      const noteLength = received.readUInt32LE(4);
      const bytesLength = received.readUInt32LE(8);
      if (noteLength > NOTE_BYTES_MAX || bytesLength > PROTECT_BYTES_MAX) return false;
      const bytesStart = HEADER_BYTES + noteLength;
      const frameEnd = bytesStart + bytesLength;
      this.#chunks = [received];
      this.#needed = frameEnd;
      if (received.length < frameEnd) return true;
      const noteText = received.toString('utf8', HEADER_BYTES, bytesStart);
      const note: unknown = noteText === '' ? null : JSON.parse(noteText);
      this.#chunks = received.length === frameEnd ? [] : [received.subarray(frameEnd)];
      this.#length = received.length - frameEnd;
      this.#needed = HEADER_BYTES;
      this.#onFrame(requestId, note, received.subarray(bytesStart, frameEnd));
    }
    return true;
  }
}

function joined(chunks: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.concat(chunks, length);
  for (const chunk of chunks) chunk.fill(0);
  return whole;
}
