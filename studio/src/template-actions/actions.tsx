import { useState } from 'preact/hooks';
import { ApiError, call, callJson, callText, path } from '../api/client.ts';
import type { DiscardedDraft, Template } from '../api/types.ts';
import { navigate } from '../app/router.tsx';
import { isAdmin, mayEdit, session, tell } from '../app/state.ts';
import { dropLocalCopy, localCopyName } from '../editor/local-copy.ts';
import { dropOwnText } from '../editor/saving/own-texts.ts';
import { t } from '../i18n/i18n.ts';
import { findSummary, type TemplateName } from '../api/templates.ts';
import { Taken } from '../pages/new-template.tsx';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/parts.tsx';
import { discardDraft } from './discard-draft.ts';
import { DiscardDialog } from './discard.tsx';
import { withNames } from './edit-text.ts';
import { idFault } from './id-fault.ts';
import { IdInput } from './id-input.tsx';

interface ActionProps {
  readonly state: Template;
  readonly reload: () => void;
}

type Open = 'duplicate' | 'rename' | 'discard' | 'archive' | null;

/** What can be done with a template as a whole. */
export function TemplateActions({ state, reload }: ActionProps) {
  const [open, setOpen] = useState<Open>(null);
  const hasText = state.draft !== null || state.latestVersion !== null;
  const isArchived = state.archivedAt !== null;
  const close = (): void => setOpen(null);
  const props = { state, reload, onClose: close };
  if (!mayEdit.value) return null;
  return (
    <div class="row">
      {hasText ? (
        <Button icon="copy" onClick={() => setOpen('duplicate')}>
          {t('actions.duplicate')}
        </Button>
      ) : null}
      {hasText && !isArchived ? (
        <Button icon="edit" onClick={() => setOpen('rename')}>
          {t('actions.rename')}
        </Button>
      ) : null}
      {state.draft !== null && !isArchived ? (
        <Button icon="trash" onClick={() => setOpen('discard')}>
          {t('actions.discard')}
        </Button>
      ) : null}
      {isAdmin.value ? (
        <Button icon="documents" onClick={() => setOpen('archive')}>
          {t(isArchived ? 'actions.unarchive' : 'actions.archive')}
        </Button>
      ) : null}
      {open === 'duplicate' ? <Duplicate {...props} /> : null}
      {open === 'rename' ? <Rename {...props} /> : null}
      {open === 'discard' ? <Discard {...props} /> : null}
      {open === 'archive' ? <Archive {...props} /> : null}
    </div>
  );
}

interface DialogProps extends ActionProps {
  readonly onClose: () => void;
}

/** The text of the draft, or of the version in use when there is none. */
async function textOf({ templateId, draft, latestVersion }: Template): Promise<string> {
  const address =
    draft === null
      ? path`/v1/templates/${templateId}/versions/${latestVersion ?? 1}`
      : path`/v1/templates/${templateId}/draft`;
  return callText(address);
}

/** The name in that text. */
function nameOf({ templateId, name, draft }: Template): string {
  return (draft === null ? name : draft.name) || templateId;
}

/** The text with other names; throws what a dialog shows when it cannot be changed. */
function renamed(text: string, names: Parameters<typeof withNames>[1]): string {
  const changed = withNames(text, names);
  if (changed === null) throw new ApiError(400, { error: t('actions.not_text') });
  return changed;
}

function Duplicate({ state, onClose }: DialogProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState(t('actions.copy_of', { name: nameOf(state) }));
  const [taken, setTaken] = useState<TemplateName | null>(null);
  const isTaken = taken?.templateId === id;
  const duplicate = async (): Promise<boolean> => {
    const found = await findSummary(id);
    setTaken(found);
    if (found !== null) return false;
    const body = renamed(await textOf(state), { templateId: id, name: name.trim() });
    const headers = { 'if-none-match': '*' };
    await call(path`/v1/templates/${id}/draft`, { method: 'PUT', body, headers });
    tell('good', () => t('actions.duplicated', { name: name.trim() }));
    navigate(`/templates/${encodeURIComponent(id)}`);
    return true;
  };
  return (
    <ActionDialog
      title={t('actions.duplicate')}
      action={t('actions.duplicate')}
      isReady={idFault(id) === null && !isTaken && name.trim() !== ''}
      onClose={onClose}
      act={duplicate}
    >
      <p>{t(state.draft === null ? 'actions.from_version' : 'actions.from_draft')}</p>
      <IdInput id="copy-id" value={id} isChecked={false} isTaken={isTaken} onChange={setId} />
      <Name value={name} onChange={setName} />
      {isTaken ? <Taken template={taken} /> : null}
    </ActionDialog>
  );
}

/** Changes the name in the draft, so that a new name goes the way of every other change. */
function Rename({ state, reload, onClose }: DialogProps) {
  const { templateId, draft } = state;
  const [name, setName] = useState(nameOf(state));
  const rename = async (): Promise<boolean> => {
    const body = renamed(await textOf(state), { name: name.trim() });
    const headers: Record<string, string> =
      draft === null ? { 'if-none-match': '*' } : { 'if-match': `"${draft.hash}"` };
    await call(path`/v1/templates/${templateId}/draft`, { method: 'PUT', body, headers });
    tell('good', () => t('actions.renamed', { name: name.trim() }));
    reload();
    return true;
  };
  return (
    <ActionDialog
      title={t('actions.rename')}
      action={t('action.save')}
      isReady={name.trim() !== '' && name.trim() !== nameOf(state)}
      onClose={onClose}
      act={rename}
    >
      <Name value={name} onChange={setName} />
      <p>{t('actions.rename_text', { id: templateId })}</p>
    </ActionDialog>
  );
}

/** Discards the draft that is shown; one that was saved since stays. */
function Discard({ state, reload, onClose }: DialogProps) {
  const { templateId, draft } = state;
  const discard = async (): Promise<DiscardedDraft> => {
    const discarded = await discardDraft(templateId, draft === null ? null : `"${draft.hash}"`);
    const name = localCopyName(session.value, templateId);
    dropLocalCopy(name);
    dropOwnText(name);
    return discarded;
  };
  return <DiscardDialog state={state} discard={discard} onDone={reload} onClose={onClose} />;
}

function Archive({ state, reload, onClose }: DialogProps) {
  const { templateId, archivedAt } = state;
  const tail = archivedAt === null ? 'archive' : 'unarchive';
  const act = async (): Promise<boolean> => {
    const address = `${path`/v1/templates/${templateId}`}/${tail}`;
    await callJson(address, { method: 'POST', body: {} });
    tell('good', () => t(`actions.${tail}d`));
    reload();
    return true;
  };
  return (
    <ActionDialog
      title={t(`actions.${tail}`)}
      action={t(`actions.${tail}`)}
      isReady
      onClose={onClose}
      act={act}
    >
      <p>{t(`actions.${tail}_text`)}</p>
    </ActionDialog>
  );
}

interface NameProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Name({ value, onChange }: NameProps) {
  return (
    <div class="field">
      <label for="action-name">{t('templates.name')}</label>
      <input
        id="action-name"
        class="input"
        autocomplete="off"
        maxLength={255}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
