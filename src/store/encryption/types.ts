/** How many stored files have their key wrapped by a key; '': files that are not encrypted. */
export interface KeyUse {
  readonly keyId: string;
  readonly files: number;
}

/** The result of wrapping the keys of all files anew. */
export interface RewrapResult {
  readonly rewrapped: number;
  /** Files whose key is wrapped by a key that is not there: they were left as they are. */
  readonly unreadable: readonly KeyUse[];
  /** Keys that no file needs any more. */
  readonly forgotten: readonly string[];
}

/** The keys of stored files, for the operator. Ids of keys are 16 hexadecimal digits. */
export interface FileKeys {
  /** Ids of the keys that are there; the first encrypts new files. */
  listed(): readonly string[];
  /** Ids of keys that files were encrypted under and that are not there. */
  missing(): Promise<readonly string[]>;
  /** Counts the files of living documents and runs; reads all rows, a bounded number at a time. */
  count(): Promise<readonly KeyUse[]>;
  /**
   * Wraps the key of every file by the first key while services go on; files themselves stay as they
   * are. Resumes where it was cut short, because what was done is left alone.
   */
  rewrap(rowsPerSecond: number): Promise<RewrapResult>;
}
