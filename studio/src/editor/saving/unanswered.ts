import { ApiError, call, path, query, readBody } from '../../api/client.ts';
import { isOwnDraft, readState } from './template-state.ts';

/** Texts that are remembered, the newest ones. */
const TEXTS_MAX = 3;

/** The texts that an editor sent, while no answer says whether the service has one of them. */
export class Unanswered {
  readonly #templateId: string;
  #texts: readonly string[];

  constructor(templateId: string, texts: readonly string[]) {
    this.#templateId = templateId;
    this.#texts = texts;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Another draft is known now, which a save that is still under way does not replace. */
  forget(): void {
    this.#texts = [];
  }

  /** Saves a text in place of the draft with this tag. `sample`: the one to render; null: none. */
  async put(text: string, tag: string | null, sample: number | null): Promise<Response> {
    const others = this.#texts.filter((other) => other !== text);
    this.#texts = [...others, text].slice(-TEXTS_MAX);
    const headers = tag === null ? { 'if-none-match': '*' } : { 'if-match': tag };
    const address = `${path`/v1/templates/${this.#templateId}/draft`}${query({ preview: sample })}`;
    try {
      return await call(address, { method: 'PUT', body: text, headers });
    } catch (error) {
      // A proxy that lost the answer says so in its own words.
      const isUnknown = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (!isUnknown) this.#texts = others;
      throw error;
    }
  }

  /**
   * The draft if it is one of these texts, saved by the user of this page; null: it is not, or it is
   * still the one with this tag.
   */
  async find(
    tag: string | null,
  ): Promise<{ readonly text: string; readonly response: Response } | null> {
    if (this.#texts.length === 0) return null;
    const state = await readState(this.#templateId);
    if (state === null || !isOwnDraft(state) || `"${state.draft?.hash}"` === tag) return null;
    const response = await call(path`/v1/templates/${this.#templateId}/draft`);
    const text = await readBody(response.text());
    return this.#texts.includes(text) ? { text, response } : null;
  }
}
