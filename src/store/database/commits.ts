import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.ts';
import { CommitUnknown, isFault } from './database-fault.ts';
import type { Schema } from './schema.ts';
import {
  AUDIT_COLUMNS,
  DOCUMENT_COLUMNS,
  ENCRYPTED_COLUMNS,
  FILE_COLUMNS,
  insertOf,
  PACKED_COLUMNS,
} from './inserts.ts';
import { NAME_COLUMNS } from './tables/naming.ts';
import { Miscount, type ScriptStatement } from './script.ts';
import { StorageUnavailable } from '../terms.ts';

/**
 * Rows that become durable together: an audit record, and the document and claim that it concerns.
 */
export interface CommitEntry {
  readonly audit: Schema['audit'];
  readonly document: Schema['documents'] | null;
  readonly claim: ClaimSettlement | null;
  /**
   * The pack that contains the document's file. Absent or null if the document has a separate file,
   * or none.
   */
  readonly pack?: CommittedPack | null;
  /** Reference and file name of the document; absent: it has none. */
  readonly names?: Schema['document_names'] | null;
  /**
   * Further statements. When one of them changes an unexpected number of rows, nothing of the entry
   * is stored, and `add` rejects with its `Miscount`.
   */
  readonly script?: readonly ScriptStatement[];
}

/** A pack whose row is inserted by the first transaction that has one of its documents. */
export interface CommittedPack {
  readonly row: Schema['run_files'];
  /** Set when the row is known to be stored. */
  isStored: boolean;
}

export interface ClaimSettlement {
  readonly teamId: string;
  readonly keyDigest: Uint8Array;
  readonly owner: string;
}

export interface CommitsSettings {
  /** Limit of the entries in one transaction. */
  readonly batchMax: number;
  /** Limit of the entries that wait; more are refused. */
  readonly waitingMax: number;
  readonly upstream: () => Upstream;
  readonly rhythm: Rhythm;
}

/** Timing of commits, in ms. */
export interface Rhythm {
  /**
   * Interval between the starts of two commits while entries come concurrently: each commit costs a
   * message, a transaction and an fsync, however many entries it holds.
   */
  readonly intervalMs: Readonly<Record<Upstream, number>>;
  /** Entries count as concurrent until this long after two were last under way at once. */
  readonly concurrentMs: number;
}

/**
 * Load of the stages before the store. The higher it is, the longer a commit may wait for entries to
 * share it, because the requests behind it would have to wait anyway.
 * - `idle`: nothing is under way.
 * - `busy`: some request is under way.
 * - `laden`: renderers have prefetched more jobs than they run.
 * - `backlogged`: jobs wait for a renderer.
 */
export type Upstream = 'idle' | 'busy' | 'laden' | 'backlogged';

/** Another request has taken over the claim since, so this document must not be stored. */
export class ClaimLost extends StorageUnavailable {
  override readonly name = 'ClaimLost';

  constructor() {
    super('the idempotency claim was lost to another instance');
  }
}

/** One entry keeps its batch from being committed. */
class EntryRefused extends Error {
  override readonly name = 'EntryRefused';
  readonly entry: CommitEntry;
  /** The error that `add` rejects with. */
  readonly reason: ClaimLost | Miscount;

  constructor(entry: CommitEntry, reason: ClaimLost | Miscount) {
    super('an entry was refused', { cause: reason });
    this.entry = entry;
    this.reason = reason;
  }
}

const TRIES_MAX = 4;
/** Unit of the random delay between two attempts, which doubles with each attempt. */
const RETRY_DELAY_MS = 5;
export const RHYTHM: Rhythm = {
  intervalMs: { idle: 0, busy: 2, laden: 4, backlogged: 8 },
  concurrentMs: 20,
};

interface Waiting {
  readonly entry: CommitEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: one transaction is under way at a time, and the entries added meanwhile share the
 * next one. An entry that is alone is committed at once.
 */
export class Commits {
  readonly #database: Pick<Database, 'commitGroup' | 'read'>;
  readonly #settings: CommitsSettings;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  /** Entries that wait or are being committed. */
  #unsettled = 0;
  /** When two entries were last under way at once. */
  #concurrentAtMs = Number.NEGATIVE_INFINITY;
  /** When the last transaction began. */
  #begunAtMs = Number.NEGATIVE_INFINITY;
  /** Called for each added entry while the next batch waits for more. */
  #onAdded: (() => void) | null = null;

