import type { Template } from '../../api/types.ts';
import { dropLocalCopy, OWN_TEXT, readLocalCopy, type LocalCopy } from '../local-copy.ts';
import { isOwnDraft, readable } from './template-state.ts';

/** Texts that are kept, the newest ones, and for how long. */
const OWN_TEXTS_MAX = 5;
const KEPT_MS_MAX = 30 * 24 * 3_600_000;

/** A text that this browser had saved, and that the service does not have any more. */
export interface OwnText {
  readonly text: string;
  /** Who saved the other draft, and when. null: there is none, because the draft was discarded. */
  readonly replaced: { readonly savedBy: string; readonly savedAt: string } | null;
}

interface StoredText extends OwnText {
  readonly hash: string;
  readonly atMs: number;
}

/**
 * The own text that the user has not chosen about yet; null: none. What this browser saved last is
 * set aside when somebody else has replaced or discarded it, because the next change is stored in
 * its place. `shown` is what the service has.
 */
export function takeOwnText(name: string, state: Template | null, shown: string): OwnText | null {
  dropOldOwnTexts();
  const local = readLocalCopy(name);
  if (local !== null && local.text !== shown && isReplaced(local, state)) {
    const draft = state?.draft ?? null;
    const replaced = draft === null ? null : { savedBy: draft.savedBy, savedAt: draft.savedAt };
    const hash = (local.tag ?? '').replaceAll('"', '');
    const own = { text: local.text, replaced, hash, atMs: Date.now() } satisfies StoredText;
    // The copy makes room for it. A full storage leaves it to this page only.
    dropLocalCopy(name);
    store(name, own);
    return own;
  }
  const kept = readOwnText(name);
  if (kept === null || (kept.text !== shown && !isPublished(state, kept.hash))) return kept;
  dropOwnText(name);
  return null;
}

/**
 * Whether this browser has a text of the draft that somebody else has replaced or discarded. `text`:
 * the draft; null: there is none, or it has not been read yet.
 */
export function hasOwnText(name: string, state: Template, text: string | null): boolean {
  const shown = text === null ? null : readable(text);
  const local = readLocalCopy(name);
  if (local !== null && local.text !== shown && isReplaced(local, state)) return true;
  const kept = readOwnText(name);
  return kept !== null && kept.text !== shown && !isPublished(state, kept.hash);
}

/** Whether the service had this copy, and has it neither as the draft nor as a version any more. */
function isReplaced({ isSaved, tag }: LocalCopy, state: Template | null): boolean {
  if (!isSaved || tag === null) return false;
  if (state === null) return true;
  const hash = tag.replaceAll('"', '');
  // The user may have gone on in another browser.
  return state.draft?.hash !== hash && !isOwnDraft(state) && !isPublished(state, hash);
}

function isPublished(state: Template | null, hash: string): boolean {
  return state?.versions.some((version) => version.hash === hash) === true;
}

function readOwnText(name: string): StoredText | null {
  // Only the function below writes it.
  return JSON.parse(localStorage.getItem(OWN_TEXT + name) ?? 'null') as StoredText | null;
}

function store(name: string, own: StoredText): void {
  try {
    localStorage.setItem(OWN_TEXT + name, JSON.stringify(own));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  dropOldOwnTexts();
}

export function dropOwnText(name: string): void {
  localStorage.removeItem(OWN_TEXT + name);
}

function dropOldOwnTexts(): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(OWN_TEXT));
  const texts = names.map((name) => ({ name, atMs: atMsOf(name) }));
  const newest = texts.toSorted((a, b) => b.atMs - a.atMs);
  for (const [index, { name, atMs }] of newest.entries()) {
    const isOld = Date.now() - atMs > KEPT_MS_MAX;
    if (index >= OWN_TEXTS_MAX || isOld) localStorage.removeItem(name);
  }
}

function atMsOf(name: string): number {
  return (JSON.parse(localStorage.getItem(name) ?? '{}') as Partial<StoredText>).atMs ?? 0;
}
