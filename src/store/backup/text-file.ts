import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { StorageUnavailable } from '../terms.ts';
import type { BackupFolder } from './folder.ts';

/** Text is written in pieces of about this length. */
const PIECE_LENGTH = 65_536;
const READ_BYTES = 262_144;
/** No row is longer: a template has 8 MB at most, and a third is added in base64. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;
const LINE_FEED = 10;

/** A text file of a backup that is being written, and its SHA-256. */
export class TextFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #text = '';

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates a file, which must not exist. */
  static async create(path: string): Promise<TextFile> {
    return new TextFile(await open(path, 'wx', 0o600));
  }

  /** One call at a time. */
  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) await this.#flush();
  }

  /** Waits until the file is durable; returns its SHA-256 in lowercase hex. */
  async end(): Promise<string> {
    await this.#flush();
    await this.#file.sync();
    return this.#hash.digest('hex');
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #flush(): Promise<void> {
    this.#hash.update(this.#text);
    await this.#file.writeFile(this.#text);
    this.#text = '';
  }
}

/**
 * Yields the lines of a text file in order, some at a time. Throws StorageUnavailable when the file
 * differs from the one that was written; a wrong digest shows only after the last line.
 */
export async function* linesOf(
  folder: BackupFolder,
  name: string,
  sha256: string,
): AsyncGenerator<readonly string[]> {
  const hash = createHash('sha256');
  const file = await folder.open(name);
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    for (;;) {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      const lines: string[] = [];
      let from = 0;
      for (let to = piece.indexOf(LINE_FEED); to >= 0; to = piece.indexOf(LINE_FEED, from)) {
        const end = piece.subarray(from, to);
        lines.push((rest.length === 0 ? end : Buffer.concat([...rest, end])).toString('utf8'));
        rest = [];
        restBytes = 0;
        from = to + 1;
      }
      if (from < bytesRead) rest.push(piece.subarray(from));
      restBytes += bytesRead - from;
      if (restBytes > LINE_BYTES_MAX) throw changed(folder, name);
      if (lines.length > 0) yield lines;
    }
    // Each line ends with a line feed.
    if (restBytes > 0 || hash.digest('hex') !== sha256) throw changed(folder, name);
  } finally {
    await file.close();
  }
}

/** Throws StorageUnavailable unless the file has this SHA-256. */
export async function demandDigest(
  folder: BackupFolder,
  name: string,
  sha256: string,
): Promise<void> {
  const hash = createHash('sha256');
  const file = await folder.open(name);
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== sha256) throw changed(folder, name);
}

export function changed(folder: BackupFolder, name: string): StorageUnavailable {
  return new StorageUnavailable(`the backup is damaged: ${folder.pathOf(name)} was changed or cut`);
}
