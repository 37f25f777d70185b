import { Link } from '../app/router.tsx';
import { mayEdit } from '../app/state.ts';
import { formatAgo, formatNumber, formatTime, t } from '../i18n/i18n.ts';
import type { Run } from './api.ts';
import { listRuns, PAGE_RUNS } from './api.ts';
import { Icon } from '../ui/icons.tsx';
import { ListingView, useFollowedListing } from '../ui/list.tsx';
import { MadeFilterInputs, madeFilters } from '../ui/made-filters.tsx';
import { Empty, PageHead } from '../ui/parts.tsx';
import { TemplateLabel, TemplateTitle } from '../ui/template-name.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { Progress, StateBadge } from './run-progress.tsx';

/** The team's runs, newest first. */
export function RunsPage() {
  const { filters, isSearch } = madeFilters();
  const listing = useFollowedListing(
    (after, signal) => listRuns(filters, after, signal),
    [JSON.stringify(filters)],
    PAGE_RUNS,
  );
  return (
    <div class="page">
      <PageHead title={t('runs.title')} intro={t('runs.intro')}>
        {mayEdit.value ? (
          <Link class="button main" to="/runs/new">
            <Icon name="add" />
            {t('runs.new')}
          </Link>
        ) : null}
      </PageHead>
      <div class="filters">
        <MadeFilterInputs />
      </div>
      <ListingView listing={listing} isSearch={isSearch} empty={<NoRuns isSearch={isSearch} />}>
        {(runs) => <RunTable runs={runs} />}
      </ListingView>
    </div>
  );
}

function NoRuns({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <Empty icon="search" title={t('state.nothing_found')} />;
  return (
    <Empty icon="runs" title={t('runs.empty')}>
      <p>{t('runs.empty_hint')}</p>
    </Empty>
  );
}

function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('runs.title')}>
      <table class="table cards" role="table">
        <TableHead
          columns={[
            'runs.run',
            'document.template',
            'runs.state',
            { num: 'runs.rows' },
            { num: 'runs.stored' },
            { num: 'runs.invalid' },
            'document.created',
          ]}
        />
        <tbody role="rowgroup">
          {runs.map((run) => (
            <RunRow key={run.runId} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const { runId, name, templateId, version, counts, createdAt } = run;
  return (
    <tr role="row">
      <td role="cell" class="title">
        <Link class="name" to={`/runs/${runId}`}>
          {name || <TemplateTitle templateId={templateId} />}
        </Link>
        <span class="soft mono">{runId}</span>
      </td>
      <td role="cell" class="breaks" data-label={t('document.template')}>
        <TemplateLabel templateId={templateId} version={version} />
      </td>
      <td role="cell" data-label={t('runs.state')}>
        <StateBadge run={run} />
        <Progress run={run} />
      </td>
      <Count name={t('runs.rows')} value={counts.received} />
      <Count name={t('runs.stored')} value={counts.stored} />
      <Count name={t('runs.invalid')} value={counts.invalid + counts.failed} />
      <td
        role="cell"
        class="soft fit"
        title={formatTime(createdAt, true)}
        data-label={t('document.created')}
      >
        {formatAgo(createdAt)}
      </td>
    </tr>
  );
}

function Count({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <td role="cell" class="num" data-label={name}>
      {formatNumber(value)}
    </td>
  );
}
