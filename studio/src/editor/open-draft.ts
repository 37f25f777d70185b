import { call, callText, path, readBody } from '../api/client.ts';
import { findTemplate } from '../api/templates.ts';
import type { Template } from '../api/types.ts';
import { whenSaved } from './draft.ts';
import { boundSavedCopies, readLocalCopy } from './local-copy.ts';
import { type OwnText, takeOwnText } from './saving/own-texts.ts';
import { isOwnDraft, readable } from './saving/template-state.ts';

/** The initial text of a draft and its state on the server. */
export interface OpenedDraft {
  readonly text: string;
  /** The same text with the server's white space, which findings refer to. */
  readonly source: string;
  /** ETag of the draft on the server; null: no draft exists yet. */
  readonly tag: string | null;
  /** The text is the beginning of a template that nobody has asked for: opening it saves nothing. */
  readonly isUntyped: boolean;
  /** The text comes from this browser's storage, and the server does not have it. */
  readonly isRestored: boolean;
  /** The server's draft, if somebody else saved it since this browser read it; else null. */
  readonly theirs: string | null;
  /** Texts that this browser sent without hearing an answer. */
  readonly sent: readonly string[];
  /** What this browser saved last, if somebody else has replaced or discarded it; else null. */
  readonly own: OwnText | null;
  /** The template when it was opened; null: there was none. */
  readonly template: Template | null;
  /** State of the editor with its undo history, as the browser stored it. */
  readonly editor: unknown;
}

/**
 * Reads the draft; a new draft begins with the latest version, or with `starter`. `isNew`: the user
 * has asked for a new template.
 */
export async function openDraft(
  name: string,
  templateId: string,
  starter: string,
  isNew = false,
): Promise<OpenedDraft> {
  await whenSaved();
  const server = await readServer(templateId, starter);
  const serverText = readable(server.text);
  boundSavedCopies(name);
  const own = takeOwnText(name, server.template, serverText);
  const local = readLocalCopy(name);
  const { text: source, tag: serverTag, template } = server;
  const { draft, latestVersion } = template ?? { draft: null, latestVersion: null };
  const isUntyped = draft === null && latestVersion === null && !(isNew && template === null);
  const known = { isUntyped, isRestored: false, theirs: null, sent: [], own, template };
  const opened = { text: serverText, source, tag: serverTag, ...known };
  if (local?.text === serverText) return { ...opened, editor: local.editor };
  // The copy may be the server's text on one line. That text is laid out now, and the undo history
  // of the copy would not fit it.
  if (local === null || local.isSaved || local.text === server.text) {
    return { ...opened, editor: null };
  }
  const { text, sent, editor } = local;
  const isSent = template !== null && isOwnDraft(template) && sent.includes(server.text);
  // The draft is what this text continues if only the answer to its save was lost.
  const tag = isSent ? serverTag : local.tag;
  return {
    text,
    source: text,
    tag,
    isUntyped: false,
    isRestored: true,
    theirs: tag === serverTag ? null : serverText,
    sent: isSent ? [] : sent,
    own,
    template,
    editor,
  };
}

/** Asks for the state first, because the service limits requests for absent drafts. */
async function readServer(
  templateId: string,
  starter: string,
): Promise<Pick<OpenedDraft, 'text' | 'tag' | 'template'>> {
  const template = await findTemplate(templateId);
  if (template === null) return { text: starter, tag: null, template };
  if (template.draft !== null) {
    const response = await call(path`/v1/templates/${templateId}/draft`);
    return { text: await readBody(response.text()), tag: response.headers.get('etag'), template };
  }
  if (template.latestVersion === null) return { text: starter, tag: null, template };
  const address = path`/v1/templates/${templateId}/versions/${template.latestVersion}`;
  return { text: await callText(address), tag: null, template };
}
