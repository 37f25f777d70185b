import { listTemplates, type TemplateName } from './templates.ts';

/** The largest page that the service returns. */
const PAGE_TEMPLATES = 200;
/** Limit of the pages that a search reads. A text of one letter may occur in thousands of names. */
const PAGES_MAX = 10;

/** The identifiers of the team's templates that a typed text names, including archived ones. */
export async function findNamed(text: string, signal: AbortSignal): Promise<readonly string[]> {
  const lists = await Promise.all(
    [false, true].map((isArchived) => readFound(text, isArchived, signal)),
  );
  return namedBy(text, lists.flat());
}

/**
 * The identifiers of the templates whose name or identifier equals this text. If there are none,
 * the identifiers of those whose name or identifier begins with it. Ignores case.
 */
export function namedBy(text: string, templates: readonly TemplateName[]): readonly string[] {
  const wanted = folded(text);
  if (wanted === '') return [];
  const idsWhere = (fits: (one: string) => boolean): readonly string[] =>
    templates
      .filter(({ templateId, name }) => fits(folded(templateId)) || fits(folded(name)))
      .map(({ templateId }) => templateId);
  const equal = idsWhere((one) => one === wanted);
  return equal.length > 0 ? equal : idsWhere((one) => one.startsWith(wanted));
}

/** Normalizes case and accents as the service does in its search. */
function folded(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** The templates that the service finds, in whose names the text may be anywhere. */
async function readFound(
  search: string,
  archived: boolean,
  signal: AbortSignal,
): Promise<readonly TemplateName[]> {
  const found: TemplateName[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const asked = { search, archived, limit: PAGE_TEMPLATES };
    const { items, next } = await listTemplates(asked, after, signal);
    found.push(...items);
    if (next === null) break;
    after = next;
  }
  return found;
}
