import { useState } from 'preact/hooks';
import {
  kindOfSearch,
  listDocument,
  listDocuments,
  NO_FILTERS,
  searchDocuments,
} from '../api/documents.ts';
import type { StoredDocument } from '../api/documents.ts';
import { serviceNowMs } from '../api/service-time.ts';
import { searchParam, setSearchParams } from '../app/router.tsx';
import { formatAgo, formatBytes, formatNumber, formatTime, t } from '../i18n/i18n.ts';
import { Badge, Button, Empty, PageHead } from '../ui/parts.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';
import { Filter, ListingView, useListing } from '../ui/list.tsx';
import { MadeFilterInputs, madeFilters } from '../ui/made-filters.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { DocumentDialog } from './document-dialog.tsx';

/** The team's stored documents. */
export function DocumentsPage() {
  const documentId = searchParam('id');
  const sha256 = searchParam('sha256');
  const words = searchParam('find');
  const made = madeFilters();
  const [openedDocument, setOpenedDocument] = useState<StoredDocument | null>(null);
  const request = { ...NO_FILTERS, sha256, ...made.filters };
  const listing = useListing(
    // An id is unique, so it overrides the dates.
    (after, signal) => {
      if (documentId !== '') return listDocument(documentId, signal);
      if (words !== '') return searchDocuments(words, request, after, signal);
      return listDocuments(request, after, signal);
    },
    [JSON.stringify(request), documentId, words],
  );
  const searchText = documentId || sha256 || words;
  const isSearch = searchText !== '' || made.isSearch;
  return (
    <div class="page">
      <PageHead title={t('documents.title')} intro={t('documents.intro')} />
      <div class="filters">
        <Filter
          label={t('documents.search')}
          hint={t('documents.search_hint')}
          value={searchText}
          onChange={setSearch}
        />
        <MadeFilterInputs />
      </div>
      <ListingView
        listing={listing}
        isSearch={isSearch}
        empty={<NoDocuments isSearch={isSearch} words={words} />}
      >
        {(documents) => <DocumentTable documents={documents} onOpen={setOpenedDocument} />}
      </ListingView>
      {openedDocument === null ? null : (
        <DocumentDialog document={openedDocument} onClose={() => setOpenedDocument(null)} />
      )}
    </div>
  );
}

/** Puts what was typed into the address: an id, a digest, or words. */
function setSearch(text: string): void {
  const kind = kindOfSearch(text);
  setSearchParams({
    id: kind === 'id' ? text.toLowerCase() : '',
    sha256: kind === 'digest' ? text.toLowerCase() : '',
    find: kind === 'words' ? text : '',
  });
}

interface NoneProps {
  readonly isSearch: boolean;
  readonly words: string;
}

function NoDocuments({ isSearch, words }: NoneProps) {
  if (isSearch) {
    return (
      <Empty icon="search" title={t('state.nothing_found')}>
        {words === '' ? null : (
          <p>
            {t('documents.whole')} {t('documents.forgotten')} {t('documents.named')}
          </p>
        )}
      </Empty>
    );
  }
  return (
    <Empty icon="documents" title={t('documents.empty')}>
      <p>{t('documents.empty_hint')}</p>
    </Empty>
  );
}

interface TableProps {
  readonly documents: readonly StoredDocument[];
  readonly onOpen: (document: StoredDocument) => void;
}

function DocumentTable({ documents, onOpen }: TableProps) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('documents.title')}>
      <table class="table cards" role="table">
        <TableHead
          columns={[
            'document.created',
            'document.template',
            'document.id',
            { num: 'document.pages' },
            { num: 'document.size' },
            'document.expires',
          ]}
          hasActions
        />
        <tbody role="rowgroup">
          {documents.map((document) => (
            <DocumentRow key={document.documentId} document={document} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly document: StoredDocument;
  readonly onOpen: (document: StoredDocument) => void;
}

function DocumentRow({ document, onOpen }: RowProps) {
  const { documentId, templateId, version, pages, bytes, createdAt, expiresAt } = document;
  const name = document.reference ?? document.fileName;
  // A record found by its id has no `available`: that request fails if the document is not.
  const isAvailable = document.available !== false;
  const isExpired = !isAvailable && Date.parse(expiresAt) <= serviceNowMs();
  const isDamaged = !isAvailable && !isExpired;
  return (
    <tr role="row">
      <td role="cell" class="when" data-label={t('document.created')}>
        {formatTime(createdAt, true)}
      </td>
      <td role="cell" class="breaks" data-label={t('document.template')}>
        <TemplateLabel templateId={templateId} version={version} />
      </td>
      <td role="cell" class="title breaks">
        {name === undefined ? null : <div class="name">{name}</div>}
        <span class={name === undefined ? 'mono' : 'mono small soft'}>{documentId}</span>
        {isDamaged ? <p class="small">{t('document.damaged_hint')}</p> : null}
      </td>
      <td role="cell" class="num" data-label={t('document.pages')}>
        {pages === undefined ? '' : formatNumber(pages)}
      </td>
      <td
        role="cell"
        class="num"
        data-label={t('document.size')}
        title={bytes === undefined ? '' : t('document.bytes', { count: formatNumber(bytes) })}
      >
        {bytes === undefined ? '' : formatBytes(bytes)}
      </td>
      <td
        role="cell"
        class="when"
        title={formatTime(expiresAt, true)}
        data-label={t('document.expires')}
      >
        {isDamaged ? <Badge tone="bad">{t('document.damaged')}</Badge> : null}
        {isExpired ? <Badge>{t('document.gone')}</Badge> : null}
        {isAvailable ? formatAgo(expiresAt) : null}
      </td>
      <td role="cell" class="fit actions">
        <Button kind="quiet" disabled={!isAvailable} onClick={() => onOpen(document)}>
          {t('action.open')}
        </Button>
      </td>
    </tr>
  );
}
