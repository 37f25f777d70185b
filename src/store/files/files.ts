import { isUuid } from '../ids.ts';
import type { StoredFile } from '../terms.ts';

/** `document`: a PDF. `run`: rows of a run, or a pack of its PDFs. */
export type FileKind = 'document' | 'run';

/** The file name extension of each kind. */
const EXTENSIONS = { document: '.pdf', run: '.run' } as const;

/**
 * The name of a file. Throws RangeError for anything but an id: a row that was changed from outside
 * must not lead to a file elsewhere.
 */
export function storedName(id: string, kind: FileKind): string {
  if (!isUuid(id)) throw new RangeError('the id of a stored file is not a UUID');
  return `${id}${EXTENSIONS[kind]}`;
}

/** Parses kind and id from a file name; null: the store did not write this file. */
export function readFileName(name: string): { kind: FileKind; id: string } | null {
  const kind = name.endsWith(EXTENSIONS.run) ? 'run' : 'document';
  if (!name.endsWith(EXTENSIONS[kind])) return null;
  return { kind, id: name.slice(0, -EXTENSIONS[kind].length) };
}

/** An entry of a file store, as the sweep sees it. */
export interface FileEntry {
  /** The id of a document or of a file of a run; for a temporary file, its final id, or ''. */
  readonly documentId: string;
  readonly kind: FileKind;
  /** Its path below the store's folder or prefix. */
  readonly name: string;
  readonly temporary: boolean;
}

/**
 * Stores whole files by id, of kind `document` by default. A change is durable when its promise
 * resolves.
 */
export interface FileStore {
  /** Takes ownership of the bytes and may free them. A list is written piece by piece. */
  put(id: string, bytes: Uint8Array | readonly Uint8Array[], kind?: FileKind): Promise<void>;
  /**
   * Throws `FileMissing` when the file does not exist. `position` is where the first read is expected
   * to begin, so that a remote store can fetch those bytes at once.
   */
  open(id: string, kind?: FileKind, position?: number): Promise<StoredFile>;
  /** Removes a file durably; does nothing when it does not exist. */
  remove(id: string, kind?: FileKind): Promise<void>;
  removeEntry(entry: FileEntry): Promise<void>;
  /** ms since the epoch; null when the file no longer exists. */
  modifiedAtMs(entry: FileEntry): Promise<number | null>;
  /** Lists the files that the store wrote, in batches; removes empty folders on the way. */
  list(): AsyncIterable<readonly FileEntry[]>;
  /** Writes a small file beside the documents, in one step; `list` does not show it. */
  writeNote(name: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is no such file. */
  readNote(name: string): Promise<Buffer | null>;
  /** Throws StorageUnavailable when a file cannot be written now. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Number and size of the files that have a row, as their rows say, by kind. */
export type StoredFiles = Readonly<
  Record<FileKind, { readonly files: number; readonly bytes: number }>
>;
