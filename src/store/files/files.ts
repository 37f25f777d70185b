import type { StoredFile } from '../store.ts';

/** What lies in a file store, as the sweep sees it. */
export interface FileEntry {
  /** The document's id; of a temporary file, the one it was to become, or ''. */
  readonly documentId: string;
  /** Where it lies: below the folder, or the prefix, of all files. */
  readonly name: string;
  readonly temporary: boolean;
}

/** Whole PDF files by document id. Everything that resolves is durable. */
export interface FileStore {
  /** Takes the bytes over: their memory may be given back. */
  put(documentId: string, pdf: Uint8Array): Promise<void>;
  /** Throws `FileMissing` when there is none. */
  open(documentId: string): Promise<StoredFile>;
  /** Gone for good when it resolves; nothing happens when there is none. */
  remove(documentId: string): Promise<void>;
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
