import { ApiError, callJson, path, query } from './client.ts';
import type { Template, TemplateList, TemplateSummary } from './types.ts';

/** The fields of a template that a combobox shows. */
export interface TemplateName {
  readonly templateId: string;
  readonly name: string;
}

interface TemplatePage {
  readonly items: readonly TemplateSummary[];
  readonly next: string | null;
}

interface Asked {
  /** A part of the identifier or of the name; '' matches all. */
  readonly search: string;
  /** Only templates that have a published version. */
  readonly published?: boolean;
  /** Only archived templates, which are left out otherwise. */
  readonly archived?: boolean;
  readonly limit: number;
}

/** A page of the team's templates, found by the service. */
export async function listTemplates(
  { search, published = false, archived = false, limit }: Asked,
  after: string | null,
  signal: AbortSignal,
): Promise<TemplatePage> {
  const asked = query({
    search,
    published: published ? 'true' : '',
    archived: archived ? 'true' : '',
    limit,
    after,
  });
  const { templates, next } = await callJson<TemplateList>(`/v1/templates${asked}`, { signal });
  return { items: templates, next };
}

/**
 * The entry of a template in that list; null: the identifier is free. Asking for a template that does
 * not exist would be refused, and operators would see refusals that are none.
 */
export async function findSummary(
  templateId: string,
  signal?: AbortSignal,
): Promise<TemplateSummary | null> {
  const address = `/v1/templates${query({ templateId })}`;
  const { templates } = await callJson<TemplateList>(
    address,
    signal === undefined ? {} : { signal },
  );
  return templates.find((found) => found.templateId === templateId) ?? null;
}

/** A template; null: there is none with this identifier. */
export async function findTemplate(
  templateId: string,
  signal?: AbortSignal,
): Promise<Template | null> {
  if ((await findSummary(templateId, signal)) === null) return null;
  try {
    const asked = signal === undefined ? {} : { signal };
    return await callJson<Template>(path`/v1/templates/${templateId}`, asked);
  } catch (error) {
    // Somebody has just discarded its only draft.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * The template to select first: the requested one if it is published, else the first of the
 * list; null when nothing is published.
 */
export async function firstTemplate(
  asked: string | null,
  signal: AbortSignal,
): Promise<TemplateName | null> {
  if (asked !== null && asked !== '') {
    const found = await findSummary(asked, signal);
    if (found !== null && found.latestVersion !== null && found.archivedAt === null) return found;
  }
  for (let after: string | null = null; ;) {
    const { items, next } = await listTemplates(
      { search: '', published: true, limit: 1 },
      after,
      signal,
    );
    const [first] = items;
    if (first !== undefined) return first;
    if (next === null) return null;
    after = next;
  }
}
