import { signal } from '@preact/signals';
import { session } from '../../app/state.ts';
import {
  dropLocalCopy,
  lastRemoval,
  markAccepted,
  readLocalCopy,
  storeLocalCopy,
  type LocalCopy,
} from '../local-copy.ts';

/** The text that an editor has now, without the undo history. */
export type Present = Omit<LocalCopy, 'editor'>;

/**
 * The copy of an open editor in the browser's storage, which tabs with the same draft share. Once the
 * user has signed out, in whichever tab, or the text was given up, it is not written any more.
 */
export class KeptText {
  /** false: the browser's storage is full. */
  readonly isKept = signal(true);
  readonly #name: string;
  readonly #userId = session.value.userId;
  readonly #removal = lastRemoval(session.value.userId);
  readonly #snapshot: () => unknown;
  /** null: the browser's storage does not hold the text. */
  #text: string | null;
  #tag: string | null;
  /** Identifies the stored copy; null: this editor has stored none. */
  #stamp: string | null = null;
  #storedAtMs = performance.now();
  #isDropped = false;

  /** `snapshot` gives the state of the editor with its undo history. */
  constructor(name: string, text: string, tag: string | null, snapshot: () => unknown) {
    this.#name = name;
    this.#text = text;
    this.#tag = tag;
    this.#snapshot = snapshot;
  }

  /** How long ago the text was stored. */
  get ageMs(): number {
    return performance.now() - this.#storedAtMs;
  }

  /** Whether the user has signed out since this editor was opened. */
  get isRemoved(): boolean {
    return lastRemoval(this.#userId) !== this.#removal;
  }

  store(present: Present): void {
    if (this.#isDropped || this.isRemoved) return;
    this.#storedAtMs = performance.now();
    this.#stamp = storeLocalCopy(this.#name, { ...present, editor: this.#snapshot() });
    this.#text = this.#stamp === null ? null : present.text;
    this.#tag = present.tag;
    this.isKept.value = this.#stamp !== null;
  }

  /** Stores the text unless the stored copy is up to date. */
  storeChange(present: Present): void {
    if (present.text !== this.#text || present.tag !== this.#tag) this.store(present);
  }

  /** Stores the text before the page is left. */
  storeBeforeLeaving(present: Present): void {
    this.storeChange(present);
    // Another tab with this draft may have replaced the copy with its own text.
    if (!present.isSaved && readLocalCopy(this.#name)?.text !== present.text) this.store(present);
  }

  /** Records that the service has `text` under the tag of the present text. */
  accept(text: string, present: Present): void {
    if (this.#text !== text || this.#stamp === null) return this.store(present);
    if (this.#isDropped || this.isRemoved) return;
    // A large copy takes milliseconds to write, and only its tag is new.
    this.#tag = present.tag;
    markAccepted(this.#name, this.#stamp, present.tag);
  }

  /** Removes the copy, and stores none any more. */
  drop(): void {
    this.#isDropped = true;
    dropLocalCopy(this.#name);
  }
}
