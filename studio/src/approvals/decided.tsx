import type { ApiError } from '../api/client.ts';
import type { Template } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { tell } from '../app/state.ts';
import { usePersons } from '../audit/principals.tsx';
import { formatTime, t } from '../i18n/i18n.ts';
import { Empty, Notice } from '../ui/parts.tsx';

/**
 * True if an action was refused because somebody else was first: the draft is gone or another one, or
 * the request is not open any more. The same action would be refused again, so the caller reads the
 * template anew and the page shows what was decided; a message says why it changes.
 */
export function tellIfDecided(error: ApiError): boolean {
  if (error.code === 'precondition_failed') {
    tell('bad', () => t('approval.changed_elsewhere'));
    return true;
  }
  if (error.code !== 'approval_conflict' && error.code !== 'not_found') return false;
  tell('bad', () => t('approval.decided_elsewhere'));
  return true;
}

interface NoDraftProps {
  readonly state: Template;
  /** The version that the draft would have become, if the page showed one; null: it showed none. */
  readonly shown: number | null;
}

/** Says that there is no draft; if the page showed one, who published it and as which version. */
export function NoDraft({ state, shown }: NoDraftProps) {
  const published = state.versions.find(({ version }) => version === shown);
  const nameOf = usePersons(published === undefined ? [] : [published.publishedBy]);
  if (shown === null) return <Empty icon="compare" title={t('publish.no_draft')} />;
  if (published === undefined) return <Notice tone="info" title={t('conflict.discarded_title')} />;
  const { version, publishedBy, publishedAt } = published;
  const said = { who: nameOf(publishedBy), when: formatTime(publishedAt), version };
  const page = `/templates/${encodeURIComponent(state.templateId)}/version-${version}`;
  return (
    <Notice tone="info" title={t('conflict.published_title')}>
      <p>{t('publish.meanwhile', said)}</p>
      <Link to={page}>{t('publish.open_version', { version })}</Link>
    </Notice>
  );
}
