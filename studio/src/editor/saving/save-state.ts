import type { ApiError } from '../../api/client.ts';

/** How far the newest text of an editor is saved. */
export type SaveState =
  | { readonly state: 'saved' | 'changed' | 'saving' }
  /** There is no draft yet. The first change begins it. */
  | { readonly state: 'untyped' }
  /** The text is not a valid template yet, so only this browser keeps it. */
  | { readonly state: 'unreadable'; readonly reason: string }
  | { readonly state: 'conflict' }
  /** The save is tried again after a while. */
  | { readonly state: 'failed'; readonly error: ApiError }
  /** The service would refuse this text again, so it is not sent again. */
  | { readonly state: 'refused'; readonly error: ApiError; readonly bytes: number };

/** What the editor does with a text that the service refused. */
export function refusalOf(error: ApiError, text: string): SaveState {
  if (error.status === 400) return { state: 'unreadable', reason: error.message };
  return { state: 'refused', error, bytes: new Blob([text]).size };
}
