import { sql } from 'kysely';
import type { Commits } from '../database/commits.ts';
import type { SteadyClock } from '../clock.ts';
import type { Damages } from './damages.ts';
import type { Database } from '../database/database.ts';
import type { Naming } from '../../runtime/naming/naming.ts';
import type { Names } from '../naming/names.ts';
import { asUnavailable } from '../database/database-fault.ts';
import type { Vault } from '../encryption/vault.ts';
import type { Claims, IdempotencyClaim } from '../idempotency.ts';
import { auditRow, type NewAudit } from '../audit.ts';
import { type DocumentRow, listDocuments, selectDocument } from './document-list.ts';
import { digestBytes, fromHex, hex, isUuid, uuidv7 } from '../ids.ts';
import { Audited } from './audited.ts';
import type {
  AuditComparison,
  DocumentFile,
  DocumentFilter,
  DocumentMaker,
  DocumentPage,
  DocumentRecord,
  DocumentStore,
  NewDocument,
  Reading,
  Scrub,
  ScrubResult,
} from './types.ts';
import { Integrity } from './integrity.ts';
import { findMaker } from './maker.ts';
import { Packing, type Place } from './packing.ts';
import { findLivingPacks, packPlace } from './packs.ts';
import { DOCUMENT_STATES, LIVING_STATES, type Schema } from '../database/schema.ts';
import type { Found, StoredFile } from '../terms.ts';

/** The part that destroys documents (sweep/sweep.ts). */
interface Sweeping {
  expire(documentId: string, nowMs: number): Promise<void>;
  run(nowMs: number, areOrphansAccepted: boolean): ReturnType<DocumentStore['sweep']>;
}

/** Records the newest document, so that an older database is noticed (sweep/older-database.ts). */
interface NewestNote {
  added(documentId: string): void;
}

/** Stored documents: each has a file and a row, and the file is written first. */
export class Documents {
  readonly #database: Database;
  readonly #packing: Packing;
  readonly #commits: Commits;
  readonly #claims: Claims;
  readonly #clock: SteadyClock;
  readonly #sweep: Sweeping;
  readonly #damages: Damages;
  readonly #age: NewestNote;
  readonly #names: Names;
  readonly #integrity: Integrity;
  readonly #audited: Audited;

  constructor(dependencies: {
    database: Database;
    vault: Vault;
    commits: Commits;
    claims: Claims;
    clock: SteadyClock;
    sweep: Sweeping;
    damages: Damages;
    age: NewestNote;
    names: Names;
  }) {
    const { database, vault, damages, clock } = dependencies;
    this.#database = database;
    this.#packing = new Packing(vault, () => clock.wallMs());
    this.#commits = dependencies.commits;
    this.#claims = dependencies.claims;
    this.#clock = clock;
    this.#sweep = dependencies.sweep;
    this.#damages = damages;
    this.#age = dependencies.age;
    this.#names = dependencies.names;
    this.#integrity = new Integrity(database, vault, damages, () => clock.nowMs());
    this.#audited = new Audited(database, damages);
  }

