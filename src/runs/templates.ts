import { LRUCache } from 'lru-cache';
import { shareInSlices } from '../runtime/share-in-slices.ts';
import type { RunRecord } from '../store/runs/types.ts';
import type { Store } from '../store/store.ts';
import type { SharedTemplate } from '#engine';

const COUNT_MAX = 16;

/** Loads the templates of runs, in the version that was fixed when the run was created. */
export class RunTemplates {
  readonly #store: Store;
  readonly #cache = new LRUCache<string, SharedTemplate>({ max: COUNT_MAX });

  constructor(store: Store) {
    this.#store = store;
  }

  async of({ teamId, spec }: RunRecord): Promise<SharedTemplate> {
    const { templateId, version } = spec;
    const key = JSON.stringify([teamId, templateId, version]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    // Runs keep using their version even if it was withdrawn since.
    const found = await this.#store.templates.version(teamId, templateId, version);
    if (found === null) throw new Error('the template version of a run is missing');
    const source = await shareInSlices(found.source);
    const template = { hash: found.hash, source, templateId, version };
    this.#cache.set(key, template);
    return template;
  }
}
