import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import { listTemplates } from '../api/templates.ts';
import type { TemplateState } from '../api/types.ts';
import { session } from './state.ts';

/** Names of templates, kept for all pages: records of documents and runs have identifiers only. */

interface Known {
  readonly name: string;
  readonly readAtMs: number;
}

/** By team and identifier. */
const names = signal<ReadonlyMap<string, Known>>(new Map());

/** After this time a name is read again when a page shows it: publishing may have changed it. */
const FRESH_MS = 60_000;
/** Names read at once: most teams have fewer templates, so one request finds all names of a page. */
const LIST_LIMIT = 200;

/** Identifiers that wait for the next request. */
let wanted = new Set<string>();

function keyOf(templateId: string): string {
  return `${session.value.teamId}/${templateId}`;
}

/** The name of a template; its identifier until the name is known, or if it has none. */
export function useTemplateName(templateId: string): string {
  useEffect(() => want(templateId), [templateId]);
  return names.value.get(keyOf(templateId))?.name || templateId;
}

/** Asks once for all names that are wanted in this turn: a page of a list shows many. */
function want(templateId: string): void {
  const readAtMs = names.value.get(keyOf(templateId))?.readAtMs ?? -Infinity;
  if (templateId === '' || performance.now() - readAtMs < FRESH_MS) return;
  if (wanted.size === 0) queueMicrotask(() => void read());
  wanted.add(templateId);
}

async function read(): Promise<void> {
  const missing = wanted;
  wanted = new Set();
  const { signal: never } = new AbortController();
  try {
    const { items } = await listTemplates({ search: '', limit: LIST_LIMIT }, null, never);
    keep(items);
    for (const { templateId } of items) missing.delete(templateId);
    for (const templateId of missing) keep([await readOne(templateId)]);
  } catch (error) {
    // Identifiers are shown instead, and the next page asks again.
    if (!(error instanceof ApiError)) throw error;
  }
}

async function readOne(templateId: string): Promise<{ templateId: string; name: string }> {
  try {
    return await callJson<TemplateState>(path`/v1/templates/${templateId}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return { templateId, name: '' };
  }
}

function keep(found: readonly { readonly templateId: string; readonly name: string }[]): void {
  const readAtMs = performance.now();
  const next = new Map(names.value);
  for (const { templateId, name } of found) next.set(keyOf(templateId), { name, readAtMs });
  names.value = next;
}
