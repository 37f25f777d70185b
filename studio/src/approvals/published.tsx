import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TemplateVersion } from '../api/types.ts';
import { t } from '../i18n/i18n.ts';
import { Notice } from '../ui/parts.tsx';
import { CompareLink } from './compare-link.tsx';

/** The version that this window published last, until its template is left; null: none. */
const published = signal<{ readonly templateId: string; readonly version: number } | null>(null);

export function notePublished(templateId: string, version: number): void {
  published.value = { templateId, version };
}

interface NoticeProps {
  readonly templateId: string;
  readonly versions: readonly TemplateVersion[];
}

/** Says that a version was just published, with the way to what it changed. */
export function PublishedNotice({ templateId, versions }: NoticeProps) {
  useEffect(() => () => void (published.value = null), [templateId]);
  const last = published.value;
  if (last === null || last.templateId !== templateId) return null;
  return (
    <Notice tone="good" title={t('publish.done', { version: last.version })}>
      <CompareLink templateId={templateId} version={last.version} versions={versions} />
    </Notice>
  );
}
