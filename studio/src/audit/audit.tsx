import { useState } from 'preact/hooks';
import { AUDIT_ACTIONS, REFUSED_ONLY } from '../../../src/gateway/audit-actions.ts';
import { ApiError } from '../api/client.ts';
import type { AuditRecord } from '../api/types.ts';
import { CompareLink } from '../approvals/compare-link.tsx';
import { Link, searchParam, searchParams, setSearchParams } from '../app/router.tsx';
import { tell } from '../app/state.ts';
import { formatNumber, formatPeriod, formatPrincipal, formatTime, t } from '../i18n/i18n.ts';
import { DayFilters } from '../ui/day-filters.tsx';
import { saveFile } from '../ui/download.ts';
import { Choice, Filter, ListingView, useListing } from '../ui/list.tsx';
import { Badge, Button, Empty, errorTitle, Notice, PageHead } from '../ui/parts.tsx';
import { TemplateFilter } from '../ui/template-choice.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  ALL_ACTIONS,
  type AuditFilters,
  fetchLines,
  startAction,
  WITHOUT_GENERATE,
} from './api.ts';
import { type AuditLine, linesOf } from './lines.ts';
import { principalNamed, principalsNamed } from './named.ts';
import { PrincipalLabel, PrincipalName, readPrincipals } from './principals.tsx';
import { auditCsv, CSV_RECORDS_MAX, csvName } from './csv.ts';

const OUTCOMES = ['succeeded', 'failed', 'denied'] as const;
/** The filters in the query of the address. */
function givenFilters(): AuditFilters {
  const principal = searchParam('principal');
  return {
    principal,
    action: searchParam('action') || startAction(principal),
    outcome: searchParam('outcome'),
    templateId: searchParam('template'),
    from: searchParam('from'),
    to: searchParam('to'),
  };
}

/** The audit records, for Admins. */
export function AuditPage() {
  const filters = givenFilters();
  const [isSaving, setSaving] = useState(false);
  const [isCut, setCut] = useState(false);
  const listing = useListing(
    (after, signal) => fetchLines(filters, after, signal),
    [JSON.stringify(filters)],
  );
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const { text, isWhole } = await auditCsv(filters);
      saveFile(csvName(filters), 'text/csv;charset=utf-8', text);
      setCut(!isWhole);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => errorTitle(error));
    }
    setSaving(false);
  };
  return (
    <div class="page">
      <PageHead title={t('audit.title')} intro={t('audit.intro')}>
        <Button icon="download" busy={isSaving} onClick={() => void save()}>
          {t('audit.csv')}
        </Button>
      </PageHead>
      <div class="stack">
        {isCut ? (
          <Notice tone="warn" title={t('audit.cut', { count: formatNumber(CSV_RECORDS_MAX) })}>
            <p>{t('audit.cut_hint')}</p>
          </Notice>
        ) : null}
        <FilterBar filters={filters} />
        <p class="found small soft">{t('audit.csv_hint')}</p>
      </div>
      <ListingView
        listing={listing}
        isSearch={searchParams.value.size > 0}
        empty={
          <Empty icon="audit" title={t('state.nothing_found')}>
            {filters.principal === '' ? null : <PrincipalHint text={filters.principal} />}
          </Empty>
        }
      >
        {(records) => <Records records={records} />}
      </ListingView>
    </div>
  );
}

function FilterBar({ filters }: { readonly filters: AuditFilters }) {
  const any = ['', t('filter.any')] as const;
  return (
    <div class="filters">
      <DayFilters />
      <PrincipalFilter value={filters.principal} />
      <Choice
        label={t('audit.action')}
        value={filters.action}
        options={[
          [WITHOUT_GENERATE, t('audit.without_generate')],
          [ALL_ACTIONS, t('filter.any')],
          ...AUDIT_ACTIONS.map((action) => {
            const only = REFUSED_ONLY.includes(action) ? ` ${t('audit.refused_only')}` : '';
            return [action, `${action}${only}`] as const;
          }),
        ]}
        onChange={(action) => setSearchParams({ action })}
      />
      <Choice
        label={t('audit.outcome')}
        value={filters.outcome}
        options={[any, ...OUTCOMES.map((outcome) => [outcome, t(`outcome.${outcome}`)] as const)]}
        onChange={(outcome) => setSearchParams({ outcome })}
      />
      <TemplateFilter
        templateId={filters.templateId}
        onChange={(template) => setSearchParams({ template })}
      />
    </div>
  );
}

