import { useState } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import type { DiscardedDraft, Template, TemplateDraft } from '../api/types.ts';
import { navigate } from '../app/router.tsx';
import { session, tell } from '../app/state.ts';
import { usePersons } from '../audit/principals.tsx';
import type { DraftSession } from '../editor/draft.ts';
import { formatAgo, t } from '../i18n/i18n.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button, errorTitle } from '../ui/parts.tsx';

interface DiscardProps {
  readonly state: Template;
  readonly discard: () => Promise<DiscardedDraft>;
  /** Called when the draft is gone, and the template is not. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Says what is lost with the draft, and discards it when that is confirmed. */
export function DiscardDialog({ state, discard, onDone, onClose }: DiscardProps) {
  const act = async (): Promise<boolean> => {
    const { removed } = await discard();
    tell('good', () => t(removed ? 'actions.discarded_all' : 'actions.discarded'));
    if (removed) navigate('/templates');
    else onDone();
    return true;
  };
  return (
    <ActionDialog
      title={t('actions.discard')}
      action={t('actions.discard')}
      kind="danger"
      isReady
      onClose={onClose}
      act={act}
    >
      <Losses state={state} />
    </ActionDialog>
  );
}

function Losses({
  state: { draft, versions, latestVersion, approval },
}: Pick<DiscardProps, 'state'>) {
  return (
    <>
      <p>
        {versions.length === 0
          ? t('actions.discard_all')
          : latestVersion === null
            ? t('actions.discard_withdrawn')
            : t('actions.discard_text', { version: latestVersion })}
      </p>
      {draft === null ? null : <LostChanges draft={draft} />}
      {approval?.state === 'open' ? <p>{t('actions.discard_request')}</p> : null}
      <p class="small soft">{t('actions.discard_hint')}</p>
    </>
  );
}

/** Names whose changes of a draft are lost with it. */
export function LostChanges({ draft }: { readonly draft: TemplateDraft }) {
  const { savedBy, savedAt, contributors } = draft;
  const nameOf = usePersons([savedBy, ...contributors]);
  const own = `user:${session.value.userId}`;
  const others = contributors.filter((one) => one !== own).map(nameOf);
  return (
    <p>
      {t('actions.discard_last', {
        who: nameOf(savedBy) || t('template.somebody'),
        when: formatAgo(savedAt),
      })}
      {others.length === 0 ? '' : ` ${t('actions.discard_others', { names: others.join(', ') })}`}
    </p>
  );
}

/** Discards the draft that is open in the editor. */
export function DiscardButton({ draft }: { readonly draft: DraftSession }) {
  const [state, setState] = useState<Template | null>(null);
  const base = `/templates/${encodeURIComponent(draft.templateId)}`;
  const ask = async (): Promise<void> => {
    try {
      setState(await callJson<Template>(path`/v1/templates/${draft.templateId}`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => errorTitle(error));
    }
  };
  // After a conflict, the notice offers what can be done.
  if (draft.save.value.state === 'conflict' || draft.tag === null) return null;
  return (
    <div class="icon-on-phone">
      <Button icon="trash" title={t('actions.discard')} onClick={() => void ask()}>
        {t('actions.discard_short')}
      </Button>
      {state === null ? null : (
        <DiscardDialog
          state={state}
          discard={() => draft.discard()}
          onDone={() => navigate(base)}
          onClose={() => setState(null)}
        />
      )}
    </div>
  );
}
