import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { LIVING_STATES } from '../database/schema.ts';

/** `damaged`: the file has another size or digest than its row says. */
export type Damage = 'damaged' | 'missing';

/** Records living documents whose file was found missing or damaged. */
export class Damages {
  /** The counts of the last `settle`, plus what this process has recorded since. */
  readonly counts: Record<Damage, number> = { damaged: 0, missing: 0 };
  readonly #database: Database;
  readonly #wallMs: () => number;

  constructor(database: Database, wallMs: () => number) {
    this.#database = database;
    this.#wallMs = wallMs;
  }

  async record(documentId: string, kind: Damage): Promise<void> {
    const row = { document_id: documentId, kind, found_at_ms: this.#wallMs() };
    try {
      await this.#database.write((db) => db.insertInto('damages').values(row).execute());
      this.counts[kind] += 1;
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
      await this.#database.write((db) =>
        db.updateTable('damages').set(row).where('document_id', '=', documentId).execute(),
      );
    }
  }

  /** Removes the record of a document whose file is intact. */
  async clear(documentId: string): Promise<void> {
    await this.#database.write((db) =>
      db.deleteFrom('damages').where('document_id', '=', documentId).execute(),
    );
  }

  /** Removes the records of documents that were destroyed since, and counts the others. */
  async settle(): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('damages')
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('documents')
                .select('documents.document_id')
                .whereRef('documents.document_id', '=', 'damages.document_id')
                .where(sql<boolean>`+documents.state in (${sql.join(LIVING_STATES)})`),
            ),
          ),
        )
        .execute(),
    );
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('damages')
        .select(['kind', sql<number>`count(*)`.as('count')])
        .groupBy('kind')
        .execute(),
    );
    for (const kind of ['damaged', 'missing'] as const) {
      this.counts[kind] = rows.find((row) => row.kind === kind)?.count ?? 0;
    }
  }
}
