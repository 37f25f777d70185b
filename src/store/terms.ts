/*
 * The words that every part of the store uses. This file imports nothing, so each part can import
 * it; store.ts, which imports the types of all parts, passes them on to the rest of src/.
 */

/**
 * Why a look-up found nothing. Callers see 404 for the first two, which the audit distinguishes;
 * `archived`: the team has archived the template.
 */
export type Missing = 'absent' | 'foreign' | 'archived';

/** The result of a look-up on behalf of a team. */
export type Found<T> =
  { readonly found: true; readonly value: T } | { readonly found: false; readonly why: Missing };

/** A part of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; null: the list ends here. */
  readonly next: string | null;
}

/** Readable bytes of one stored file. The caller closes it. */
export interface StoredFile {
  readonly bytes: number;
  /**
   * Reads at most `length` bytes from `position`; fewer only at the end of the file. The bytes are
   * the caller's.
   */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Database or files cannot serve at the moment. The message is for the operator's log. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** A file took too long to be written: the disk may still read its bytes. */
export class StillWriting extends StorageUnavailable {}

/** A file that may be stored only encrypted cannot be stored, because no key is configured. */
export class KeysMissing extends StorageUnavailable {
  override readonly name = 'KeysMissing';
}

/** So many wait for the database that this caller is refused; the database itself serves. */
export class StoreBusy extends StorageUnavailable {
  override readonly name = 'StoreBusy';
  /** What the caller is told, as opposed to the message. */
  readonly told: string;

  constructor(message: string, told = 'Too many requests wait for the database. Retry later.') {
    super(message);
    this.told = told;
  }
}

/** Why a file that a caller named for a run cannot be read. */
export type SourceRefusal = 'off' | 'outside' | 'absent' | 'no_file' | 'unreadable';

/** Thrown by a read when the file of a run has changed since it was opened. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** Names a template of a team. */
export interface TemplateName {
  readonly teamId: string;
  readonly templateId: string;
}