  async add(
    document: NewDocument,
    pdf: Uint8Array,
    audit: (documentId: string) => NewAudit,
    claim: IdempotencyClaim | null,
    naming: Naming | null = null,
  ): Promise<DocumentRecord> {
    const documentId = uuidv7(this.#clock.wallMs());
    const bytes = pdf.byteLength;
    const names =
      naming === null ? null : (await this.#names.maker())({ ...document, documentId, naming });
    const settlement = claim === null ? null : this.#claims.settlement(claim);
    const { expiresAtMs } = document;
    const commit = async (place: Place): Promise<Schema['documents']> => {
      const row = newRow(documentId, document, bytes, place);
      const record = auditRow(this.#database, audit(documentId));
      const { pack } = place;
      await this.#commits.add({ document: row, pack, names, audit: record, claim: settlement });
      return row;
    };
    let row: Schema['documents'];
    try {
      row = await this.#packing.store({ documentId, expiresAtMs, pdf }, commit);
    } catch (error) {
      throw asUnavailable(error);
    }
    if (claim !== null) this.#claims.forget(claim);
    this.#age.added(documentId);
    return this.#recordOf({ ...row, damage: null });
  }

  async find(teamId: string, documentId: string): Promise<Found<DocumentRecord>> {
    const row = await this.#row(documentId);
    if (row === undefined) return { found: false, why: 'absent' };
    if (row.team_id !== teamId) return { found: false, why: 'foreign' };
    return { found: true, value: await this.#record(row) };
  }

  async findAny(documentId: string): Promise<DocumentRecord | null> {
    const row = await this.#row(documentId);
    return row === undefined ? null : this.#record(row);
  }

  makerOf(document: DocumentRecord): Promise<DocumentMaker | null> {
    return findMaker(this.#database, document);
  }

  async findBySha256(
    teamId: string,
    sha256: string,
    countMax: number,
  ): Promise<readonly DocumentRecord[]> {
    const bytes = fromHex(sha256);
    if (bytes === null) return [];
    const rows = await this.#database.read((db) =>
      selectDocument(db)
        .where('team_id', '=', teamId)
        .where('sha256', '=', bytes)
        .where('state', '!=', DOCUMENT_STATES.swept)
        // The service did not make these bytes, whatever the row says.
        .where((where) => where.or([where('kind', 'is', null), where('kind', '!=', 'altered')]))
        .orderBy('created_at_ms')
        .orderBy('documents.document_id')
        .limit(sql.lit(countMax))
        .execute(),
    );
    return this.#records(rows);
  }

  async list(filter: DocumentFilter): Promise<DocumentPage> {
    const { rows, ...rest } = await listDocuments(this.#database, this.#names, filter);
    return { documents: await this.#records(rows), ...rest };
  }

  async #row(documentId: string): Promise<DocumentRow | undefined> {
    if (!isUuid(documentId)) return undefined;
    const row = await this.#database.read((db) =>
      selectDocument(db).where('documents.document_id', '=', documentId).executeTakeFirst(),
    );
    return row?.state === DOCUMENT_STATES.swept ? undefined : row;
  }

  open(document: DocumentFile, reading: Reading): Promise<StoredFile> {
    return this.#integrity.open(document, reading);
  }

  scrub(scrub: Scrub): Promise<ScrubResult> {
    return this.#integrity.scrub(scrub);
  }

  compareWithAudit(onAltered: (documentId: string) => void): Promise<AuditComparison> {
    return this.#audited.compare(onAltered);
  }

  expire(documentId: string, nowMs: number): Promise<void> {
    return isUuid(documentId) ? this.#sweep.expire(documentId, nowMs) : Promise.resolve();
  }

  async sweep(nowMs: number, areOrphansAccepted = false): ReturnType<DocumentStore['sweep']> {
    await this.#damages.settle();
    return this.#sweep.run(nowMs, areOrphansAccepted);
  }

  async #record(row: DocumentRow): Promise<DocumentRecord> {
    const [record = this.#recordOf(row)] = await this.#records([row]);
    return record;
  }

  /**
   * Documents of a run stay `packed` when their pack is destroyed. The clock may have been set back
   * since, so the row of the pack decides whether a document that seems to be living is.
   */
  async #records(rows: readonly DocumentRow[]): Promise<readonly DocumentRecord[]> {
    const records = rows.map((row) => this.#recordOf(row));
    const packIds = new Set(
      records.flatMap(({ gone, pack }) => (gone || pack === null ? [] : [pack.packId])),
    );
    if (packIds.size === 0) return records;
    const living = await findLivingPacks(this.#database, [...packIds]);
    return records.map((record) =>
      record.pack === null || living.has(record.pack.packId) ? record : { ...record, gone: true },
    );
  }

  #recordOf(row: DocumentRow): DocumentRecord {
    return {
      documentId: row.document_id,
      teamId: row.team_id,
      templateId: row.template_id,
      version: row.version,
      sha256: hex(row.sha256),
      bytes: row.bytes,
      pages: row.pages,
      protected: row.protected === 1,
      createdAtMs: row.created_at_ms,
      expiresAtMs: row.expires_at_ms,
      gone: !LIVING_STATES.includes(row.state) || this.#clock.nowMs() >= row.expires_at_ms,
      damaged: row.damage !== null,
      missing: row.damage === 'missing',
      pack: packPlace(row),
      wrappedKey: row.wrapped_key,
    };
  }
}

function newRow(
  documentId: string,
  document: NewDocument,
  bytes: number,
  { pack, offset, wrappedKey }: Place,
): Schema['documents'] {
  return {
    document_id: documentId,
    team_id: document.teamId,
    template_id: document.templateId,
    version: document.version,
    sha256: digestBytes(document.sha256),
    bytes,
    pages: document.pages,
    protected: document.protected ? 1 : 0,
    created_at_ms: document.createdAtMs,
    expires_at_ms: document.expiresAtMs,
    state: pack === null ? DOCUMENT_STATES.available : DOCUMENT_STATES.packed,
    pack_id: pack?.row.file_id ?? null,
    pack_offset: pack === null ? null : offset,
    wrapped_key: wrappedKey,
  };
}
