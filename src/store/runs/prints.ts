import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { asUnavailable, isFault } from '../database/database-fault.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { Miscount } from '../database/script.ts';
import type { Vault } from '../encryption/vault.ts';
import { CheckedFile } from '../files/checked-file.ts';
import { uuidv7 } from '../ids.ts';
import { FileDamaged, type StoredFile } from '../store.ts';
import { decode, decodeSegments, encode } from './codec.ts';
import { PRINT_STATES, type RunSchema } from './run-schema.ts';
import type {
  NewPrint,
  PrintedDocument,
  PrintSegment,
  RunPrint,
  RunPrints,
  RunRecord,
} from './types.ts';

/** A lease expires when its owner has not renewed it for this long. */
const LEASE_MS = 20_000;
/** Time after which the sweep removes the segments of an abandoned print file. */
const UNFINISHED_MS = 86_400_000;

/** Merged print files of runs: one row each; their segments are separate files. */
export class Prints implements RunPrints {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #clock: SteadyClock;

  constructor(database: Database, vault: Vault, clock: SteadyClock) {
    this.#database = database;
    this.#vault = vault;
    this.#clock = clock;
  }

  async prepare(runId: string, count: number): Promise<void> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('run_prints').select('number').where('run_id', '=', runId).execute(),
    );
    const existing = new Set(rows.map(({ number }) => number));
    for (let number = 1; number <= count; number += 1) {
      if (existing.has(number)) continue;
      try {
        await this.#database.write((db) =>
          db.insertInto('run_prints').values(emptyRow(runId, number)).execute(),
        );
      } catch (error) {
        // Another instance has inserted it meanwhile.
        if (!isFault(error, 'duplicate')) throw error;
      }
    }
  }

  async clear(runId: string): Promise<void> {
    const nowMs = this.#clock.wallMs();
    await this.#database.transact(async (trx) => {
      await trx.deleteFrom('run_prints').where('run_id', '=', runId).execute();
      await trx
        .updateTable('run_files')
        .set({ expires_at_ms: nowMs })
        .where('run_id', '=', runId)
        .where('kind', '=', 'print')
        .execute();
    });
  }

  async lease(runId: string, owner: string): Promise<number | null> {
    const nowMs = this.#clock.wallMs();
    const rows = await this.#open(runId);
    for (const { number, lease_until_ms: leaseUntilMs } of rows) {
      if (leaseUntilMs > nowMs) continue;
      const result = await this.#database.write((db) =>
        db
          .updateTable('run_prints')
          .set({ owner, lease_until_ms: nowMs + LEASE_MS })
          .where('run_id', '=', runId)
          .where('number', '=', number)
          .where('state', '=', PRINT_STATES.open)
          .where('lease_until_ms', '=', leaseUntilMs)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 1n) return number;
    }
    return null;
  }

  async left(runId: string): Promise<number> {
    return (await this.#open(runId)).length;
  }

  #open(
    runId: string,
  ): Promise<readonly Pick<RunSchema['run_prints'], 'number' | 'lease_until_ms'>[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(['number', 'lease_until_ms'])
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.open)
        .orderBy('number')
        .execute(),
    );
  }

  async renew(owner: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_prints')
        .set({ lease_until_ms: this.#clock.wallMs() + LEASE_MS })
        .where('owner', '=', owner)
        .where('state', '=', PRINT_STATES.open)
        .execute(),
    );
  }

  async release(owner: string, runId: string, number: number): Promise<void> {
    await this.#database.write((db) =>
      releasePrints(db, owner).where('run_id', '=', runId).where('number', '=', number).execute(),
    );
  }

  async releaseAll(owner: string): Promise<void> {
    await this.#database.write((db) => releasePrints(db, owner).execute());
  }

  async putSegment(runId: string, pieces: readonly Uint8Array[]): Promise<PrintSegment> {
    const nowMs = this.#clock.wallMs();
    const fileId = uuidv7(nowMs);
    const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    const digest = createHash('sha256');
    for (const piece of pieces) digest.update(piece);
    const sha256 = digest.digest('hex');
    const wrappedKey = await this.#vault.put(fileId, pieces, 'run');
    const row = {
      file_id: fileId,
      run_id: runId,
      kind: 'print',
      bytes,
      expires_at_ms: nowMs + UNFINISHED_MS,
      state: DOCUMENT_STATES.available,
      wrapped_key: wrappedKey,
    };
    await this.#database.write((db) => db.insertInto('run_files').values(row).execute());
    return { fileId, bytes, sha256 };
  }

  async openSegment({ fileId, bytes, sha256 }: PrintSegment): Promise<StoredFile> {
    const file = await this.#vault.openRunFile(fileId);
    const damaged = new FileDamaged(fileId);
    if (file.bytes !== bytes) {
      await file.close();
      throw damaged;
    }
    // Segments of older versions have no digest.
    if (sha256 === null) return file;
    return new CheckedFile(file, sha256, () => Promise.resolve(damaged));
  }

  async finish(run: RunRecord, number: number, owner: string, print: NewPrint): Promise<boolean> {
    const expiresAtMs = this.#clock.wallMs() + run.spec.retentionSeconds * 1000;
    const { segments, documents, pages } = print;
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const { open, done } = PRINT_STATES;
    try {
      await this.#database.commit([
        {
          sql:
            'update run_prints set state = ?, documents = ?, pages = ?, bytes = ?, segments = ?,' +
            ' entries = ?, owner = null where run_id = ? and number = ? and state = ? and owner = ?',
          parameters: [
            done,
            documents.length,
            pages,
            bytes,
            encode(segments),
            encode(documents),
            run.runId,
            number,
            open,
            owner,
          ],
          changes: 1,
        },
        ...segments.map(({ fileId }) => ({
          sql: 'update run_files set expires_at_ms = ? where file_id = ? and state = ?',
          parameters: [expiresAtMs, fileId, DOCUMENT_STATES.available],
          changes: 1,
        })),
      ]);
      return true;
    } catch (error) {
      if (error instanceof Miscount) return false;
      throw asUnavailable(error);
    }
  }

  async settle(runId: string): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const rows = await this.#database.read((db) =>
      db.selectFrom('run_prints').select('segments').where('run_id', '=', runId).execute(),
    );
    const used = new Set<string>();
    for (const row of rows) {
      for (const { fileId } of decodeSegments(row.segments)) used.add(fileId);
    }
    const files = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .select('file_id')
        .where('run_id', '=', runId)
        .where('kind', '=', 'print')
        .execute(),
    );
    for (const { file_id: fileId } of files) {
      if (used.has(fileId)) continue;
      await this.#database.write((db) =>
        db
          .updateTable('run_files')
          .set({ expires_at_ms: nowMs })
          .where('file_id', '=', fileId)
          .execute(),
      );
    }
  }

  async list(runId: string): Promise<readonly RunPrint[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(['number', 'documents', 'pages', 'bytes'])
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.done)
        .orderBy('number')
        .execute(),
    );
    return rows;
  }

  async find(
    runId: string,
    number: number,
  ): Promise<{ segments: readonly PrintSegment[]; documents: readonly PrintedDocument[] } | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(['segments', 'entries'])
        .where('run_id', '=', runId)
        .where('number', '=', sql.lit(number))
        .where('state', '=', PRINT_STATES.done)
        .executeTakeFirst(),
    );
    if (row === undefined) return null;
    return {
      segments: decodeSegments(row.segments),
      // `finish` wrote them from this type.
      documents: decode(row.entries) as readonly PrintedDocument[],
    };
  }
}

function releasePrints(db: Kysely<Schema>, owner: string) {
  return db
    .updateTable('run_prints')
    .set({ owner: null, lease_until_ms: 0 })
    .where('owner', '=', owner)
    .where('state', '=', PRINT_STATES.open);
}

function emptyRow(runId: string, number: number): RunSchema['run_prints'] {
  return {
    run_id: runId,
    number,
    state: PRINT_STATES.open,
    owner: null,
    lease_until_ms: 0,
    documents: 0,
    pages: 0,
    bytes: 0,
    segments: encode([]),
    entries: encode([]),
  };
}
