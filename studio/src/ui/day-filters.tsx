import { searchParam, setSearchParams } from '../app/router.tsx';
import { t } from '../i18n/i18n.ts';
import { dayStart, Filter } from './list.tsx';

const FAULT_ID = 'day-filters-fault';

/** Whether the days exclude each other, so that nothing can be found. */
export function areDaysReversed(from: string, to: string): boolean {
  const [start, end] = [dayStart(from), dayStart(to)];
  return start !== '' && end !== '' && start > end;
}

/** The first and the last day of a list, which they keep in the address. */
export function DayFilters() {
  const [from, to] = [searchParam('from'), searchParam('to')];
  const isReversed = areDaysReversed(from, to);
  const fault = isReversed ? { faultId: FAULT_ID } : {};
  return (
    <>
      <Filter
        label={t('filter.from')}
        type="date"
        value={from}
        onChange={(day) => setSearchParams({ from: day })}
        {...fault}
      />
      <Filter
        label={t('filter.to')}
        type="date"
        value={to}
        onChange={(day) => setSearchParams({ to: day })}
        {...fault}
      />
      {isReversed ? (
        <p id={FAULT_ID} class="reason" role="alert">
          {t('filter.reversed')}
        </p>
      ) : null}
    </>
  );
}
