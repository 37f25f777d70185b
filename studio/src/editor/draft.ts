import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';
import { ApiError, call, path, readBody } from '../api/client.ts';
import { readMixed } from '../api/mixed.ts';
import type { Data } from '../api/template-data.ts';
import type { DiscardedDraft, Finding, Template } from '../api/types.ts';
import { DraftChecks, TRANSIENT } from './checks/draft-checks.ts';
import { KeptText, type Present } from './saving/kept-text.ts';
import { dropOwnText } from './saving/own-texts.ts';
import type { OpenedDraft } from './open-draft.ts';
import { TYPING_PAUSE_MS, typingPauseMs } from './saving/pause.ts';
import type { Preview, PreviewState } from './preview.ts';
import { isQuick, requestPreview, serverMs } from './preview.ts';
import { refusalOf, type SaveState } from './saving/save-state.ts';
import { isOwnDraft, readable, readState } from './saving/template-state.ts';
import { Unanswered } from './saving/unanswered.ts';
import { unlessAborted } from './saving/unless-aborted.ts';
import { discardDraft } from '../template-actions/discard-draft.ts';

/** The save that the last editor sent when it was closed. */
let lastSave: Promise<void> = Promise.resolve();

/** Resolves when the last editor that was closed has saved its text, or the save has failed. */
export function whenSaved(): Promise<void> {
  return lastSave;
}

/** While typing goes on, previews of older texts are shown once in so many pauses. */
const STALE_PAUSES_MAX = 4;
/** During typing without such a pause, the browser stores the text this often. */
const STORE_MS = 5_000;
const RETRY_MS = 4_000;
/** The editor can be left when the service has not said for this long whether the draft is the same. */
const LEAVE_MS_MAX = 3_000;

/** The JSON of the reply to a save. */
interface Saved {
  readonly findings: readonly Finding[];
}

/**
 * Saves and renders a draft at each pause in the typing, always the newest text: one save and one
 * preview at a time. A quick preview of a sample comes with the save; a save does not wait for any
 * other, which may take seconds. The browser stores the text, too; it replaces the server's draft
 * only if nobody has changed that draft meanwhile.
 */
export class DraftSession {
  /** The text at the last pause in the typing. */
  readonly text: Signal<string>;
  readonly save = signal<SaveState>({ state: 'saved' });
  readonly checks: DraftChecks;
  readonly preview = signal<PreviewState>({ state: 'none' });
  readonly #name: string;
  readonly templateId: string;
  /** The saved text with the white space that the server has. */
  #source: string;
  readonly #kept: KeptText;
  #text: string;
  readonly #tag: Signal<string | null>;
  #data: Data = {};
  /** Index of the sample in the text that has these data; null: the data are others. */
  #sample: number | null = null;
  #savedText: string | null;
  /** A text that nobody has typed: it is not saved. null: the text is to be saved. */
  #untyped: string | null;
  /** The text that the service refused, and why. */
  #refused: { readonly text: string; readonly save: SaveState } | null = null;
  readonly #sent: Unanswered;
  #changedAtMs = performance.now();
  /** When the last preview was shown. */
  #shownAtMs = 0;
  /** A preview that was left out because a newer one was expected. */
  #leftOut: Preview | null = null;
  /** 0: no save is due. */
  #timer = 0;
  #running: Promise<void> | null = null;
  #mustRunAgain = false;
  /** The time of the change that is to be rendered next; null: none is. */
  #nextRenderMs: number | null = null;
  #isRendering = false;
  /** Grows when a save begins or ends. */
  #steps = 0;
  /** The number that this draft gets if it is published while this editor is open, or a later one. */
  readonly #nextVersion: number;
  #isAbandoned = false;
  readonly #left = new AbortController();

