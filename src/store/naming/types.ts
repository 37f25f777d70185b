/** The reference and file name of a document, as stored. */
export interface KeptNaming {
  /** '': it has none, or no more than its hash is kept. */
  readonly reference: string;
  /** '': the document's id is its name. */
  readonly fileName: string;
}

/** References and file names of documents. */
export interface DocumentNames {
  /** The names of those of the documents that have any. */
  of(documentIds: readonly string[]): Promise<ReadonlyMap<string, KeptNaming>>;
}
