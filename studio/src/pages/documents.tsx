import { useState } from 'preact/hooks';
import type { DocumentFilters } from '../api/documents.ts';
import { findDocument, kindOfSearch, listDocuments, NO_FILTERS } from '../api/documents.ts';
import type { StoredDocument } from '../api/types.ts';
import { searchParams } from '../app/router.tsx';
import { formatAgo, formatBytes, formatNumber, formatTime, t } from '../i18n/i18n.ts';
import { Badge, Button, Empty, PageHead } from '../ui/parts.tsx';
import { dayStart, Filter, ListingView, useListing } from '../ui/list.tsx';
import { DocumentDialog } from './document-dialog.tsx';

/** The team's stored documents. */
export function DocumentsPage() {
  const [filters, setFilters] = useState<DocumentFilters>({
    ...NO_FILTERS,
    templateId: searchParams.value.get('template') ?? '',
  });
  const [documentId, setDocumentId] = useState(searchParams.value.get('id') ?? '');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [openedDocument, setOpenedDocument] = useState<StoredDocument | null>(null);
  // `to` is exclusive for the service: the day after the one chosen.
  const request = { ...filters, from: dayStart(from), to: dayStart(to, 1) };
  const listing = useListing(
    async (after, signal) => {
      if (documentId === '') return listDocuments(request, after, signal);
      // An id is unique, so it overrides the dates.
      return { items: [await findDocument(documentId, signal)], next: null };
    },
    [JSON.stringify(request), documentId],
  );
  const setSearch = (text: string): void => {
    const kind = kindOfSearch(text);
    setDocumentId(kind === 'id' ? text.toLowerCase() : '');
    setFilters({
      ...NO_FILTERS,
      sha256: kind === 'digest' ? text.toLowerCase() : '',
      templateId: kind === 'template' ? text : '',
    });
  };
  const searchText = documentId || filters.sha256 || filters.templateId;
  return (
    <div class="page">
      <PageHead title={t('documents.title')} intro={t('documents.intro')} />
      <div class="filters">
        <Filter label={t('documents.search')} value={searchText} onChange={setSearch} />
        <Filter label={t('filter.from')} type="date" value={from} onChange={setFrom} />
        <Filter label={t('filter.to')} type="date" value={to} onChange={setTo} />
      </div>
      <ListingView
        listing={listing}
        empty={
          <Empty icon="documents" title={t('documents.empty')}>
            <p>{t('documents.empty_hint')}</p>
          </Empty>
        }
      >
        {(documents) => <DocumentTable documents={documents} onOpen={setOpenedDocument} />}
      </ListingView>
      {openedDocument === null ? null : (
        <DocumentDialog document={openedDocument} onClose={() => setOpenedDocument(null)} />
      )}
    </div>
  );
}

interface TableProps {
  readonly documents: readonly StoredDocument[];
  readonly onOpen: (document: StoredDocument) => void;
}

function DocumentTable({ documents, onOpen }: TableProps) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('documents.title')}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('document.created')}</th>
            <th scope="col">{t('document.template')}</th>
            <th scope="col">{t('document.id')}</th>
            <th scope="col" class="num">
              {t('document.pages')}
            </th>
            <th scope="col" class="num">
              {t('document.size')}
            </th>
            <th scope="col">{t('document.expires')}</th>
            <th scope="col">
              <span class="hidden">{t('template.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
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
  // Undefined in the response to a single id: that request fails unless the document is available.
  const isAvailable = document.available !== false;
  return (
    <tr>
      <td class="fit">{formatTime(createdAt, true)}</td>
      <td>
        {templateId} <span class="soft">{t('version.short', { version })}</span>
      </td>
      <td class="mono">{documentId}</td>
      <td class="num">{pages === undefined ? '' : formatNumber(pages)}</td>
      <td class="num">{bytes === undefined ? '' : formatBytes(bytes)}</td>
      <td class="fit" title={formatTime(expiresAt, true)}>
        {isAvailable ? formatAgo(expiresAt) : <Badge>{t('document.gone')}</Badge>}
      </td>
      <td class="fit">
        <Button kind="quiet" disabled={!isAvailable} onClick={() => onOpen(document)}>
          {t('action.open')}
        </Button>
      </td>
    </tr>
  );
}
