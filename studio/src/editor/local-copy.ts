/** The copy of a draft in the browser's storage. */
export interface LocalCopy {
  readonly text: string;
  /** ETag of the server's draft that this text continues; null: there was none. */
  readonly tag: string | null;
  /** The server accepted this text, so it may be replaced by what somebody else saved since. */
  readonly isSaved: boolean;
  /** State of the editor with its undo history, without the text. */
  readonly editor: unknown;
}

export function localCopyName(teamId: string, templateId: string): string {
  return `studio.draft.${JSON.stringify([teamId, templateId])}`;
}

/** Holds the tag once the server has accepted the copy. */
function acceptedName(name: string): string {
  return `${name}.accepted`;
}

export function readLocalCopy(name: string): LocalCopy | null {
  const text = localStorage.getItem(name);
  if (text === null) return null;
  // Only the functions below write these.
  const copy = JSON.parse(text) as LocalCopy;
  const accepted = localStorage.getItem(acceptedName(name));
  if (accepted === null) return copy;
  return { ...copy, tag: JSON.parse(accepted) as string | null, isSaved: true };
}

/** Whether this browser keeps a text of the draft that the server does not have. */
export function hasUnsavedCopy(name: string, draftText: string): boolean {
  const local = readLocalCopy(name);
  return local !== null && !local.isSaved && local.text !== draftText;
}

export function storeLocalCopy(name: string, copy: LocalCopy): void {
  localStorage.removeItem(acceptedName(name));
  try {
    localStorage.setItem(name, JSON.stringify(copy));
  } catch (error) {
    // The storage is full: the draft may fit without the undo history, or only the server keeps it.
    if (!(error instanceof DOMException)) throw error;
    if (copy.editor !== null) storeLocalCopy(name, { ...copy, editor: null });
  }
}

/** Records that the server accepted the stored copy under a tag. */
export function markAccepted(name: string, tag: string | null): void {
  try {
    localStorage.setItem(acceptedName(name), JSON.stringify(tag));
  } catch (error) {
    // The storage is full: after a reload, the copy counts as one that is still to be saved.
    if (!(error instanceof DOMException)) throw error;
  }
}
