import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TemplateVersion } from '../api/types.ts';
import { t } from '../i18n/i18n.ts';
import { Notice } from '../ui/parts.tsx';
import { CompareLink } from './compare-link.tsx';

interface Published {
  readonly templateId: string;
  readonly version: number;
  /** A roll-back published the content of this version again; null: a draft was published. */
  readonly from: number | null;
}

/** What this window published last, until its template is left; null: nothing. */
const published = signal<Published | null>(null);

export function notePublished(
  templateId: string,
  version: number,
  from: number | null = null,
): void {
  published.value = { templateId, version, from };
}

interface NoticeProps {
  readonly templateId: string;
  readonly versions: readonly TemplateVersion[];
}

/** Says that a version was just published, or is current again, with the way to what it changed. */
export function PublishedNotice({ templateId, versions }: NoticeProps) {
  useEffect(() => () => void (published.value = null), [templateId]);
  const last = published.value;
  if (last === null || last.templateId !== templateId) return null;
  const { version, from } = last;
  const title =
    from === null ? t('publish.done', { version }) : t('template.rolled_back', { version, from });
  return (
    <Notice tone="good" title={title}>
      <CompareLink templateId={templateId} version={version} versions={versions} />
    </Notice>
  );
}
