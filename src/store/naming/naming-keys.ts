import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { NamingSchema } from '../database/tables/naming.ts';
import { uuidv7 } from '../ids.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Vault } from '../encryption/vault.ts';
import { NAMING_KEY_BYTES, NamingKey } from './naming-key.ts';

/**
 * The keys of references and file names. The database makes one at first use, wraps it by the
 * encryption keys if there are any, and backs it up with its rows; so instances that share a database
 * share the key. When it cannot be unwrapped, a second one is made: the names of documents that the
 * first one hides are found again as soon as the encryption key is listed.
 */
export class NamingKeys {
  readonly #database: Database;
  readonly #ring: KeyRing;
  readonly #vault: Vault;
  readonly #wallMs: () => number;
  readonly #known = new Map<string, NamingKey>();
  #current: Promise<NamingKey> | null = null;

  constructor(database: Database, ring: KeyRing, vault: Vault, wallMs: () => number) {
    this.#database = database;
    this.#ring = ring;
    this.#vault = vault;
    this.#wallMs = wallMs;
  }

  /** The key of new rows. */
  current(): Promise<NamingKey> {
    this.#current ??= this.#choose().catch((error: unknown) => {
      this.#current = null;
      throw error;
    });
    return this.#current;
  }

  /** All keys, also those that other instances have made since; few. */
  async all(): Promise<readonly NamingKey[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('naming_keys').selectAll().orderBy('key_id').execute(),
    );
    const keys: NamingKey[] = [];
    for (const row of rows) {
      const key = this.#known.get(row.key_id) ?? (await this.#open(row));
      if (key !== null) keys.push(key);
    }
    return keys;
  }

  /** Null: it cannot be unwrapped now. */
  async find(keyId: string): Promise<NamingKey | null> {
    const known = this.#known.get(keyId);
    if (known !== undefined) return known;
    return (await this.all()).find(({ id }) => id === keyId) ?? null;
  }

  /** The oldest that can be used, so that instances agree; a new one when there is none. */
  async #choose(): Promise<NamingKey> {
    const [oldest] = await this.all();
    return oldest ?? this.#make();
  }

  async #open(row: NamingSchema['naming_keys']): Promise<NamingKey | null> {
    const { key_id: keyId, plain_key: plain, wrapped_key: wrapped } = row;
    if (plain !== null) {
      await this.#wrap(keyId, plain);
      return this.#keep(keyId, plain);
    }
    const key = wrapped === null ? null : await this.#ring.unwrap(wrapped);
    return key === null ? null : this.#keep(keyId, key);
  }

  /** Encryption was switched on after the key was made. */
  async #wrap(keyId: string, plain: Uint8Array): Promise<void> {
    const wrapping = this.#ring.wrap(plain);
    if (wrapping === null) return;
    await this.#vault.recordUse(wrapping.keyId);
    await this.#database.write((db) =>
      db
        .updateTable('naming_keys')
        .set({ plain_key: null, wrapped_key: wrapping.wrapped })
        .where('key_id', '=', keyId)
        .where('plain_key', 'is not', null)
        .execute(),
    );
  }

  async #make(): Promise<NamingKey> {
    const key = new Uint8Array(randomBytes(NAMING_KEY_BYTES));
    const wrapping = this.#ring.wrap(key);
    if (wrapping !== null) await this.#vault.recordUse(wrapping.keyId);
    const row = {
      key_id: uuidv7(this.#wallMs()),
      plain_key: wrapping === null ? key : null,
      wrapped_key: wrapping?.wrapped ?? null,
    };
    await this.#database.write((db) => db.insertInto('naming_keys').values(row).execute());
    return this.#keep(row.key_id, key);
  }

  #keep(keyId: string, key: Uint8Array): NamingKey {
    const made = new NamingKey(keyId, key);
    this.#known.set(keyId, made);
    return made;
  }
}
