import { callJson, path } from '../../api/client.ts';
import type { LastDiscard, TemplateVersion } from '../../api/types.ts';
import { usePersons } from '../../audit/principals.tsx';
import { formatAgo, t } from '../../i18n/i18n.ts';
import { useLoad } from '../../ui/use-load.ts';

interface Discarded {
  readonly templateId: string;
  /** The versions of the template; empty: it was never published, or is gone. */
  readonly versions: readonly TemplateVersion[];
}

/** Says who discarded the draft of a template, before the rest of a paragraph. */
export function DiscardedBy(props: Discarded) {
  const said = useDiscard(props);
  return said === '' ? null : <>{said} </>;
}

/** A hook. Who discarded the draft, and when; '' while that is not known. null: nobody asks. */
export function useDiscard(discarded: Discarded | null): string {
  const templateId = discarded?.templateId ?? null;
  const { loaded } = useLoad(
    async (signal) =>
      templateId === null
        ? null
        : callJson<LastDiscard>(path`/v1/templates/${templateId}/discard`, { signal }),
    [templateId],
  );
  const last = loaded.state === 'ready' ? (loaded.value?.discarded ?? null) : null;
  const nameOf = usePersons(last === null ? [] : [last.by]);
  if (last === null) return '';
  // A draft that was published later was another one.
  const atMs = Date.parse(last.at);
  const isEarlier = discarded?.versions.some(({ publishedAt }) => Date.parse(publishedAt) > atMs);
  if (isEarlier === true) return '';
  return t('conflict.discarded_by', { who: nameOf(last.by), when: formatAgo(last.at) });
}
