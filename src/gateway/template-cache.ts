import { LRUCache } from 'lru-cache';
import type { Found, Store, TemplateStatus, TemplateVersion } from '../store/store.ts';
import type { SharedTemplate } from '../workers/job.ts';

/** How long the number of the latest version is cached after a publication elsewhere. */
const LATEST_MS = 1_000;
const LATEST_COUNT_MAX = 20_000;
/** How long callers that name an unpublished version may still use it. */
const USABLE_MS = 3_000;
const USABLE_COUNT_MAX = 20_000;
/** Longer template ids do not exist and are not looked up. */
const TEMPLATE_ID_LENGTH_MAX = 200;
/** A version above this does not exist; below it every integer is exact in any database. */
const VERSION_MAX = 2_147_483_647;

const ABSENT = { found: false, why: 'absent' } as const;

/** A template version, ready for any thread. */
export class LoadedTemplate {
  readonly shared: SharedTemplate;
  readonly status: TemplateStatus;

  constructor(record: TemplateVersion) {
    const source = new SharedArrayBuffer(record.source.byteLength);
    new Uint8Array(source).set(record.source);
    const { hash, templateId, version } = record;
    this.shared = { hash, source, templateId, version };
    this.status = record.status;
  }
}

/**
 * Caches templates by team, id and version. The content of a published version never changes;
 * whether it may still be used is checked again every few seconds.
 */
export class TemplateCache {
  hits = 0;
  misses = 0;
  readonly #store: Store;
  readonly #versions: LRUCache<string, LoadedTemplate>;
  /** The recently read number of the latest version. */
  readonly #latest: LRUCache<string, number>;
  /** Versions that were recently found to be in use. */
  readonly #usable: LRUCache<string, true>;

  constructor(store: Store, bytesMax: number, monotonicMs = (): number => performance.now()) {
    this.#store = store;
    const clock = { ttlResolution: 0, perf: { now: monotonicMs } };
    this.#latest = new LRUCache({ max: LATEST_COUNT_MAX, ttl: LATEST_MS, ...clock });
    this.#usable = new LRUCache({ max: USABLE_COUNT_MAX, ttl: USABLE_MS, ...clock });
    this.#versions = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: (template) => template.shared.source.byteLength + 1_024,
    });
  }

  /** A published version; `version` null selects the latest. */
  async published(
    teamId: string,
    templateId: string,
    version: number | null,
  ): Promise<Found<LoadedTemplate>> {
    if (templateId.length > TEMPLATE_ID_LENGTH_MAX) return ABSENT;
    if (version !== null && !(Number.isInteger(version) && version > 0 && version <= VERSION_MAX)) {
      return ABSENT;
    }
    // JSON separates the two ids whatever characters they contain.
    const name = JSON.stringify([teamId, templateId]);
    const wanted = version ?? this.#latest.get(name);
    const cached = wanted === undefined ? undefined : this.#versions.get(`${name}${wanted}`);
    if (cached !== undefined && (version === null || this.#usable.has(`${name}${wanted}`))) {
      this.hits += 1;
      return { found: true, value: cached };
    }
    this.misses += 1;
    const found = await this.#store.templates.published(teamId, templateId, version);
    if (!found.found) return found;
    const latest = found.value.version;
    const template = this.#versions.get(`${name}${latest}`) ?? new LoadedTemplate(found.value);
    this.#versions.set(`${name}${latest}`, template);
    this.#usable.set(`${name}${latest}`, true);
    if (version === null) this.#latest.set(name, latest);
    return { found: true, value: template };
  }

  /** A draft is not cached, because it may change at any moment. */
  async draft(teamId: string, templateId: string): Promise<Found<LoadedTemplate>> {
    if (templateId.length > TEMPLATE_ID_LENGTH_MAX) return ABSENT;
    const found = await this.#store.templates.draft(teamId, templateId);
    return found.found ? { found: true, value: new LoadedTemplate(found.value) } : found;
  }

  /** Must be called when this instance has published a version. */
  forgetLatest(teamId: string, templateId: string): void {
    this.#latest.delete(JSON.stringify([teamId, templateId]));
  }

  get bytes(): number {
    return this.#versions.calculatedSize;
  }

  get count(): number {
    return this.#versions.size;
  }
}