  constructor(database: Pick<Database, 'commitGroup' | 'read'>, settings: CommitsSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /**
   * Resolves when the entry is durable. Rejects with `CommitUnknown` when the entry may be
   * committed, with any other error when it certainly is not.
   */
  add(entry: CommitEntry): Promise<void> {
    if (this.#waiting.length >= this.#settings.waitingMax) {
      return Promise.reject(new StorageUnavailable('too many commits wait for the database'));
    }
    this.#unsettled += 1;
    if (this.#unsettled > 1) this.#concurrentAtMs = performance.now();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#running ??= this.#run();
      this.#onAdded?.();
    });
  }

  /** Resolves when nothing waits or runs. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Entries added in the same tick join the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#waiting.splice(0, this.#settings.batchMax);
      this.#begunAtMs = performance.now();
      await this.#commit(batch);
      this.#unsettled -= batch.length;
    }
    this.#running = null;
  }

  /** Waits for more entries when some are likely to come. */
  async #gather(): Promise<void> {
    if (performance.now() - this.#concurrentAtMs > this.#settings.rhythm.concurrentMs) return;
    for (let dueInMs = this.#dueInMs(); dueInMs > 0; dueInMs = this.#dueInMs()) {
      await this.#waitUntilDue(dueInMs);
    }
  }

  /** Time until the next batch is due, in ms. */
  #dueInMs(): number {
    if (this.#waiting.length >= this.#settings.batchMax) return 0;
    const { upstream, rhythm } = this.#settings;
    return this.#begunAtMs + rhythm.intervalMs[upstream()] - performance.now();
  }

  /** Resolves after `dueInMs`, or as soon as the batch is due when an entry is added. */
  async #waitUntilDue(dueInMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, dueInMs);
      this.#onAdded = () => {
        if (this.#dueInMs() > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onAdded = null;
  }

  /** Settles every entry of the batch; never throws. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    let left = batch;
    let isInDoubt = false;
    for (let tries = 1; left.length > 0; tries += 1) {
      try {
        await this.#commitEntries(left.map((waiting) => waiting.entry));
        resolveAll(left);
        return;
      } catch (error) {
        const mayRetry = tries < TRIES_MAX;
        if (error instanceof EntryRefused) {
          left = withoutRefused(left, error);
        } else if (isUnknown(error, isInDoubt)) {
          if (await this.#settleUnknown(left, error, mayRetry)) return;
          isInDoubt = true;
        } else if (mayRetry && (isFault(error, 'conflict') || isFault(error, 'lost'))) {
          await delay(Math.random() * RETRY_DELAY_MS * 2 ** tries);
        } else {
          await this.#settleFailed(left, error, isInDoubt);
          return;
        }
      }
    }
  }

  async #commitEntries(entries: readonly CommitEntry[]): Promise<void> {
    const { statements, claimed, scripted } = scriptOf(entries);
    try {
      await this.#database.commitGroup(statements);
    } catch (error) {
      if (!(error instanceof Miscount)) throw error;
      const claimer = claimed.get(error.index);
      if (claimer !== undefined) throw new EntryRefused(claimer, new ClaimLost());
      const owner = scripted.get(error.index);
      throw owner === undefined ? error : new EntryRefused(owner, error);
    }
  }

  /**
   * Called when COMMIT was sent and no answer came: looks on another connection for the batch, of
   * which either all rows are stored or none. False: none is, and the batch is to be tried again. A
   * transaction that is still under way holds locks on its ids, so a new attempt waits for it.
   */
  async #settleUnknown(
    batch: readonly Waiting[],
    error: unknown,
    mayRetry: boolean,
  ): Promise<boolean> {
    const outcome = await this.#outcomeOf(batch);
    if (outcome === 'absent' && mayRetry) return false;
    if (outcome === 'committed') resolveAll(batch);
    else rejectAll(batch, error instanceof CommitUnknown ? error : new CommitUnknown('in doubt'));
    return true;
  }

