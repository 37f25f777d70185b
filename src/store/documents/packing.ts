import type { CommittedPack } from '../database/commits.ts';
import { CommitUnknown } from '../database/database-fault.ts';
import type { Vault } from '../encryption/vault.ts';
import { discardFile, writePack } from './packs.ts';

/** Limit of the documents in a pack, whose rows are committed in one transaction. */
export const PACK_DOCUMENTS_MAX = 128;
/** Limit of the bytes of a pack. */
const PACK_BYTES_MAX = 4 * 1024 * 1024;
/** A longer document gets a separate file, so that other documents do not wait for its bytes. */
const PACKED_BYTES_MAX = 256 * 1024;
/**
 * Limit of the time between the first and the last expiry in a pack. The pack expires with its last
 * document, so the sweep finds the others by their expiry up to this much earlier.
 */
export const EXPIRY_SPREAD_MS = 1_000;

/** A document whose file must be written. */
interface NewFile {
  readonly documentId: string;
  readonly expiresAtMs: number;
  readonly pdf: Uint8Array;
}

/** Where the file of a document was written. */
export interface Place {
  /** Null if the document has a separate file. */
  readonly pack: CommittedPack | null;
  /** Offset of the document in the pack. */
  readonly offset: number;
  /** The wrapped key of the separate file. Null if the file is not encrypted or is a pack. */
  readonly wrappedKey: Uint8Array | null;
}

/** A written file, with the place of each of its documents. */
interface Written {
  readonly places: readonly Place[];
  /** Call for each document whose row certainly does not exist. */
  discard(): Promise<void>;
}

interface Waiting {
  readonly file: NewFile;
  readonly commit: (place: Place) => Promise<void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores documents, several of them in one file (a pack) under load. Documents that arrive while a
 * pack is being written and committed share the next pack. A document that arrives alone is written
 * at once, as a separate file; documents that arrive meanwhile wait for this write, but not for the
 * commit of its row.
 *
 *   file     ├─ A ─┤├─ B C D ─┤           ├─ E F ─┤
 *   commit          ├─ A ─┤     ├─ B C D ─┤        ├─ E F ─┤
 *   arriving   B C D        E        F
 */
export class Packing {
  readonly #vault: Vault;
  readonly #wallMs: () => number;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isRunning = false;

  constructor(vault: Vault, wallMs: () => number) {
    this.#vault = vault;
    this.#wallMs = wallMs;
  }

  /**
   * Writes the file durably, then calls `commit` with its place, and resolves when `commit` does.
   * If `commit` rejects with anything but `CommitUnknown`, the file is removed unless other
   * documents need it. Takes ownership of the bytes.
   */
  store<T>(file: NewFile, commit: (place: Place) => Promise<T>): Promise<T> {
    const { byteLength } = file.pdf;
    return new Promise((resolve, reject) => {
      const committing = async (place: Place): Promise<void> => resolve(await commit(place));
      const document = { file, commit: committing, reject };
      if (byteLength > PACKED_BYTES_MAX) {
        void this.#storeGroup([document]);
        return;
      }
      this.#waiting.push(document);
      this.#waitingBytes += byteLength;
      if (this.#isFull()) void this.#storeAll(this.#take());
      else if (!this.#isRunning) void this.#run();
    });
  }

  /** Whether the next document might not fit, so that waiting gains nothing. */
  #isFull(): boolean {
    const isLong = this.#waitingBytes > PACK_BYTES_MAX - PACKED_BYTES_MAX;
    return isLong || this.#waiting.length === PACK_DOCUMENTS_MAX;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Documents added in the same tick share the first pack.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#storeAll(this.#take());
    this.#isRunning = false;
  }

  #take(): readonly Waiting[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return taken;
  }

  /**
   * Resolves when the next documents may be written. Settles all promises of the documents, and
   * never rejects.
   */
  async #storeAll(documents: readonly Waiting[]): Promise<void> {
    await Promise.all(byExpiry(documents).map((group) => this.#storeGroup(group)));
  }

  async #storeGroup(group: readonly Waiting[]): Promise<void> {
    let written: Written;
    try {
      written = await this.#write(group.map(({ file }) => file));
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    // All commits begin in the same tick, so they share a transaction.
    const commits = written.places.map((place, index) => settle(group[index], place, written));
    if (group.length > 1) await Promise.all(commits);
  }

  /** Writes one file; its places are in the order of the documents. */
  async #write(files: readonly NewFile[]): Promise<Written> {
    const [first] = files;
    if (first !== undefined && files.length === 1) return this.#writeSeparate(first);
    let end = 0;
    const offsets = files.map(({ pdf }) => {
      const offset = end;
      end += pdf.byteLength;
      return offset;
    });
    const row = await writePack(this.#vault, {
      pieces: files.map(({ pdf }) => pdf),
      runId: '',
      atMs: this.#wallMs(),
      expiresAtMs: Math.max(...files.map(({ expiresAtMs }) => expiresAtMs)),
    });
    const pack: CommittedPack = { row, isStored: false };
    let discarded = 0;
    return {
      places: offsets.map((offset) => ({ pack, offset, wrappedKey: null })),
      discard: async () => {
        discarded += 1;
        // Rows of the pack's other documents may exist, or may still be committed.
        if (discarded < files.length || pack.isStored) return;
        await discardFile(this.#vault, row.file_id, 'run');
      },
    };
  }

  async #writeSeparate({ documentId, pdf }: NewFile): Promise<Written> {
    const wrappedKey = await this.#vault.put(documentId, pdf, 'document');
    return {
      places: [{ pack: null, offset: 0, wrappedKey }],
      discard: () => discardFile(this.#vault, documentId, 'document'),
    };
  }
}

/** Commits the row of a document whose file is durable; never rejects. */
async function settle(
  document: Waiting | undefined,
  place: Place,
  written: Written,
): Promise<void> {
  if (document === undefined) return;
  try {
    await document.commit(place);
  } catch (error) {
    // Remove the file only when the row certainly does not exist: no row may lack its file.
    if (error instanceof CommitUnknown) document.reject(error);
    else await written.discard().then(() => document.reject(error), document.reject);
  }
}

/** Groups documents that expire within `EXPIRY_SPREAD_MS`. */
function byExpiry(documents: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const inOrder = documents.toSorted((a, b) => a.file.expiresAtMs - b.file.expiresAtMs);
  const groups: Waiting[][] = [];
  let firstMs = Number.NEGATIVE_INFINITY;
  for (const document of inOrder) {
    const { expiresAtMs } = document.file;
    const group = groups.at(-1);
    if (group !== undefined && expiresAtMs - firstMs <= EXPIRY_SPREAD_MS) group.push(document);
    else {
      groups.push([document]);
      firstMs = expiresAtMs;
    }
  }
  return groups;
}
