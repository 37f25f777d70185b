import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { firstIdAt } from '../ids.ts';
import type { DocumentMaker, DocumentRecord } from './types.ts';

/** The members of a document that the look-up reads. */
type Made = Pick<DocumentRecord, 'documentId' | 'teamId' | 'createdAtMs' | 'pack'>;

/**
 * Finds who made a document, without an index that each new document would pay for. The pack of a
 * document of a run names the run. The audit record of a request has the time of its document, and
 * begins its id with it, so only the team's records of one millisecond are looked through. Null: the
 * record is not there: a request that took longer than the sealing of the audit waits has a later id.
 */
export async function findMaker(database: Database, document: Made): Promise<DocumentMaker | null> {
  return (await findRun(database, document)) ?? (await findRequest(database, document));
}

async function findRun(database: Database, { pack }: Made): Promise<DocumentMaker | null> {
  if (pack === null) return null;
  const row = await database.read((db) =>
    db
      .selectFrom('runs')
      .select(['run_id', 'principal'])
      .where(
        'run_id',
        '=',
        db.selectFrom('run_files').select('run_id').where('file_id', '=', pack.packId),
      )
      .executeTakeFirst(),
  );
  return row === undefined ? null : { principal: row.principal, runId: row.run_id };
}

async function findRequest(database: Database, made: Made): Promise<DocumentMaker | null> {
  const { documentId, teamId, createdAtMs } = made;
  const row = await database.read((db) =>
    db
      .selectFrom('audit')
      .select('principal')
      .where('team_id', '=', teamId)
      .where('audit_id', '>=', firstIdAt(createdAtMs))
      .where('audit_id', '<', firstIdAt(createdAtMs + 1))
      .where('document_id', '=', documentId)
      .where('action', '=', 'generate')
      .where('outcome', '=', 'succeeded')
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  return row === undefined ? null : { principal: row.principal, runId: '' };
}
