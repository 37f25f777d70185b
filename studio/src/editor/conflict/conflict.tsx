import { useState } from 'preact/hooks';
import { ApiError } from '../../api/client.ts';
import { findTemplate } from '../../api/templates.ts';
import type { Template } from '../../api/types.ts';
import { navigate } from '../../app/router.tsx';
import { tell } from '../../app/state.ts';
import { usePersons } from '../../audit/principals.tsx';
import { formatAgo, t, type TextKey } from '../../i18n/i18n.ts';
import { Button, errorTitle, Notice } from '../../ui/parts.tsx';
import { useLoad } from '../../ui/use-load.ts';
import type { CodeHandle } from '../code.tsx';
import type { DraftSession } from '../draft.ts';
import { openDraft } from '../open-draft.ts';
import { isOwnDraft } from '../saving/template-state.ts';
import { DifferenceDialog } from './difference-dialog.tsx';

interface ConflictProps {
  readonly templateId: string;
  readonly draft: DraftSession;
  readonly code: { readonly current: CodeHandle | null };
}

/** Shown when this draft was saved elsewhere: the user chooses which of the two to keep. */
export function Conflict({ templateId, draft, code }: ConflictProps) {
  if (draft.save.value.state !== 'conflict') return null;
  return <ConflictNotice templateId={templateId} draft={draft} code={code} />;
}

/**
 * What became of the draft that this text continues: saved by the user elsewhere or by somebody else,
 * published, discarded, or discarded with its template, which was never published.
 */
type Fate = 'own' | 'theirs' | 'published' | 'discarded' | 'removed';

/** `state` null: there is no such template any more. */
function fateOf(state: Template | null, draft: DraftSession): Fate {
  if (state === null) return 'removed';
  if (state.draft !== null) return isOwnDraft(state) ? 'own' : 'theirs';
  return draft.isPublishedIn(state) ? 'published' : 'discarded';
}

const TEXTS: Readonly<Record<Fate, Record<'title' | 'text' | 'take' | 'keep', TextKey>>> = {
  own: {
    title: 'conflict.own_title',
    text: 'conflict.own_text',
    take: 'conflict.own_take',
    keep: 'conflict.own_keep',
  },
  theirs: {
    title: 'conflict.title',
    text: 'conflict.text',
    take: 'conflict.take',
    keep: 'conflict.keep',
  },
  published: {
    title: 'conflict.published_title',
    text: 'conflict.published',
    take: 'conflict.take_version',
    keep: 'conflict.keep_new',
  },
  discarded: {
    title: 'conflict.discarded_title',
    text: 'conflict.discarded',
    take: 'conflict.take_version',
    keep: 'conflict.keep_new',
  },
  removed: {
    title: 'conflict.discarded_title',
    text: 'conflict.removed',
    take: 'conflict.take_nothing',
    keep: 'conflict.keep_new',
  },
};

/** What there is instead of the texts of the fate where no version is in use that could be taken. */
const WITHDRAWN = { text: 'conflict.withdrawn', take: 'conflict.take_nothing' } as const;

/** Whether the template has versions, and all of them were withdrawn: a draft would begin empty. */
function isWithdrawn(state: Template | null): boolean {
  return state !== null && state.draft === null && state.latestVersion === null;
}

function ConflictNotice({ templateId, draft, code }: ConflictProps) {
  const [mine, setMine] = useState<string | null>(null);
  const { loaded, reload } = useLoad((signal) => findTemplate(templateId, signal), []);
  const savedBy = loaded.state === 'ready' ? loaded.value?.draft?.savedBy : undefined;
  const nameOf = usePersons(savedBy === undefined ? [] : [savedBy]);
  if (loaded.state === 'loading') return null;
  // Without an answer, all that is known is that somebody changed the draft.
  const state = loaded.state === 'ready' ? loaded.value : null;
  const fate = loaded.state === 'ready' ? fateOf(state, draft) : 'theirs';
  const theirs = state?.draft ?? null;
  const isWithoutVersion = isWithdrawn(state);
  // Nothing to go on from, and nothing to compare with.
  const hasOther = fate !== 'removed' && !isWithoutVersion;
  const take = async (): Promise<void> => {
    if (!hasOther) {
      draft.abandon();
      const page = `/templates/${encodeURIComponent(templateId)}`;
      return navigate(fate === 'removed' ? '/templates' : page);
    }
    try {
      const opened = await openDraft(`${templateId} of the server`, templateId, '');
      code.current?.replace(opened.text);
      draft.takeTheirs(opened);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => errorTitle(error));
    }
  };
  const texts = { ...TEXTS[fate], ...(isWithoutVersion ? WITHDRAWN : {}) };
  const who = nameOf(savedBy ?? '') || t('template.somebody');
  const when = theirs === null ? '' : formatAgo(theirs.savedAt);
  return (
    <div class="work-notice">
      <Notice tone="warn" title={t(texts.title)}>
        <p>{t(texts.text, { who, when })}</p>
        <div class="row">
          {hasOther ? (
            <Button icon="compare" onClick={() => setMine(code.current?.text() ?? '')}>
              {t('conflict.show')}
            </Button>
          ) : null}
          <Button onClick={() => void take()}>{t(texts.take)}</Button>
          <Button
            kind="danger"
            onClick={() => draft.overwrite(theirs === null ? null : `"${theirs.hash}"`)}
          >
            {t(texts.keep)}
          </Button>
          <Button kind="quiet" onClick={reload}>
            {t('action.retry')}
          </Button>
        </div>
      </Notice>
      {mine === null ? null : (
        <DifferenceDialog templateId={templateId} mine={mine} onClose={() => setMine(null)} />
      )}
    </div>
  );
}
