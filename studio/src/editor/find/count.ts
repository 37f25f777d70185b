import { getSearchQuery, searchPanelOpen } from '@codemirror/search';
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { formatNumber, t } from '../../i18n/i18n.ts';
import { hiddenPictures } from '../pictures/hidden.ts';
import { type Counted, countMatches } from './matches.ts';
import { asksForPicture, pictureNames } from './picture-words.ts';
import { replacedText } from './replaced.ts';

/** Pause after a change before its matches are counted. */
const PAUSE_MS = 80;

/** Shows the number of matches in the panel of Ctrl+F, and which of them is selected. */
export const findCount = ViewPlugin.define((view) => new FindCount(view));

class FindCount implements PluginValue {
  readonly #view: EditorView;
  readonly #place = document.createElement('span');
  #timer = 0;

  constructor(view: EditorView) {
    this.#view = view;
    this.#place.className = 'find-count';
    this.#place.setAttribute('role', 'status');
    this.#schedule(0);
  }

  update(update: ViewUpdate): void {
    const { state, startState, docChanged, selectionSet, transactions } = update;
    const isOpen = searchPanelOpen(state);
    if (!isOpen) {
      clearTimeout(this.#timer);
      return;
    }
    const replaced = replacedText(transactions);
    if (replaced !== '') {
      clearTimeout(this.#timer);
      this.#show(replaced);
      return;
    }
    const query = getSearchQuery(state);
    const isOther = !searchPanelOpen(startState) || !query.eq(getSearchQuery(startState));
    if (isOther || docChanged || selectionSet) this.#schedule(docChanged ? PAUSE_MS : 0);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#start(), afterMs);
  }

  #start(): void {
    const { state, dom } = this.#view;
    const panel = dom.querySelector('.cm-search');
    if (panel === null) return;
    if (this.#place.parentNode !== panel) {
      panel.querySelector('[name="search"]')?.after(this.#place);
      takeEachInput(panel);
    }
    const query = getSearchQuery(state);
    if (query.search === '') return this.#show('');
    if (!query.valid) return this.#show(t('search.invalid'), true);
    this.#run(countMatches(state, query));
  }

  /** A slice at a time: a key that is pressed meanwhile starts the count anew. */
  #run(counting: Generator<null, Counted>): void {
    const { done, value } = counting.next();
    if (done === true) {
      this.#show(textOf(value) || this.#nothing(), value.count === 0);
      return;
    }
    this.#timer = window.setTimeout(() => this.#run(counting));
  }

  /** Somebody who looks for a logo finds it by the name that it has in this text. */
  #nothing(): string {
    const { state } = this.#view;
    const names = pictureNames(state.field(hiddenPictures));
    const isAsked = names.length > 0 && asksForPicture(getSearchQuery(state).search);
    if (!isAsked) return t('search.nothing');
    return t('search.pictures', { names: names.map((name) => `“${name}”`).join(', ') });
  }

  #show(text: string, isBad = false): void {
    if (this.#place.textContent !== text) this.#place.textContent = text;
    this.#place.classList.toggle('none', isBad);
  }
}

/** The panel reads its inputs after keys and when they lose the focus, so not what a mouse pastes. */
function takeEachInput(panel: Element): void {
  for (const input of panel.querySelectorAll('input[name="search"], input[name="replace"]')) {
    input.addEventListener('input', () => input.dispatchEvent(new Event('change')));
  }
}

/** '' when there are none. */
function textOf({ count, index, isAll }: Counted): string {
  if (count === 0) return '';
  const all = `${formatNumber(count)}${isAll ? '' : '+'}`;
  return index === 0
    ? t('search.found', { count: all })
    : t('search.position', { index: formatNumber(index), count: all });
}
