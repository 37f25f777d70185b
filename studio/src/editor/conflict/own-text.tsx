import { useState } from 'preact/hooks';
import { usePersons } from '../../audit/principals.tsx';
import { formatAgo, t } from '../../i18n/i18n.ts';
import { Button, Notice } from '../../ui/parts.tsx';
import type { CodeHandle } from '../code.tsx';
import type { DraftSession } from '../draft.ts';
import type { OpenedDraft } from '../open-draft.ts';
import { dropOwnText } from '../saving/own-texts.ts';
import { DifferenceDialog } from './difference-dialog.tsx';

interface OwnTextProps {
  readonly name: string;
  /** Its `own` is null where the draft is the one that this browser saved last. */
  readonly opened: OpenedDraft;
  readonly draft: DraftSession;
  readonly code: { readonly current: CodeHandle | null };
}

/**
 * Shown when another draft was found than this browser had saved last. The editor shows what the
 * service has, and can be used; the user chooses when to take the own text back, or to forget it.
 */
export function OwnTextNotice({ name, opened, draft, code }: OwnTextProps) {
  const [own, setOwn] = useState(opened.own);
  const [isComparing, setComparing] = useState(false);
  const savedBy = own?.replaced?.savedBy;
  const nameOf = usePersons(savedBy === undefined ? [] : [savedBy]);
  // A conflict comes first: it is about the text that the editor shows.
  if (own === null || draft.save.value.state === 'conflict') return null;
  const { replaced } = own;
  // Without a version in use, the editor shows the beginning of a new template.
  const hasVersion = (opened.template?.latestVersion ?? null) !== null;
  const taken = hasVersion ? 'conflict.take_version' : 'conflict.take_nothing';
  const forget = (): void => {
    dropOwnText(name);
    setOwn(null);
  };
  const takeBack = (): void => {
    code.current?.replace(own.text);
    forget();
  };
  return (
    <div class="work-notice">
      <Notice
        tone="warn"
        title={t(replaced === null ? 'conflict.discarded_title' : 'conflict.after_you')}
      >
        <p>
          {replaced === null
            ? t('conflict.own_kept_discarded')
            : t('conflict.own_kept', {
                who: nameOf(replaced.savedBy) || t('template.somebody'),
                when: formatAgo(replaced.savedAt),
              })}
        </p>
        <div class="row">
          {replaced !== null || hasVersion ? (
            <Button icon="compare" onClick={() => setComparing(true)}>
              {t('conflict.show')}
            </Button>
          ) : null}
          <Button onClick={forget}>{t(replaced === null ? taken : 'conflict.take')}</Button>
          <Button kind="danger" onClick={takeBack}>
            {t(replaced === null ? 'conflict.keep_new' : 'conflict.keep')}
          </Button>
        </div>
      </Notice>
      {isComparing ? (
        <DifferenceDialog
          templateId={draft.templateId}
          mine={own.text}
          isKept
          onClose={() => setComparing(false)}
        />
      ) : null}
    </div>
  );
}
