import { type Kysely, sql } from 'kysely';
import { type Naming, normalReference } from '../../runtime/naming/naming.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { isUuid } from '../ids.ts';
import { Backlog } from '../removal/backlog.ts';
import { readSound } from '../removal/sound-rows.ts';
import type { NamingKeys } from './naming-keys.ts';
import type { DocumentNames, KeptNaming } from './types.ts';

/** Ids in one statement. */
const IDS_MAX = 500;

/** References and file names of documents, which live as long as the documents. */
export class Names implements DocumentNames {
  readonly #database: Database;
  readonly #keys: NamingKeys;

  constructor(database: Database, keys: NamingKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Makes the rows of new documents; call it before the transaction that adds the documents. */
  async maker(): Promise<(document: NamedDocument) => Schema['document_names']> {
    const key = await this.#keys.current();
    return ({ documentId, teamId, expiresAtMs, naming }) => {
      const { reference, keep, fileName } = naming;
      return {
        document_id: documentId,
        key_id: key.id,
        reference_hash: reference === '' ? null : key.hash(teamId, reference),
        reference: reference === '' || keep === 'hash' ? null : reference,
        file_name: fileName === '' ? null : key.encrypt(documentId, fileName),
        expires_at_ms: expiresAtMs,
      };
    };
  }

  async of(documentIds: readonly string[]): Promise<ReadonlyMap<string, KeptNaming>> {
    const found = new Map<string, KeptNaming>();
    for (let at = 0; at < documentIds.length; at += IDS_MAX) {
      const ids = documentIds.slice(at, at + IDS_MAX);
      // A damaged row names nothing; its document is delivered all the same.
      const { rows } = await readSound(this.#database, ids, (db, some) =>
        db.selectFrom('document_names').selectAll().where('document_id', 'in', some).execute(),
      );
      for (const row of rows) found.set(row.document_id, await this.#kept(row));
    }
    return found;
  }

  async #kept(row: Schema['document_names']): Promise<KeptNaming> {
    const { document_id: documentId, key_id: keyId, reference, file_name: bytes } = row;
    const key = bytes === null ? null : await this.#keys.find(keyId);
    const fileName = bytes === null ? null : (key?.decrypt(documentId, bytes) ?? null);
    return { reference: reference ?? '', fileName: fileName ?? '' };
  }

  /**
   * Ids of documents of a team with this reference, the newest first, at most `countMax`; `after`: only
   * older ones. When no document has it as it was written, those that have it in capitals: people type
   * what is printed as RC-0005 in small letters.
   */
  async find(
    teamId: string,
    reference: string,
    countMax: number,
    after: string | undefined,
  ): Promise<FoundNames> {
    const written = normalReference(reference);
    const capitals = normalReference(reference.toUpperCase());
    const ids = await this.#idsOf(teamId, written, countMax, after);
    if (ids.length > 0 || capitals === written) return { reference: written, ids };
    // A later page of documents that have it as written is empty, too.
    const isLaterPage = isUuid(after);
    if (isLaterPage && (await this.#idsOf(teamId, written, 1, undefined)).length > 0) {
      return { reference: written, ids };
    }
    const others = await this.#idsOf(teamId, capitals, countMax, after);
    return { reference: others.length > 0 ? capitals : written, ids: others };
  }

  async #idsOf(
    teamId: string,
    reference: string,
    countMax: number,
    after: string | undefined,
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const key of await this.#keys.all()) {
      const hash = key.hash(teamId, reference);
      // The rows of the documents are compared when they are read.
      const rows = await this.#database.readUncompared((db) =>
        byReference(db, hash, countMax, after).execute(),
      );
      for (const row of rows) ids.push(row.document_id);
    }
    return ids.toSorted().toReversed().slice(0, Math.max(0, countMax));
  }

  /**
   * The same for the reference of a document, by the hash in its row: the reference itself need not be
   * kept. Documents whose reference was hashed with another key are not found.
   */
  async findSame(
    documentId: string,
    countMax: number,
    after: string | undefined,
  ): Promise<readonly string[]> {
    const { rows } = await readSound(this.#database, [documentId], (db, some) =>
      db.selectFrom('document_names').selectAll().where('document_id', 'in', some).execute(),
    );
    const hash = rows[0]?.reference_hash ?? null;
    if (hash === null) return [];
    const same = await this.#database.readUncompared((db) =>
      byReference(db, hash, countMax, after).execute(),
    );
    return same.map((row) => row.document_id);
  }

  /** Removes the names of documents that have expired by then. */
  async forget(nowMs: number): Promise<void> {
    await new Backlog(this.#database).remove('document_names', sql`expires_at_ms <= ${nowMs}`);
  }

  /** The same for one document. */
  async forgetOne(documentId: string, nowMs: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('document_names')
        .where('document_id', '=', documentId)
        .where('expires_at_ms', '<=', nowMs)
        .execute(),
    );
  }
}

/** The documents that a search by a reference found. */
export interface FoundNames {
  /** In the form that the documents have: as written, or in capitals. */
  readonly reference: string;
  readonly ids: readonly string[];
}

/** A new document with its names. */
export interface NamedDocument {
  readonly documentId: string;
  readonly teamId: string;
  readonly expiresAtMs: number;
  readonly naming: Naming;
}

/** Selects ids by the hash of a reference, in the order of the index `document_names_reference`. */
export function byReference(
  db: Kysely<Schema>,
  hash: Uint8Array,
  countMax: number,
  after: string | undefined,
) {
  return db
    .selectFrom('document_names')
    .select('document_id')
    .where('reference_hash', '=', hash)
    .$if(isUuid(after), (query) => query.where('document_id', '<', after ?? ''))
    .orderBy('document_id', 'desc')
    .limit(sql.lit(countMax));
}
