import { useState } from 'preact/hooks';
import { listTemplates } from '../api/templates.ts';
import type { TemplateSummary } from '../api/types.ts';
import { isPlainClick, Link, navigate, searchParam, setSearchParams } from '../app/router.tsx';
import { mayEdit } from '../app/state.ts';
import { formatAgo, formatTime, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { Choice, ListingView, useFollowedListing, useTyped } from '../ui/list.tsx';
import { Badge, Button, Empty, PageHead } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { NewTemplate } from './new-template.tsx';

const LIMIT = 50;

/** The team's templates, found by the service page by page: a team may have thousands. */
export function TemplatesPage() {
  const wanted = searchParam('search');
  const isArchive = searchParam('archived') === 'true';
  const [isNew, setNew] = useState(false);
  const read = (after: string | null, signal: AbortSignal): ReturnType<typeof listTemplates> =>
    listTemplates({ search: wanted, archived: isArchive, limit: LIMIT }, after, signal);
  const listing = useFollowedListing(read, [wanted, isArchive], LIMIT);
  return (
    <div class="page">
      <PageHead title={t('templates.title')} intro={t('templates.intro')}>
        {mayEdit.value ? (
          <Button kind="main" icon="add" onClick={() => setNew(true)}>
            {t('templates.new')}
          </Button>
        ) : null}
      </PageHead>
      <div class="stack">
        <div class="filters">
          <Search wanted={wanted} label={t('templates.search')} />
          <Choice
            label={t('templates.shown')}
            value={isArchive ? 'true' : ''}
            options={[
              ['', t('templates.in_use')],
              ['true', t('templates.archive_shown')],
            ]}
            onChange={(archived) => setSearchParams({ archived })}
          />
        </div>
        <ListingView
          listing={listing}
          isSearch={wanted !== ''}
          empty={<NoTemplates isSearch={wanted !== '' || isArchive} />}
        >
          {(templates) => <TemplateTable templates={templates} />}
        </ListingView>
      </div>
      {isNew ? <NewTemplate onClose={() => setNew(false)} /> : null}
    </div>
  );
}

function NoTemplates({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <Empty icon="search" title={t('state.nothing_found')} />;
  return (
    <Empty icon="templates" title={t('templates.empty')}>
      <p>{t(mayEdit.value ? 'templates.empty_edit' : 'templates.empty_view')}</p>
    </Empty>
  );
}

interface SearchProps {
  readonly wanted: string;
  readonly label: string;
}

function Search({ wanted, label }: SearchProps) {
  const typed = useTyped(wanted, (search) => setSearchParams({ search }));
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <span class="search">
        <Icon name="search" />
        <input class="input" type="search" {...typed} />
      </span>
    </label>
  );
}

function TemplateTable({ templates }: { readonly templates: readonly TemplateSummary[] }) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('templates.title')}>
      <table class="table cards" role="table">
        <TableHead
          columns={['templates.name', 'templates.version', 'templates.draft', 'templates.changed']}
        />
        <tbody role="rowgroup">
          {templates.map((template) => (
            <Row key={template.templateId} template={template} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A template; a click anywhere on it opens its page, as its name does. */
function Row({ template }: { readonly template: TemplateSummary }) {
  const { templateId, name, latestVersion, hasDraft, updatedAt } = template;
  const page = `/templates/${encodeURIComponent(templateId)}`;
  const open = (event: MouseEvent): void => {
    // The link follows a click on it by itself, and text that was selected is to be copied.
    const isLink = event.target instanceof Element && event.target.closest('a') !== null;
    if (!isLink && isPlainClick(event) && getSelection()?.isCollapsed !== false) navigate(page);
  };
  return (
    <tr role="row" class="opens" onClick={open}>
      <td role="cell" class="title">
        <Link class="name" to={page}>
          {name || templateId}
        </Link>
        <span class="soft mono">{templateId}</span>
      </td>
      <td role="cell" data-label={t('templates.version')}>
        {latestVersion === null ? (
          <Badge>{t('templates.unpublished')}</Badge>
        ) : (
          <Badge tone="good">{t('version.short', { version: latestVersion })}</Badge>
        )}
      </td>
      <td role="cell" data-label={t('templates.draft')}>
        {hasDraft ? <Badge tone="accent">{t('templates.has_draft')}</Badge> : '–'}
      </td>
      <td
        role="cell"
        class="soft fit"
        title={formatTime(updatedAt, true)}
        data-label={t('templates.changed')}
      >
        {formatAgo(updatedAt)}
      </td>
    </tr>
  );
}
