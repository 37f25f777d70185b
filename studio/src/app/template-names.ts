import { findSummary, listTemplates } from '../api/templates.ts';
import { NameBook, type Names } from './name-book.ts';

/** Names read at once: most teams have fewer templates, so one request finds all names of a page. */
const LIST_LIMIT = 200;

const book = new NameBook(readNames);

/** The name of a template; its identifier until the name is known, or if it has none. */
export function useTemplateName(templateId: string): string {
  return book.useName(templateId) ?? templateId;
}

async function readNames(ids: ReadonlySet<string>): Promise<Names> {
  const { signal } = new AbortController();
  const { items } = await listTemplates({ search: '', limit: LIST_LIMIT }, null, signal);
  const names = new Map(items.map(({ templateId, name }) => [templateId, name]));
  for (const templateId of ids) {
    if (!names.has(templateId)) names.set(templateId, (await findSummary(templateId))?.name ?? '');
  }
  return names;
}
