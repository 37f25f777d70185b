/** A row without its file, or a file that was removed since its row was read. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';

  constructor(documentId: string) {
    super(`the file of document ${documentId} is not there`);
  }
}

/** A file that is encrypted under a key that is not there. It is whole, and readable with the key. */
export class FileKeyMissing extends Error {
  override readonly name = 'FileKeyMissing';

  constructor(documentId: string, keyId: string) {
    super(`the file of document ${documentId} is encrypted under key ${keyId}, which is not there`);
  }
}

/** A file that is not what was stored. To try again does not help. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';

  constructor(documentId: string) {
    super(`the file of document ${documentId} has not the digest it was stored with`);
  }
}
