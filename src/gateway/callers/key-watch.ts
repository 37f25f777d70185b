import { LRUCache } from 'lru-cache';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { describeError, type Log } from '../../log/log.ts';
import { StorageUnavailable, type KeyRecord, type Store } from '../../store/store.ts';
import type { AuditAction } from '../audit-actions.ts';
import type { KeyObserver } from './auth.ts';
import { Counters, type Count } from '../metrics/exposition.ts';

/** The last use of a key is written, and the use of an ended key recorded, once in this time. */
const NOTE_MS = 60_000;
/**
 * Limit of the keys that are remembered for this; the least recently used is forgotten and may be
 * written sooner.
 */
const KEYS_NOTED_MAX = 10_000;
/** Limit of the keys with separate counts in /metrics; further keys are counted together. */
const KEYS_COUNTED_MAX = 500;
const OTHERS = 'other';
const KEY_PREFIX = 'key:';
/** Statuses of refusals that are counted by key. */
const STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Records the last use of API keys, the use of ended keys, and refusals by key. It writes in the
 * background, so that no request waits.
 */
export class KeyWatch implements KeyObserver {
  /** For /metrics, by the id of an issued key and the error code. */
  readonly refusals = new Counters(
    'intaglio_key_refusals_total',
    'Refusals 401, 403 and 429 of API keys that were issued.',
    ['key', 'code'],
  );
  readonly #store: Store;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #touchedAtMs = new LRUCache<string, number>({ max: KEYS_NOTED_MAX });
  readonly #recordedAtMs = new LRUCache<string, number>({ max: KEYS_NOTED_MAX });
  readonly #counts = new Map<string, Map<ErrorCode, Count>>();

  constructor(store: Store, log: Log, nowMs: () => number) {
    this.#store = store;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  used({ keyId, lastUsedAtMs }: KeyRecord): void {
    const nowMs = this.#nowMs();
    const last = Math.max(lastUsedAtMs ?? 0, this.#touchedAtMs.get(keyId) ?? 0);
    if (nowMs - last < NOTE_MS) return;
    this.#touchedAtMs.set(keyId, nowMs);
    this.#inBackground('last use of a key not written', this.#store.keys.touch(keyId));
  }

  ended({ keyId, teamId }: KeyRecord): void {
    this.#count(keyId, 'unauthenticated');
    const nowMs = this.#nowMs();
    if (nowMs - (this.#recordedAtMs.get(keyId) ?? 0) < NOTE_MS) return;
    this.#recordedAtMs.set(keyId, nowMs);
    const action: AuditAction = 'keys.use';
    const record = this.#store.audit.add({
      atMs: nowMs,
      requestId: '',
      teamId,
      principal: `${KEY_PREFIX}${keyId}`,
      action,
      outcome: 'denied',
      code: 'unauthenticated',
      templateId: '',
      version: null,
      documentId: '',
      mode: '',
      pages: null,
      bytes: null,
      durationMs: null,
      sha256: '',
      signer: '',
      certificateSerial: '',
      draft: false,
      contributors: [],
      detail: '',
    });
    this.#inBackground('use of an ended key not recorded', record);
  }

  /** A request of `caller`, an id of a principal or '', was refused. */
  refused(caller: string, code: ErrorCode): void {
    if (STATUSES.has(ERRORS[code].status) && caller.startsWith(KEY_PREFIX)) {
      this.#count(caller.slice(KEY_PREFIX.length), code);
    }
  }

  #count(keyId: string, code: ErrorCode): void {
    const isApart = this.#counts.has(keyId) || this.#counts.size < KEYS_COUNTED_MAX;
    const label = isApart ? keyId : OTHERS;
    let codes = this.#counts.get(label);
    if (codes === undefined) {
      codes = new Map();
      this.#counts.set(label, codes);
    }
    let count = codes.get(code);
    if (count === undefined) {
      count = this.refusals.of(label, code);
      codes.set(code, count);
    }
    count.add(1);
  }

  #inBackground(msg: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      const level = error instanceof StorageUnavailable ? 'warn' : 'error';
      this.#log[level]({ msg, err: describeError(error) });
    });
  }
}
