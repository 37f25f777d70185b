import { LRUCache } from 'lru-cache';
import { shareInSlices } from '../runtime/share-in-slices.ts';
import type { Found, Store, TemplateStatus, TemplateVersion } from '../store/store.ts';
import type { SharedTemplate } from '#engine';

/** How long the number of the latest version is cached after a publication elsewhere. */
const LATEST_MS = 1_000;
const LATEST_COUNT_MAX = 20_000;
/** How long callers that name an unpublished version may still use it. */
const USABLE_MS = 3_000;
const USABLE_COUNT_MAX = 20_000;
/**
 * An entry that is used in this last part of its lifetime is refreshed in the background: steady callers
 * never wait for the database, and simultaneous callers cause one query.
 */
const RENEWAL_SHARE = 1 / 4;
/** Longer template ids do not exist and are not looked up. */
const TEMPLATE_ID_LENGTH_MAX = 200;
/** A version above this does not exist; below it every integer is exact in any database. */
const VERSION_MAX = 2_147_483_647;

/** The part of the cache that is for drafts. */
const DRAFT_SHARE = 1 / 4;

const ABSENT = { found: false, why: 'absent' } as const;

/** What is looked up: a version, or with null the latest one. */
interface Look {
  readonly name: string;
  readonly teamId: string;
  readonly templateId: string;
  readonly version: number | null;
}

/** A template version, ready for any thread. */
export class LoadedTemplate {
  readonly shared: SharedTemplate;
  readonly status: TemplateStatus;

  constructor(shared: SharedTemplate, status: TemplateStatus) {
    this.shared = shared;
    this.status = status;
  }

  static async from(record: TemplateVersion): Promise<LoadedTemplate> {
    const { hash, templateId, version, status } = record;
    const source = await shareInSlices(record.source);
    return new LoadedTemplate({ hash, source, templateId, version }, status);
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
  /** Look-ups under way, which all share that ask for the same. */
  readonly #lookups = new Map<string, Promise<Found<LoadedTemplate>>>();
  /** Sources of drafts by their hash. */
  readonly #drafts: LRUCache<string, SharedArrayBuffer>;

  constructor(store: Store, bytesMax: number, monotonicMs = (): number => performance.now()) {
    this.#store = store;
    const clock = { ttlResolution: 0, perf: { now: monotonicMs } };
    this.#latest = new LRUCache({ max: LATEST_COUNT_MAX, ttl: LATEST_MS, ...clock });
    this.#usable = new LRUCache({ max: USABLE_COUNT_MAX, ttl: USABLE_MS, ...clock });
    this.#versions = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: (template) => template.shared.source.byteLength + 1_024,
    });
    this.#drafts = new LRUCache({
      maxSize: Math.ceil(bytesMax * DRAFT_SHARE),
      sizeCalculation: (source) => source.byteLength + 1_024,
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
    const look = { name, teamId, templateId, version };
    if (cached !== undefined && (version === null || this.#usable.has(`${name}${wanted}`))) {
      this.hits += 1;
      if (this.#isDue(name, version)) void this.#renew(look);
      return { found: true, value: cached };
    }
    this.misses += 1;
    return this.#share(look);
  }

  /** Whether what is known of a version, or of the latest one, is to be looked up anew. */
  #isDue(name: string, version: number | null): boolean {
    return version === null
      ? this.#latest.getRemainingTTL(name) < LATEST_MS * RENEWAL_SHARE
      : this.#usable.getRemainingTTL(`${name}${version}`) < USABLE_MS * RENEWAL_SHARE;
  }

  async #renew(look: Look): Promise<void> {
    try {
      await this.#share(look);
    } catch (error) {
      // Nobody waits for it. The caller that comes when the time is over looks itself, and is told.
      if (!(error instanceof Error)) throw error;
    }
  }

  #share(look: Look): Promise<Found<LoadedTemplate>> {
    const key = `${look.name}${look.version ?? ''}`;
    const running = this.#lookups.get(key);
    if (running !== undefined) return running;
    const isCurrent = (): boolean => this.#lookups.get(key) === lookup;
    const lookup = this.#lookUp(look, isCurrent).finally(() => {
      if (isCurrent()) this.#lookups.delete(key);
    });
    this.#lookups.set(key, lookup);
    return lookup;
  }

  async #lookUp(
    { name, teamId, templateId, version }: Look,
    isCurrent: () => boolean,
  ): Promise<Found<LoadedTemplate>> {
    const found = await this.#store.templates.published(teamId, templateId, version);
    if (!found.found) {
      if (version !== null) this.#usable.delete(`${name}${version}`);
      else if (isCurrent()) this.#latest.delete(name);
      return found;
    }
    const latest = found.value.version;
    const template =
      this.#versions.get(`${name}${latest}`) ?? (await LoadedTemplate.from(found.value));
    this.#versions.set(`${name}${latest}`, template);
    this.#usable.set(`${name}${latest}`, true);
    // If a version was published here meanwhile, it may have been too late for this look-up.
    if (version === null && isCurrent()) this.#latest.set(name, latest);
    return { found: true, value: template };
  }

  /**
   * A draft may change at any moment, so its hash is read each time. The source is read only if it
   * is not cached: editors mostly preview the draft that they have just saved here.
   */
  async draft(teamId: string, templateId: string): Promise<Found<LoadedTemplate>> {
    if (templateId.length > TEMPLATE_ID_LENGTH_MAX) return ABSENT;
    const { templates } = this.#store;
    const current = await templates.draftHash(teamId, templateId);
    if (!current.found) return current;
    const { hash, version } = current.value;
    const source = this.#drafts.get(hash);
    if (source !== undefined) {
      const shared = { hash, source, templateId, version };
      return { found: true, value: new LoadedTemplate(shared, 'draft') };
    }
    const found = await templates.draft(teamId, templateId);
    if (!found.found) return found;
    const loaded = await LoadedTemplate.from(found.value);
    this.keepDraft(loaded.shared);
    return { found: true, value: loaded };
  }

  /** Keeps the source of a draft that was saved here. */
  keepDraft({ hash, source }: SharedTemplate): void {
    this.#drafts.set(hash, source);
  }

  /** Must be called when this instance has published a version. */
  forgetLatest(teamId: string, templateId: string): void {
    const name = JSON.stringify([teamId, templateId]);
    this.#latest.delete(name);
    this.#lookups.delete(name);
  }

  get bytes(): number {
    return this.#versions.calculatedSize + this.#drafts.calculatedSize;
  }

  get count(): number {
    return this.#versions.size;
  }
}
