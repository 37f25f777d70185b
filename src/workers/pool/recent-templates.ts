import type { SharedTemplate } from '#engine';

/** Number of templates that a new thread loads first. */
const RECENT_MAX = 16;

/** Templates that rendered lately; a new thread loads them before its first job. */
export class RecentTemplates {
  /** By hash, the oldest first. */
  readonly #templates = new Map<string, SharedTemplate>();
  /** Hash of the latest; '' when it was forgotten. */
  #latest = '';

  /** The oldest first. */
  get list(): readonly SharedTemplate[] {
    return [...this.#templates.values()];
  }

  add(template: SharedTemplate): void {
    const { hash } = template;
    // Deleting and setting a key for each document would copy the map every few documents.
    if (hash === this.#latest) return;
    this.#latest = hash;
    this.#templates.delete(hash);
    this.#templates.set(hash, template);
    const [oldest] = this.#templates.keys();
    if (this.#templates.size > RECENT_MAX && oldest !== undefined) this.#templates.delete(oldest);
  }

  forget(hash: string): void {
    this.#templates.delete(hash);
    if (hash === this.#latest) this.#latest = '';
  }
}
