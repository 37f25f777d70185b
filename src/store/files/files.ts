import type { StoredFile } from '../store.ts';

/** `document`: a PDF. `run`: rows of a run, or a pack of its PDFs. */
export type FileKind = 'document' | 'run';

/** The file name extension of each kind. */
export const EXTENSIONS = { document: '.pdf', run: '.run' } as const;

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
  /** Where it lies: below the folder, or the prefix, of all files. */
  readonly name: string;
  readonly temporary: boolean;
}

/** Whole files by id: that of a document unless `kind` says otherwise. All that resolves is durable. */
export interface FileStore {
  /** Takes ownership of the bytes and may free them. A list is written piece by piece. */
  put(id: string, bytes: Uint8Array | readonly Uint8Array[], kind?: FileKind): Promise<void>;
  /** Throws `FileMissing` when the file is absent. Reading begins at `position`. */
  open(id: string, kind?: FileKind, position?: number): Promise<StoredFile>;
  /** Gone for good when it resolves; nothing happens when there is none. */
  remove(id: string, kind?: FileKind): Promise<void>;
  removeEntry(entry: FileEntry): Promise<void>;
  /** ms since the epoch; null when the file is gone by now. */
  modifiedAtMs(entry: FileEntry): Promise<number | null>;
  /**
   * Everything there, in batches of bounded size; what it does not know it leaves out. Folders that
   * stand empty are removed on the way.
   */
  list(): AsyncIterable<readonly FileEntry[]>;
  /** Throws StorageUnavailable when a file cannot be written now. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