  constructor(name: string, templateId: string, opened: OpenedDraft, snapshot: () => unknown) {
    this.#name = name;
    this.templateId = templateId;
    this.#source = opened.source;
    this.#kept = new KeptText(name, opened.text, opened.tag, snapshot);
    this.checks = new DraftChecks(templateId, this.#left.signal, () => this.#savedDraft());
    this.text = signal(opened.text);
    this.#text = opened.text;
    this.#tag = signal(opened.tag);
    this.#sent = new Unanswered(templateId, opened.sent);
    const versions = opened.template?.versions ?? [];
    this.#nextVersion = 1 + Math.max(0, ...versions.map(({ version }) => version));
    this.#savedText = opened.tag === null || opened.isRestored ? null : opened.text;
    this.#untyped = opened.isUntyped ? opened.text : null;
    if (opened.isUntyped) this.save.value = { state: 'untyped' };
    if (opened.theirs !== null) this.save.value = { state: 'conflict' };
    // A reload does not wait for the timer.
    addEventListener('pagehide', this.#storeBeforeLeaving);
  }

  /** false: the browser's storage is full. */
  get isKept(): Signal<boolean> {
    return this.#kept.isKept;
  }

  /** Leaves the editor: text that waits for its save is sent now, and is not rendered. */
  close(): void {
    this.#left.abort();
    removeEventListener('pagehide', this.#storeBeforeLeaving);
    clearTimeout(this.#timer);
    this.#storeBeforeLeaving();
    const { state } = this.save.value;
    if (this.#kept.isRemoved) return;
    if (state === 'changed' || state === 'saving') lastSave = this.#run();
  }

  /** Call this when the text changes. */
  change(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (this.save.value.state !== 'conflict') this.save.value = { state: 'changed' };
    this.checks.expectSave();
    if (this.#kept.ageMs > STORE_MS) this.#kept.store(this.#present());
    this.#schedule(typingPauseMs(text));
  }

  /** Sets the data of the preview, and the index of the sample that has the same data. */
  show(data: Data, sample: number | null): void {
    this.#sample = sample;
    if (data === this.#data) return;
    this.#data = data;
    this.#schedule(TYPING_PAUSE_MS);
  }

  /** ETag of the draft that this text continues; null: the server has none yet. */
  get tag(): string | null {
    return this.#tag.value;
  }

  /** Removes the draft from the server, and this text from the browser. The editor is left then. */
  async discard(): Promise<DiscardedDraft> {
    clearTimeout(this.#timer);
    await this.#running;
    // A save that failed meanwhile is tried again after a while.
    clearTimeout(this.#timer);
    const discarded = await discardDraft(this.templateId, this.#tag.value);
    this.abandon();
    return discarded;
  }

  /** Forgets the text: nothing of it is saved or stored any more. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.checks.stop();
    this.#isAbandoned = true;
    this.save.value = { state: 'saved' };
    this.#kept.drop();
    dropOwnText(this.#name);
  }

  /** Whether the draft that this session saved last was published since it began. */
  isPublishedIn({ draft, versions }: Template): boolean {
    return (
      draft === null &&
      versions.some(
        ({ version, hash }) => version >= this.#nextVersion && `"${hash}"` === this.#tag.value,
      )
    );
  }

  /**
   * Reads the template, and begins a conflict if the service has another draft than this session saved
   * last. null: there is no such template, or a conflict waits for the user already.
   */
  async look(limit: AbortSignal): Promise<Template | null> {
    if (this.save.value.state === 'conflict') return null;
    const steps = this.#stepsAtRest();
    const state = await readState(this.templateId, limit);
    if (steps === null || steps !== this.#stepsAtRest()) return state;
    const isSame = await this.#isStill(state, steps, limit);
    // A save that began meanwhile finds out itself.
    if (!isSame && steps === this.#stepsAtRest()) this.#lose(state);
    return state;
  }

  /**
   * Saves what waits, and asks whether the service has that draft. false: the user has to be told
   * first, or has left already.
   */
  async mayLeave(): Promise<boolean> {
    const { state } = this.save.value;
    if (state === 'conflict') return true;
    const limit = AbortSignal.any([this.#left.signal, AbortSignal.timeout(LEAVE_MS_MAX)]);
    try {
      if (state === 'changed' || state === 'saving') await unlessAborted(this.#saveNow(), limit);
      // Without a draft there is nothing that could have been replaced.
      if (this.#tag.value !== null) await this.look(limit);
    } catch (error) {
      // Without an answer in time the editor is left; the next time it is opened, it asks again.
      if (!limit.aborted && !(error instanceof ApiError)) throw error;
    }
    return !this.#left.signal.aborted && !this.#isConflict();
  }

  #saveNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = 0;
    return this.#run();
  }

  #isConflict(): boolean {
    return this.save.value.state === 'conflict';
  }

  /** null: a save is due or under way, and finds out itself whether the draft was replaced. */
  #stepsAtRest(): number | null {
    const isBusy = this.#running !== null || this.#timer !== 0;
    return isBusy || this.#isAbandoned || this.#isConflict() ? null : this.#steps;
  }

  /** Whether the service still has what this session saved last, or a text that is the same. */
  async #isStill(state: Template | null, steps: number, limit: AbortSignal): Promise<boolean> {
    const tag = this.#tag.value;
    const draft = state?.draft ?? null;
    if (tag === null && draft === null) return true;
    if (state === null) return false;
    if (draft === null) return this.isPublishedIn(state);
    if (`"${draft.hash}"` === tag) return true;
    const response = await call(path`/v1/templates/${this.templateId}/draft`, { signal: limit });
    const source = await readBody(response.text());
    const isSent = isOwnDraft(state) && this.#sent.texts.includes(source);
    if (!isSent && readable(source) !== this.#savedText) return false;
    // Somebody saved the same text again, or laid it out in another way.
    if (steps === this.#stepsAtRest())
      this.#accept(isSent ? source : readable(source), source, response);
    return true;
  }

  /** The draft is another one, or gone: the user chooses what becomes of this text. */
  #lose(state: Template | null): void {
    this.save.value = { state: 'conflict' };
    // Another window of the same user keeps its newer text in this browser.
    if (state !== null && isOwnDraft(state)) return;
    this.#savedText = null;
    this.#kept.store(this.#present());
  }

  /** After a conflict: overwrites the draft that has this tag, which the user has seen. */
  overwrite(tag: string | null): void {
    this.#tag.value = tag;
    this.#savedText = null;
    this.#untyped = null;
    this.save.value = { state: 'changed' };
    this.#schedule(0);
  }

  /** After a conflict: continues from the server's draft. */
  takeTheirs(opened: OpenedDraft): void {
    const { text, tag } = opened;
    this.#source = opened.source;
    this.#text = text;
    // Without a draft on the server, this text is to become one.
    this.#savedText = tag === null ? null : text;
    this.#tag.value = tag;
    this.#sent.forget();
    this.save.value = { state: tag === null ? 'changed' : 'saved' };
    this.checks.forget();
    this.#schedule(0);
  }

  readonly #storeChange = (): void => this.#kept.storeChange(this.#present());
  readonly #storeBeforeLeaving = (): void => this.#kept.storeBeforeLeaving(this.#present());

  #present(): Present {
    const isSaved = this.#text === (this.#savedText ?? this.#untyped);
    return { text: this.#text, tag: this.#tag.value, isSaved, sent: this.#sent.texts };
  }

  #schedule(afterMs: number): void {
    this.#changedAtMs = performance.now();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(this.#settle, afterMs);
  }

  readonly #settle = (): void => {
    this.#timer = 0;
    void this.#run();
    // Separate tasks, so that a key waits for one of them at most.
    window.setTimeout(this.#storeChange);
    window.setTimeout(() => (this.text.value = this.#text));
  };

  /** Resolves when the newest text was sent; a call during a run makes that run repeat. */
  #run(): Promise<void> {
    this.#mustRunAgain = true;
    this.#steps += 1;
    this.#running ??= this.#saveNewest().finally(() => {
      this.#running = null;
      this.#steps += 1;
    });
    return this.#running;
  }

  async #saveNewest(): Promise<void> {
    while (this.#mustRunAgain) {
      this.#mustRunAgain = false;
      const changedAtMs = this.#changedAtMs;
      const outcome = await this.#saveText(changedAtMs);
      if (outcome === 'not_saved' && this.#leftOut !== null) this.#showPreview(this.#leftOut);
      if (outcome === 'not_saved' || this.#left.signal.aborted) continue;
      this.#nextRenderMs = outcome === 'rendered' ? null : changedAtMs;
      void this.#renderNewest();
    }
  }

  async #renderNewest(): Promise<void> {
    if (this.#isRendering) return;
    this.#isRendering = true;
    try {
      while (this.#nextRenderMs !== null) {
        const changedAtMs = this.#nextRenderMs;
        this.#nextRenderMs = null;
        await this.#render(changedAtMs);
        if (this.checks.findings.value === null) await this.checks.check();
      }
    } finally {
      this.#isRendering = false;
    }
  }

  /** What the server has; null: not the present text. */
  #savedDraft(): { readonly text: string; readonly source: string; readonly tag: string } | null {
    const [text, tag] = [this.#savedText, this.#tag.value];
    if (this.save.value.state !== 'saved' || text === null || tag === null) return null;
    return { text, source: this.#source, tag };
  }

  /**
   * Saves the text unless it is saved. 'not_saved': the server does not have this text. 'rendered':
   * the reply held the preview.
   */
  async #saveText(changedAtMs: number): Promise<'not_saved' | 'saved' | 'rendered'> {
    const text = this.#text;
    if (this.save.value.state === 'conflict') return 'not_saved';
    if (this.#savedText === null && text === this.#untyped) {
      this.save.value = { state: 'untyped' };
      return 'not_saved';
    }
    if (text === this.#savedText) {
      // After an undo, the page may still say that the text is changed or invalid.
      this.save.value = { state: 'saved' };
      this.checks.take(text, null);
      return 'saved';
    }
    if (text === this.#refused?.text) {
      this.save.value = this.#refused.save;
      return 'not_saved';
    }
    this.save.value = { state: 'saving' };
    try {
      if (await this.#findSent()) return await this.#saveText(changedAtMs);
      const response = await this.#sent.put(text, this.#tag.value, this.#sampleToRender());
      this.#accept(text, text, response);
      const { json, file } = await readMixed<Saved>(response);
      this.save.value = { state: this.#text === text ? 'saved' : 'changed' };
      this.checks.take(text, json.findings);
      if (file === null) return 'saved';
      this.#receive({ pdf: file, changedAtMs, renderMs: serverMs(response) });
      return 'rendered';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 412) return this.#saveBesideChange(error, text, changedAtMs);
      this.#explain(error, text);
      return 'not_saved';
    }
  }

  /** The draft is not the one that this text continues: `refusal` says so. It may be an own one. */
  async #saveBesideChange(
    refusal: ApiError,
    text: string,
    changedAtMs: number,
  ): Promise<'not_saved' | 'saved' | 'rendered'> {
    try {
      if ((await this.#serverHas(text)) || (await this.#findSent()))
        return await this.#saveText(changedAtMs);
      this.#explain(refusal, text);
    } catch (error) {
      // Without an answer nobody knows yet whose draft it is.
      if (!(error instanceof ApiError)) throw error;
      this.#explain(error.status === 404 ? refusal : error, text);
    }
    return 'not_saved';
  }

  /**
   * Continues from the service's draft if it is a text that this editor sent without hearing an answer.
   * Each save asks so first, so that few texts are without an answer at a time.
   */
  async #findSent(): Promise<boolean> {
    const found = await this.#sent.find(this.#tag.value);
    if (found !== null) this.#accept(found.text, found.text, found.response);
    return found !== null;
  }

  /** The sample that the next save is to render; null: none. */
  #sampleToRender(): number | null {
    return isQuick(this.preview.value) && !this.#left.signal.aborted ? this.#sample : null;
  }

  /** After a reload during a save, the server may already hold this text: that is no conflict. */
  async #serverHas(text: string): Promise<boolean> {
    const response = await call(path`/v1/templates/${this.templateId}/draft`);
    if ((await readBody(response.text())) !== text) return false;
    this.#accept(text, text, response);
    return true;
  }

  /** The draft of this reply has this text; `source` is the text with its white space. */
  #accept(text: string, source: string, response: Response): void {
    this.#savedText = text;
    this.#tag.value = response.headers.get('etag');
    this.#source = source;
    this.#sent.forget();
    this.#kept.accept(text, this.#present());
  }

  #explain(error: ApiError, text: string): void {
    if (error.status === 412) this.save.value = { state: 'conflict' };
    else if (error.isFinal) {
      this.#refused = { text, save: refusalOf(error, text) };
      // The refusal does not concern a text that was changed meanwhile.
      this.save.value = this.#text === text ? this.#refused.save : { state: 'changed' };
    } else {
      this.save.value = { state: 'failed', error };
      this.#retry(error);
    }
  }

  #retry(error: ApiError): void {
    if (this.#left.signal.aborted) return;
    // The pending pause of the typing, or an earlier retry, sends the newest text.
    if (this.#timer !== 0) return;
    const afterMs = Math.max(RETRY_MS, error.retryAfterSeconds * 1_000);
    this.#timer = window.setTimeout(this.#settle, afterMs);
  }

  async #render(changedAtMs: number): Promise<void> {
    const left = this.#left.signal;
    try {
      const rendered = await requestPreview(this.templateId, this.#data, left);
      if (!this.#isOutdated(changedAtMs)) this.#receive({ ...rendered, changedAtMs });
    } catch (error) {
      if (left.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      if (this.#isOutdated(changedAtMs)) return;
      const before = this.preview.value;
      const preview = this.#leftOut ?? (before.state === 'none' ? null : before.preview);
      this.#leftOut = null;
      this.preview.value = { state: 'refused', error, preview };
      if (TRANSIENT.has(error.status)) this.#retry(error);
    }
  }

  /** Whether a later change was rendered meanwhile: a save may overtake a preview. */
  #isOutdated(changedAtMs: number): boolean {
    const { value } = this.preview;
    const shown = value.state === 'none' ? null : value.preview;
    return Math.max(shown?.changedAtMs ?? 0, this.#leftOut?.changedAtMs ?? 0) > changedAtMs;
  }

  #receive(rendered: Omit<Preview, 'latencyMs'>): void {
    const { changedAtMs } = rendered;
    const preview = { ...rendered, latencyMs: performance.now() - changedAtMs };
    if (this.#isStale(changedAtMs)) this.#leftOut = preview;
    else this.#showPreview(preview);
  }

  #showPreview(preview: Preview): void {
    this.#leftOut = null;
    this.#shownAtMs = performance.now();
    this.preview.value = { state: 'shown', preview };
  }

  /** Whether to leave a preview out: a newer one follows, and one was shown a moment ago. */
  #isStale(changedAtMs: number): boolean {
    const isDue = this.#timer !== 0 || this.#running !== null || this.#nextRenderMs !== null;
    if (changedAtMs === this.#changedAtMs || !isDue) return false;
    const sinceShownMs = performance.now() - this.#shownAtMs;
    return sinceShownMs < STALE_PAUSES_MAX * typingPauseMs(this.#text);
  }
}
