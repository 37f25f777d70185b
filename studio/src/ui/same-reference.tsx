import type { SameReference, StoredDocument } from '../api/documents.ts';
import { Link } from '../app/router.tsx';
import { formatTime, t } from '../i18n/i18n.ts';
import { Icon } from './icons.tsx';
import { Notice } from './parts.tsx';

/** Other documents that the notice names. */
const NAMED_MAX = 5;

/** Warns before another document of the same reference is stored, below the reference in the form. */
export function StoredBefore({ stored }: { readonly stored: StoredDocument }) {
  const { documentId, createdAt } = stored;
  return (
    <p class="known" role="status">
      <Icon name="warn" size={16} />
      <span>
        {t('generate.stored_before', { when: formatTime(createdAt, true) })}{' '}
        <Link to={`/documents?id=${documentId}`}>{t('generate.stored_before_show')}</Link>
      </span>
    </p>
  );
}

interface SameReferenceProps {
  readonly stored: StoredDocument;
  /** Null: they could not be read. */
  readonly same: SameReference | null;
}

/**
 * Warns that a receipt, or whatever the reference names, may have been made twice, and names the other
 * documents. The reference itself is shown where the template has it kept as text.
 */
export function SameReferenceNotice({ stored, same }: SameReferenceProps) {
  const { reference = '' } = stored;
  if (same === null) return <Notice tone="warn" title={t('generate.same_reference_unknown')} />;
  const { others, isAll } = same;
  if (others.length === 0) return null;
  const count = `${others.length}${isAll ? '' : '+'}`;
  const title =
    reference === ''
      ? t('generate.same_reference', { count })
      : t('generate.same_reference_named', { reference, count });
  return (
    <Notice tone="warn" title={title}>
      <ul class="stack tight">
        {others.slice(0, NAMED_MAX).map(({ documentId, createdAt }) => (
          <li key={documentId}>
            <Link to={`/documents?id=${documentId}`}>
              {t('generate.same_reference_made', { when: formatTime(createdAt, true) })}
            </Link>
          </li>
        ))}
      </ul>
      {reference === '' ? null : (
        <Link to={`/documents?find=${encodeURIComponent(reference)}`}>
          {t('generate.same_reference_find')}
        </Link>
      )}
    </Notice>
  );
}
