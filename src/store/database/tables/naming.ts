import type { SchemaEditor } from '../schema-editor.ts';

/** The tables of references and file names as the database holds them. */
export interface NamingSchema {
  /** Documents whose template declares a reference or a file name, as long as they live. */
  document_names: {
    document_id: string;
    /** The key of hash and file name. */
    key_id: string;
    /** The first 16 bytes of the reference's HMAC (naming-key.ts); null: it has none. */
    reference_hash: Uint8Array | null;
    /** Null: the template keeps no more than the hash. */
    reference: string | null;
    /** Encrypted (naming-key.ts); null: the document's id is its name. */
    file_name: Uint8Array | null;
    /** When the document expires; the row is removed with it. */
    expires_at_ms: number;
  };
  /** Keys of hashes and file names, usually one; the key itself, or wrapped by the encryption keys. */
  naming_keys: {
    key_id: string;
    plain_key: Uint8Array | null;
    wrapped_key: Uint8Array | null;
  };
}

export const NAME_COLUMNS = [
  'document_id',
  'key_id',
  'reference_hash',
  'reference',
  'file_name',
  'expires_at_ms',
] as const satisfies readonly (keyof NamingSchema['document_names'])[];

/**
 * A migration: creates the tables of references and file names. They are apart from the documents, so
 * that no index is built over rows that exist, and documents without names cost nothing.
 */
export async function createNaming(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('document_names')
    .addColumn('document_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('key_id', types.uuid, (c) => c.notNull())
    .addColumn('reference_hash', types.halfDigest)
    .addColumn('reference', types.text)
    .addColumn('file_name', types.blob)
    .addColumn('expires_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema
    .createTable('naming_keys')
    .addColumn('key_id', types.uuid, (c) => c.primaryKey().notNull())
    .addColumn('plain_key', types.digest)
    .addColumn('wrapped_key', types.wrappedKey)
    .execute();
  const found = ['reference_hash', 'document_id'];
  await schema.addIndex('document_names', 'document_names_reference', found);
  await schema.addIndex('document_names', 'document_names_expiry', ['expires_at_ms']);
}