  async #settleFailed(
    batch: readonly Waiting[],
    error: unknown,
    isInDoubt: boolean,
  ): Promise<void> {
    if (batch.length > 1 && (isFault(error, 'refused') || isFault(error, 'duplicate'))) {
      // One bad entry must not take the others with it.
      for (const waiting of batch) await this.#commit([waiting]);
      return;
    }
    rejectAll(batch, isInDoubt ? new CommitUnknown('in doubt', { cause: error }) : error);
  }

  /** Whether the batch is in the database; `unknown` when that cannot be found out now. */
  async #outcomeOf(batch: readonly Waiting[]): Promise<'committed' | 'absent' | 'unknown'> {
    const auditId = batch[0]?.entry.audit.audit_id ?? '';
    try {
      const row = await this.#database.read((db) =>
        db
          .selectFrom('audit')
          .select('audit_id')
          .where('audit_id', '=', auditId)
          .executeTakeFirst(),
      );
      return row === undefined ? 'absent' : 'committed';
    } catch (error) {
      // Any error leaves the batch in doubt; its callers must get an answer.
      if (error instanceof Error) return 'unknown';
      throw error;
    }
  }
}

/** Rejects the entry that was refused; returns the others. */
function withoutRefused(
  batch: readonly Waiting[],
  { entry, reason }: EntryRefused,
): readonly Waiting[] {
  for (const waiting of batch) if (waiting.entry === entry) waiting.reject(reason);
  return batch.filter((waiting) => waiting.entry !== entry);
}

/** Whether the transaction may have been committed, this time or, after a doubt, the time before. */
function isUnknown(error: unknown, isInDoubt: boolean): boolean {
  return error instanceof CommitUnknown || (isInDoubt && isFault(error, 'duplicate'));
}

function resolveAll(batch: readonly Waiting[]): void {
  for (const { entry, resolve } of batch) {
    if (entry.pack) entry.pack.isStored = true;
    resolve();
  }
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error);
}

/**
 * The statements of a batch; by the index of a statement, `claimed` has the entry whose claim it
 * settles, and `scripted` the entry whose script it belongs to.
 */
function scriptOf(entries: readonly CommitEntry[]): {
  statements: readonly ScriptStatement[];
  claimed: ReadonlyMap<number, CommitEntry>;
  scripted: ReadonlyMap<number, CommitEntry>;
} {
  const audits = entries.map((entry) => entry.audit);
  const statements = documentInserts(entries);
  const names = entries.flatMap((entry) => entry.names ?? []);
  if (names.length > 0) statements.push(insertOf('document_names', NAME_COLUMNS, names));
  statements.push(insertOf('audit', AUDIT_COLUMNS, audits));
  const claimed = new Map<number, CommitEntry>();
  for (const entry of entries) {
    if (entry.claim === null) continue;
    claimed.set(statements.length, entry);
    statements.push(settlementOf(entry.document?.document_id ?? null, entry.claim));
  }
  const scripted = new Map<number, CommitEntry>();
  for (const entry of entries) {
    for (const statement of entry.script ?? []) {
      scripted.set(statements.length, entry);
      statements.push(statement);
    }
  }
  return { statements, claimed, scripted };
}

/** Inserts the documents of a batch, and the rows of their packs. */
function documentInserts(entries: readonly CommitEntry[]): ScriptStatement[] {
  const separate: Schema['documents'][] = [];
  const packed: Schema['documents'][] = [];
  const packs = new Set<Schema['run_files']>();
  for (const { document, pack = null } of entries) {
    if (document === null) continue;
    (pack === null ? separate : packed).push(document);
    if (pack !== null && !pack.isStored) packs.add(pack.row);
  }
  const statements: ScriptStatement[] = [];
  if (packs.size > 0) statements.push(insertOf('run_files', FILE_COLUMNS, [...packs]));
  if (packed.length > 0) statements.push(insertOf('documents', PACKED_COLUMNS, packed));
  if (separate.length > 0) {
    const isEncrypted = separate.some((document) => document.wrapped_key !== null);
    const columns = isEncrypted ? ENCRYPTED_COLUMNS : DOCUMENT_COLUMNS;
    statements.push(insertOf<(typeof ENCRYPTED_COLUMNS)[number]>('documents', columns, separate));
  }
  return statements;
}

/** Settles a claim; changes no row when it was taken over. `subjectId` is a document or a run. */
export function settlementOf(subjectId: string | null, claim: ClaimSettlement): ScriptStatement {
  return {
    sql:
      'update idempotency set document_id = ?' +
      ' where team_id = ? and key_digest = ? and owner = ? and document_id is null',
    parameters: [subjectId, claim.teamId, claim.keyDigest, claim.owner],
    changes: 1,
  };
}
