import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { LIVING_STATES } from '../database/schema.ts';
import { firstIdAt, hex } from '../ids.ts';
import type { Damages } from './damages.ts';
import type { AuditComparison } from './types.ts';

/*
 * The digest of a document stands in its row and in the audit record of its making. Whoever changes
 * a file and its row together can be told from the audit, whose records are sealed. No index leads
 * from a document to its record, and a request could not afford the search: a scrub goes through the
 * audit once, from the time of the oldest living document on, and looks the documents up by their ids.
 */

/** Audit records that one query reads; each has at most one document to look up. */
const RECORDS = 500;
/** How much earlier than its document's id an audit record may begin: jobs wait and run for less. */
const EARLIER_MS = 3_600_000;

/** A digest, as the audit has it, and the place to go on from. */
interface Recorded {
  readonly after: string | null;
  readonly digests: ReadonlyMap<string, string>;
}

/** Compares living documents with the audit, and marks those that differ: they are not delivered. */
export class Audited {
  readonly #database: Database;
  readonly #damages: Damages;

  constructor(database: Database, damages: Damages) {
    this.#database = database;
    this.#damages = damages;
  }

  async compare(onAltered: (documentId: string) => void): Promise<AuditComparison> {
    // Those that agree again, after a restore, are served again.
    const healed = new Set(await this.#damages.altered());
    let compared = 0;
    let altered = 0;
    let after: string | null = await this.#start();
    while (after !== null) {
      const recorded: Recorded = await this.#recordsAfter(after);
      const living = await this.#living([...recorded.digests.keys()]);
      for (const [documentId, digest] of living) {
        compared += 1;
        if (digest === recorded.digests.get(documentId)) continue;
        altered += 1;
        healed.delete(documentId);
        await this.#damages.record(documentId, 'altered');
        onAltered(documentId);
      }
      after = recorded.after;
    }
    for (const documentId of healed) await this.#damages.clearAltered(documentId);
    return { compared, altered };
  }

  /** Finds the audit record to begin with. Gives null if every document has expired. */
  async #start(): Promise<string | null> {
    const row = await this.#database.readUncompared((db) =>
      db
        .selectFrom('documents')
        .select('created_at_ms')
        .where(sql<boolean>`+state in (${sql.join(LIVING_STATES)})`)
        .orderBy('document_id')
        .limit(sql.lit(1))
        .executeTakeFirst(),
    );
    return row === undefined ? null : firstIdAt(row.created_at_ms - EARLIER_MS);
  }

  async #recordsAfter(after: string): Promise<Recorded> {
    const rows = await this.#database.readUncompared((db) =>
      db
        .selectFrom('audit')
        .select(['audit_id', 'document_id', 'sha256', 'action', 'outcome', 'mode'])
        .where('audit_id', '>', after)
        .orderBy('audit_id')
        .limit(sql.lit(RECORDS))
        .execute(),
    );
    const digests = new Map<string, string>();
    for (const { document_id: documentId, sha256, action, outcome, mode } of rows) {
      const isOfDocument = action === 'generate' && outcome === 'succeeded' && mode === 'async';
      if (!isOfDocument || documentId === '' || sha256 === null) continue;
      digests.set(documentId, shown(sha256));
    }
    const last = rows.length === RECORDS ? rows.at(-1) : undefined;
    return { after: last?.audit_id ?? null, digests };
  }

  /** The digests of those of the documents that are living. */
  async #living(documentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (documentIds.length === 0) return new Map();
    const rows = await this.#database.readUncompared((db) =>
      db
        .selectFrom('documents')
        .select(['document_id', 'sha256'])
        .where('document_id', 'in', documentIds)
        .where(sql<boolean>`+state in (${sql.join(LIVING_STATES)})`)
        .execute(),
    );
    return new Map(rows.map((row) => [row.document_id, shown(row.sha256)]));
  }
}

/** Text where bytes should be was put there by somebody else: it differs from every digest. */
function shown(cell: Uint8Array | string): string {
  return typeof cell === 'string' ? `text ${cell}` : hex(cell);
}
