/*
 * Frames between the service and its protection host, both ways over one socket pair:
 *
 *   u32 requestId | u32 noteLength | u32 bytesLength | note (UTF-8 JSON) | bytes
 */

const HEADER_BYTES = 12;
const NOTE_BYTES_MAX = 16 * 1024;

/** Largest document that goes through protection, and largest result. */
export const PROTECT_BYTES_MAX = 512 * 1024 * 1024;

/** The folder in which a process finds its own open descriptors. */
export const FD_FOLDER = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';

/** Asks for one run of qpdf. A frame without a note cancels the run of the same id. */
export interface RunNote {
  readonly qpdf: string;
  /** qpdf's job file, JSON. Holds the passwords: it must never reach a name, a log or an argument. */
  readonly job: string;
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
}

/** How a run ended. Only `exit` carries bytes. */
export type EndNote =
  | { readonly end: 'exit'; readonly code: number }
  /** The tool is not there, or may not be executed. */
  | { readonly end: 'absent' }
  /** The system had no process, memory or descriptor to spare. */
  | { readonly end: 'busy' }
  | { readonly end: 'timeout' | 'signal' | 'oversize' | 'cancelled' | 'failed' };

/** One frame as two chunks: the bytes are not copied. */
export function frame(
  requestId: number,
  note: RunNote | EndNote | null,
  bytes: Uint8Array,
): readonly [Buffer, Uint8Array] {
  const text = note === null ? '' : JSON.stringify(note);
  const noteLength = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(HEADER_BYTES + noteLength);
  head.writeUInt32LE(requestId, 0);
  head.writeUInt32LE(noteLength, 4);
  head.writeUInt32LE(bytes.byteLength, 8);
  head.write(text, HEADER_BYTES);
  return [head, bytes];
}

/** Cuts a byte stream into frames. */
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
          : Buffer.concat(this.#chunks, this.#length);
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
