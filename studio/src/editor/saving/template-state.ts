import { ApiError, callJson, path } from '../../api/client.ts';
import type { Template } from '../../api/types.ts';
import { session } from '../../app/state.ts';
import { formatJson } from '../template-text.ts';

/**
 * Reads a template that the service had a moment ago; null: it is gone. This is one request, where
 * `findTemplate` sends two because most that it looks for do not exist.
 */
export async function readState(
  templateId: string,
  signal?: AbortSignal,
): Promise<Template | null> {
  try {
    return await callJson<Template>(path`/v1/templates/${templateId}`, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Whether the draft of a template was saved last by the user of this page. */
export function isOwnDraft({ draft }: Template): boolean {
  return draft?.savedBy === `user:${session.value.userId}`;
}

/** A text as the editor shows it: a program may have saved the whole template on one line. */
export function readable(text: string): string {
  return text.trim().includes('\n') ? text : `${formatJson(text)}\n`;
}
