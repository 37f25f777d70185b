import { hash } from 'node:crypto';
import type { ManifestRow } from '../../store/runs/types.ts';
import type { KeptNaming, Store } from '../../store/store.ts';

/** Slots of the table for each document, so that a search of it is short. */
const SLOTS_PER_DOCUMENT = 2;

/**
 * The names of the files in the archive of a run, each once, whatever two rows are called. Names that
 * are taken are remembered by 32 bits of their digests, 8 bytes a document; of two names with equal
 * bits, the second one gets a part of its document's id although it need not.
 */
export class ZipNames {
  readonly #store: Store['names'];
  readonly #documents: number;
  #naming: ReadonlyMap<string, KeptNaming> = new Map();
  /** Made with the first name that a template declares; 0 is a free slot. */
  #taken: Uint32Array | null = null;

  constructor(store: Store['names'], documents: number) {
    this.#store = store;
    this.#documents = documents;
  }

  /** Reads the names of some rows, some hundred at a time. */
  async read(rows: readonly ManifestRow[]): Promise<void> {
    this.#naming = await this.#store.of(rows.flatMap(({ documentId }) => documentId ?? []));
  }

  /** Begins again: the same rows in the same order get the same names. */
  restart(): void {
    this.#taken?.fill(0);
  }

  /** Call it once for each row of the last `read`. */
  of(row: ManifestRow): Buffer {
    const { documentId = '' } = row;
    const fileName = this.#naming.get(documentId)?.fileName ?? '';
    if (fileName === '') return Buffer.from(nameOfRow(row));
    if (this.#take(fileName)) return Buffer.from(fileName);
    return Buffer.from(`${fileName.slice(0, -'.pdf'.length)}-${documentId.slice(-12)}.pdf`);
  }

  /** Remembers a name; false: it was taken before, as file systems compare names. */
  #take(name: string): boolean {
    this.#taken ??= new Uint32Array(Math.max(16, this.#documents * SLOTS_PER_DOCUMENT));
    const taken = this.#taken;
    const digest = hash('sha256', name.normalize('NFC').toLowerCase(), 'buffer');
    const mark = digest.readUInt32LE(0) || 1;
    let slot = digest.readUInt32LE(4) % taken.length;
    // More documents than were counted would fill the table: then each further name is a taken one.
    for (let tries = 0; tries < taken.length; tries += 1) {
      if (taken[slot] === mark) return false;
      if (taken[slot] === 0) {
        taken[slot] = mark;
        return true;
      }
      slot = (slot + 1) % taken.length;
    }
    return false;
  }
}

/** The id of a row without unusual characters, and made unique if it had any. */
function nameOfRow({ rowId, documentId = '' }: ManifestRow): string {
  const safe = rowId.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '_').replace(/^\.+/, '_');
  return `${safe === rowId ? safe : `${safe}-${documentId.slice(-12)}`}.pdf`;
}
