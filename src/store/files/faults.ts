/** The file of a row does not exist, or was removed after the row was read. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';

  constructor(documentId: string) {
    super(`the file of document ${documentId} is not there`);
  }
}

/** The documents of a file have expired, whether or not the sweep has removed it. */
export class FileExpired extends Error {
  override readonly name = 'FileExpired';

  constructor(fileId: string) {
    super(`the documents in the file ${fileId} have expired`);
  }
}

/** A file needs a key that is not available. It is not damaged: with the key it can be read. */
export class FileKeyMissing extends Error {
  override readonly name = 'FileKeyMissing';
  readonly keyId: string;

  constructor(documentId: string, keyId: string) {
    super(`the file of document ${documentId} is encrypted under key ${keyId}, which is not there`);
    this.keyId = keyId;
  }
}

/** A file differs from what was stored; reading it again does not help. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';

  constructor(documentId: string) {
    super(`the file of document ${documentId} has not the digest it was stored with`);
  }
}