/** Offers users and keys by identifier and name; the name of one stands for its identifier. */
function PrincipalFilter({ value }: { readonly value: string }) {
  const { loaded } = useLoad(readPrincipals, []);
  // Without them, identifiers can be typed.
  const known = loaded.state === 'ready' ? [...loaded.value] : [];
  return (
    <>
      <Filter
        label={t('audit.principal')}
        value={formatPrincipal(value)}
        list="audit-principals"
        onChange={(text) => setSearchParams({ principal: principalNamed(text, known) })}
      />
      <datalist id="audit-principals">
        {known.map(([id, name]) => (
          <option key={id} value={formatPrincipal(id)}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** Limit of the users and keys that are offered. */
const OFFERED_MAX = 10;

/** Offers the users and keys whose name has what was typed; tells how to find one otherwise. */
function PrincipalHint({ text }: { readonly text: string }) {
  const { loaded } = useLoad(readPrincipals, []);
  const known = loaded.state === 'ready' ? loaded.value : [];
  const meant = principalsNamed(text, known).slice(0, OFFERED_MAX);
  if (meant.length === 0) return <p>{t('audit.principal_hint')}</p>;
  return (
    <>
      <p>{t('audit.principal_offer')}</p>
      <div class="row">
        {meant.map(([id, name]) => (
          <Button key={id} onClick={() => setSearchParams({ principal: id })}>
            {`${name} (${formatPrincipal(id)})`}
          </Button>
        ))}
      </div>
    </>
  );
}

const TONES = { succeeded: 'good', failed: 'warn', denied: 'bad' } as const;

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('audit.title')}>
      <table class="table cards" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {HEADINGS.map((key) => (
              <th key={key} scope="col" role="columnheader">
                {t(key)}
              </th>
            ))}
            <th scope="col" role="columnheader" class="num">
              ms
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {linesOf(records).map((line) => (
            <Line key={line.record.auditId} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const HEADINGS = [
  'audit.time',
  'audit.principal',
  'audit.action',
  'audit.outcome',
  'audit_column.detail',
] as const;

function Line({ line }: { readonly line: AuditLine }) {
  const { record, others, since } = line;
  const { at, principal, action, outcome, code, durationMs } = record;
  return (
    <tr role="row">
      <td role="cell" class="when" data-label={t('audit.time')}>
        {others > 0 ? formatPeriod(since, at) : formatTime(at, true)}
      </td>
      <td role="cell" class="breaks" data-label={t('audit.principal')}>
        <PrincipalLabel principal={principal} />
      </td>
      <td role="cell" class="title">
        <span class="mono">{action}</span>
        {others > 0 ? <SeriesOf line={line} /> : null}
      </td>
      <td role="cell" data-label={t('audit.outcome')}>
        <span>
          <Badge tone={TONES[outcome]}>{t(`outcome.${outcome}`)}</Badge>{' '}
          <span class="small soft mono">{code}</span>
        </span>
      </td>
      <td role="cell" class="breaks" data-label={t('audit_column.detail')}>
        <AboutTemplate record={record} />
      </td>
      <td role="cell" class="num" data-label="ms">
        {durationMs === null || others > 0 ? '' : formatNumber(durationMs, 1)}
      </td>
    </tr>
  );
}

/** The template of a record, its contributors, and the details of the record. */
function AboutTemplate({ record }: { readonly record: AuditRecord }) {
  const { templateId, version, contributors, detail, draft } = record;
  return (
    <div>
      <TemplateLabel templateId={templateId} version={version} />{' '}
      {contributors.length === 0 ? null : (
        <span class="small soft">
          {t('publish.by', { who: '' })}
          {contributors.map((principal, index) => (
            <>
              {index === 0 ? '' : ', '}
              <PrincipalName principal={principal} />
            </>
          ))}
        </span>
      )}
      {detail === '' ? null : <div class="small soft">{detail}</div>}
      {draft ? <Badge tone="warn">{t('audit.draft')}</Badge> : null}
      <ComparisonOf record={record} />
    </div>
  );
}

/** What a publication changed; the version before it may have been withdrawn, its page says so then. */
function ComparisonOf({ record }: { readonly record: AuditRecord }) {
  const { action, outcome, templateId, version } = record;
  const isPublished = action === 'templates.publish' && outcome === 'succeeded';
  if (!isPublished || version === null || version < 2) return null;
  const before = { version: version - 1, withdrawnAt: null };
  const versions = [{ version, withdrawnAt: null }, before];
  return (
    <div class="small">
      <CompareLink templateId={templateId} version={version} versions={versions} />
    </div>
  );
}

/** How many records stand on a line; a link to the run that made them. */
function SeriesOf({ line: { record, series, others } }: { readonly line: AuditLine }) {
  const count = formatNumber(others + 1);
  if (series !== 'run') {
    return (
      <div class="small">
        {t(series === 'saves' ? 'audit.of_saves' : 'audit.of_previews', { count })}
      </div>
    );
  }
  return (
    <Link class="name" to={`/runs/${record.requestId}`}>
      {t('audit.of_run', { count })}
    </Link>
  );
}
