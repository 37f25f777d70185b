import type { ManifestRow } from '../../store/runs/types.ts';
import type { DocumentFinding } from '../stored-documents.ts';

const HEADING =
  'These documents are damaged, missing or expired in the service and are not in this archive:\r\n';

/**
 * The documents that an archive of a run is without. Packs that have expired as a whole are remembered
 * by their ids, because nearly all documents of a large run may have expired.
 */
export class LeftOut {
  readonly #documents = new Map<string, DocumentFinding>();
  readonly #expiredPacks = new Set<string>();

  get isEmpty(): boolean {
    return this.#documents.size === 0 && this.#expiredPacks.size === 0;
  }

  /** Adds the findings about documents of these rows, which are in one pack. */
  add(rows: readonly ManifestRow[], findings: ReadonlyMap<string, DocumentFinding>): void {
    if (findings.size === 0) return;
    const stored = rows.filter(({ outcome }) => outcome === 'stored');
    const packId = stored[0]?.packId ?? null;
    const haveAllExpired =
      findings.size === stored.length &&
      [...findings.values()].every((finding) => finding === 'expired');
    if (haveAllExpired && packId !== null) this.#expiredPacks.add(packId);
    else for (const [documentId, finding] of findings) this.#documents.set(documentId, finding);
  }

  /** Why the document of a stored row is left out; null: it is not. */
  findingOf({ documentId = '', packId }: ManifestRow): DocumentFinding | null {
    if (packId !== null && this.#expiredPacks.has(packId)) return 'expired';
    return this.#documents.get(documentId) ?? null;
  }

  /** The text that lists these documents, by the rows of the run: a line for each. */
  async *list(rows: AsyncIterable<readonly ManifestRow[]>): AsyncGenerator<Uint8Array> {
    yield Buffer.from(HEADING);
    for await (const some of rows) {
      let lines = '';
      for (const row of some) {
        const finding = row.outcome === 'stored' ? this.findingOf(row) : null;
        if (finding !== null) lines += `${row.rowId}\t${row.documentId ?? ''}\t${finding}\r\n`;
      }
      if (lines !== '') yield Buffer.from(lines);
    }
  }
}
