import { searchParam, setSearchParams } from '../app/router.tsx';
import { DayFilters } from './day-filters.tsx';
import { dayStart } from './list.tsx';
import { TemplateFilter } from './template-choice.tsx';

/** What the address asks of a list of things that were made from templates, for the service. */
export interface MadeFilters {
  readonly templateId: string;
  readonly from: string;
  readonly to: string;
}

/** Reads the filters of the address. `isSearch`: one is set, even if it is no date yet. */
export function madeFilters(): { readonly filters: MadeFilters; readonly isSearch: boolean } {
  const [templateId, from, to] = [searchParam('template'), searchParam('from'), searchParam('to')];
  // `to` is exclusive for the service: the day after the one chosen.
  const filters = { templateId, from: dayStart(from), to: dayStart(to, 1) };
  return { filters, isSearch: `${templateId}${from}${to}` !== '' };
}

/** The inputs of these filters, which they keep in the address. */
export function MadeFilterInputs() {
  return (
    <>
      <TemplateFilter
        templateId={searchParam('template')}
        onChange={(template) => setSearchParams({ template })}
      />
      <DayFilters />
    </>
  );
}
