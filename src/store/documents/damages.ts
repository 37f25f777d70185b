import { type ExpressionBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { DOCUMENT_STATES, LIVING_STATES, type Schema } from '../database/schema.ts';

/** Records that are looked at for one run. */
const RECORDS_MAX = 10_000;

/** `damaged`: the file has another size or digest than its row says. */
export type Damage = 'damaged' | 'missing';
/** `altered`: the row has another digest than the audit record of the document (audited.ts). */
type Kind = Damage | 'altered';

/**
 * Records living documents whose file was found missing or damaged, and files of runs (print files
 * and uploaded parts), by their file id.
 */
export class Damages {
  /** The counts of the last `settle`, plus what this process has recorded since. */
  readonly counts: Record<Damage, number> = { damaged: 0, missing: 0 };
  /** Runs with such files; found by the last `settle`, or by this process since. */
  readonly runIds = new Set<string>();
  readonly #database: Database;
  readonly #wallMs: () => number;

  constructor(database: Database, wallMs: () => number) {
    this.#database = database;
    this.#wallMs = wallMs;
  }

  async record(documentId: string, kind: Kind): Promise<void> {
    if (await this.#record(documentId, kind)) this.counts[countedAs(kind)] += 1;
  }

  /** Records a file of a run. */
  async recordFile(runId: string, fileId: string, kind: Damage): Promise<void> {
    await this.#record(fileId, kind);
    this.runIds.add(runId);
  }

  /** True: nothing was recorded of it before. */
  async #record(id: string, kind: Kind): Promise<boolean> {
    const row = { document_id: id, kind, found_at_ms: this.#wallMs() };
    try {
      await this.#database.write((db) => db.insertInto('damages').values(row).execute());
      return true;
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
      await this.#database.write((db) =>
        db.updateTable('damages').set(row).where('document_id', '=', id).execute(),
      );
      return false;
    }
  }

  /** How many documents of a run have a record, among the first 10,000 records. */
  async countInRun(runId: string): Promise<number> {
    // Almost always, so a run that is polled costs no query.
    if (this.counts.damaged + this.counts.missing === 0) return 0;
    const row = await this.#database.readUncompared((db) =>
      db
        .selectFrom(
          db.selectFrom('damages').select('document_id').limit(sql.lit(RECORDS_MAX)).as('damaged'),
        )
        .innerJoin('documents', 'documents.document_id', 'damaged.document_id')
        .innerJoin('run_files', 'run_files.file_id', 'documents.pack_id')
        .select(sql<number>`count(*)`.as('count'))
        .where('run_files.run_id', '=', runId)
        .executeTakeFirst(),
    );
    return row?.count ?? 0;
  }

  /** Ids of the documents and files that have a record; few. */
  async recorded(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('damages').select('document_id').execute(),
    );
    return new Set(rows.map((row) => row.document_id));
  }

  /** Removes the record of a document, or of a run's file, whose file is as its row says. */
  async clear(documentId: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('damages')
        .where('document_id', '=', documentId)
        .where('kind', '!=', 'altered')
        .execute(),
    );
  }

  /** The documents whose row differed from the audit, the first 10,000. */
  async altered(): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('damages')
        .select('document_id')
        .where('kind', '=', 'altered')
        .limit(sql.lit(RECORDS_MAX))
        .execute(),
    );
    return rows.map((row) => row.document_id);
  }

  /** Removes the record of a document whose row is as the audit says. */
  async clearAltered(documentId: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('damages')
        .where('document_id', '=', documentId)
        .where('kind', '=', 'altered')
        .execute(),
    );
  }

  /** Removes the records of what was destroyed since, and counts the others. */
  async settle(): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('damages')
        .where((where) => where.not(where.exists(livingDocument(where))))
        .where((where) => where.not(where.exists(livingFile(where))))
        .execute(),
    );
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('damages')
        .select(['kind', sql<number>`count(*)`.as('count')])
        .where((where) => where.exists(livingDocument(where)))
        .groupBy('kind')
        .execute(),
    );
    Object.assign(this.counts, { damaged: 0, missing: 0 });
    for (const { kind, count } of rows) this.counts[countedAs(kind)] += count;
    const files = await this.#database.readUncompared((db) =>
      db
        .selectFrom('damages')
        .innerJoin('run_files', 'run_files.file_id', 'damages.document_id')
        .select('run_files.run_id')
        .distinct()
        .execute(),
    );
    this.runIds.clear();
    for (const { run_id: runId } of files) this.runIds.add(runId);
  }
}

/** Neither a damaged nor an altered document is delivered. */
function countedAs(kind: string): Damage {
  return kind === 'missing' ? 'missing' : 'damaged';
}

type Where = ExpressionBuilder<Schema, 'damages'>;

/**
 * A document that still exists. Documents of a run stay `packed` when their pack is destroyed, so
 * the state of the pack counts, too.
 */
function livingDocument(where: Where) {
  return where
    .selectFrom('documents')
    .leftJoin('run_files as pack', 'pack.file_id', 'documents.pack_id')
    .select('documents.document_id')
    .whereRef('documents.document_id', '=', 'damages.document_id')
    .where(sql<boolean>`+documents.state in (${sql.join(LIVING_STATES)})`)
    .where((on) =>
      on.or([
        on('documents.pack_id', 'is', null),
        on('pack.state', '=', DOCUMENT_STATES.available),
      ]),
    );
}

function livingFile(where: Where) {
  return where
    .selectFrom('run_files')
    .select('run_files.file_id')
    .whereRef('run_files.file_id', '=', 'damages.document_id')
    .where('run_files.state', '=', DOCUMENT_STATES.available);
}
