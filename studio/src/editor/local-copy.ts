import { pack, unpack, type PackedText } from './saving/packed-texts.ts';

const PREFIX = 'studio.draft.';
/** Begins the name of the mark that changes when the texts of a user are removed. */
const REMOVAL = 'studio.signed-out.';
/** Begins the names of texts that were set aside; own-texts.ts writes these. */
export const OWN_TEXT = 'own.';
/** Copies of drafts that the server has: each is kept for its undo history, the newest ones. */
const SAVED_COPIES_MAX = 20;

/** The copy of a draft in the browser's storage. Tabs with the same draft share it. */
export interface LocalCopy {
  readonly text: string;
  /** ETag of the server's draft that this text continues; null: there was none. */
  readonly tag: string | null;
  /** The server accepted this text, so it may be replaced by what somebody else saved since. */
  readonly isSaved: boolean;
  /** Texts that the server may have: they were sent under this tag, and no answer came. */
  readonly sent: readonly string[];
  /** State of the editor with its undo history, without the text. */
  readonly editor: unknown;
}

/** A copy as it is stored. */
interface StoredCopy extends Omit<LocalCopy, 'sent'> {
  /** Absent: none was sent. */
  readonly sent?: readonly PackedText[];
  /** Identifies this copy, among those of all tabs. */
  readonly stamp: string;
}

/** What the server said about a stored copy. */
interface Accepted {
  readonly stamp: string;
  readonly tag: string | null;
}

/** The user who works here, and in which team. */
interface Owner {
  readonly userId: string;
  readonly teamId: string;
}

/** Each user has own copies: whoever signs in after another one must not find the other's texts. */
export function localCopyName({ userId, teamId }: Owner, templateId: string): string {
  return `${PREFIX}${JSON.stringify([userId, teamId, templateId])}`;
}

/** Begins the names of all copies of a user. */
function prefixOf(userId: string): string {
  return `${PREFIX}[${JSON.stringify(userId)},`;
}

/** Holds what the server accepted last. */
function acceptedName(name: string): string {
  return `accepted.${name}`;
}

export function readLocalCopy(name: string): LocalCopy | null {
  // Only the functions below write these.
  const stored = JSON.parse(localStorage.getItem(name) ?? 'null') as StoredCopy | null;
  if (stored === null) return null;
  const copy = { ...stored, sent: unpack(stored.sent ?? [], stored.text) };
  const text = localStorage.getItem(acceptedName(name));
  if (text === null) return copy;
  const { stamp, tag } = JSON.parse(text) as Accepted;
  // Another tab may have stored its text since.
  return stamp === copy.stamp ? { ...copy, tag, isSaved: true } : copy;
}

/** Whether this browser keeps a text of the draft that the server does not have. */
export function hasUnsavedCopy(name: string, draftText: string): boolean {
  const local = readLocalCopy(name);
  return local !== null && !local.isSaved && local.text !== draftText;
}

/**
 * Stores a copy and gives its stamp; null: the storage is full. Then the draft may fit without
 * copies of other drafts that the server has, or without its undo history.
 */
export function storeLocalCopy(name: string, copy: LocalCopy): string | null {
  const stamp = `${Date.now()} ${Math.random()}`;
  const stored: StoredCopy = { ...copy, sent: pack(copy.sent, copy.text), stamp };
  if (store(name, stored)) return stamp;
  dropSavedCopies(name);
  if (store(name, stored) || store(name, { ...stored, editor: null })) return stamp;
  // An older text must not be restored in place of the one that the server has.
  const old = readLocalCopy(name);
  if (copy.isSaved || old?.tag !== copy.tag) localStorage.removeItem(name);
  return null;
}

/** Records that the server accepted the copy with this stamp under a tag. */
export function markAccepted(name: string, stamp: string, tag: string | null): void {
  // If the storage is full, a reload treats the copy as one that is not saved yet.
  store(acceptedName(name), { stamp, tag } satisfies Accepted);
}

/** false: the storage is full. */
function store(name: string, value: StoredCopy | Accepted | string): boolean {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}

/** Removes copies of drafts that the server has, except the newest: their undo history is lost. */
function dropSavedCopies(exceptName: string, keptCount = 0): void {
  const saved: { name: string; atMs: number }[] = [];
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(PREFIX) || name === exceptName) continue;
    if (readLocalCopy(name)?.isSaved !== true) continue;
    saved.push({ name, atMs: storedAtMs(name) });
  }
  const newest = saved.toSorted((a, b) => b.atMs - a.atMs);
  for (const { name } of newest.slice(keptCount)) dropLocalCopy(name);
}

/** A stamp begins with the time. */
function storedAtMs(name: string): number {
  const { stamp } = JSON.parse(localStorage.getItem(name) ?? '{"stamp":""}') as StoredCopy;
  return Number(stamp.split(' ')[0]);
}

/** Bounds what this browser keeps of drafts that the server has; `openName` is being edited. */
export function boundSavedCopies(openName: string): void {
  dropSavedCopies(openName, SAVED_COPIES_MAX);
}

/**
 * Whether this browser keeps a text of the user that the server has not accepted, or does not have
 * any more.
 */
export function hasUnsavedCopies(userId: string): boolean {
  const prefix = prefixOf(userId);
  return Object.keys(localStorage).some(
    (name) =>
      name.startsWith(OWN_TEXT + prefix) ||
      (name.startsWith(prefix) && readLocalCopy(name)?.isSaved === false),
  );
}

/** Removes the copy of a draft that is to be gone. */
export function dropLocalCopy(name: string): void {
  localStorage.removeItem(name);
  localStorage.removeItem(acceptedName(name));
}

/** Removes all copies of a user who signs out. Editors that are open in other tabs store no more. */
export function removeLocalCopies(userId: string): void {
  clearLocalCopies(userId);
  // A change of the mark is an event in the other tabs.
  store(REMOVAL + userId, `${Date.now()} ${Math.random()}`);
}

/** Identifies the last removal of a user's copies; null: there was none. */
export function lastRemoval(userId: string): string | null {
  return localStorage.getItem(REMOVAL + userId);
}

/** Calls `listener` with the user whose copies another tab has removed. */
export function whenCopiesRemoved(listener: (userId: string) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === null || newValue === null || !key.startsWith(REMOVAL)) return;
    const userId = key.slice(REMOVAL.length);
    // An editor of this tab may have stored its text before this event arrived.
    clearLocalCopies(userId);
    listener(userId);
  });
}

function clearLocalCopies(userId: string): void {
  const prefix = prefixOf(userId);
  const prefixes = [prefix, acceptedName(prefix), OWN_TEXT + prefix];
  for (const name of Object.keys(localStorage)) {
    if (prefixes.some((begin) => name.startsWith(begin))) localStorage.removeItem(name);
  }
}
