/** The number of stored files whose key this key wraps; `keyId` '' counts unencrypted files. */
export interface KeyUse {
  readonly keyId: string;
  readonly files: number;
}

/** The result of rewrapping the keys of all files. */
export interface RewrapResult {
  /** Keys of files. */
  readonly rewrapped: number;
  /** Keys of references and file names, which the rows of documents hold encrypted. */
  readonly namingRewrapped: number;
  /** Files whose key is wrapped by a key that is not available; they are unchanged. */
  readonly unreadable: readonly KeyUse[];
  /** Keys that no file needs any more. */
  readonly forgotten: readonly string[];
}

/** The keys of stored files, for the operator. Ids of keys are 16 hexadecimal digits. */
export interface FileKeys {
  /** Ids of the available keys; the first encrypts new files. */
  listed(): readonly string[];
  /** Ids of keys that wrapped keys of files and are not available. */
  missing(): Promise<readonly string[]>;
  /** Counts the files of living documents and runs; reads all rows, a bounded number at a time. */
  count(): Promise<readonly KeyUse[]>;
  /**
   * Wraps the key of every file by the first key while services run; the files do not change. After
   * an interruption call it again: keys that are done are skipped.
   */
  rewrap(rowsPerSecond: number): Promise<RewrapResult>;
}
