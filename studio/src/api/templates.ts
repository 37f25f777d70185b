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
 * The template to select first: the requested one if it is published, else the first of the
 * list; null when nothing is published.
 */
export async function firstTemplate(
  asked: string | null,
  signal: AbortSignal,
): Promise<TemplateName | null> {
  if (asked !== null && asked !== '') {
    try {
      const found = await callJson<Template>(path`/v1/templates/${asked}`, { signal });
      if (found.latestVersion !== null && found.archivedAt === null) return found;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
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
