import { useState } from 'preact/hooks';
import { ApiError, call, callJson, path, readBody } from '../api/client.ts';
import { isComputed } from '../../../src/runtime/contract/computed.ts';
import type { Field, FieldContract } from '../api/field-types.ts';
import type {
  PublishedVersion,
  Template as TemplateState,
  TemplateDraft,
  TemplateVersion,
} from '../api/types.ts';
import { CompareLink } from '../approvals/compare-link.tsx';
import { isNoteTooLong, NoteInput } from '../approvals/note-input.tsx';
import { notePublished, PublishedNotice } from '../approvals/published.tsx';
import { lacksApprover } from '../approvals/publisher.ts';
import { RequestNotice, Words } from '../approvals/request-view.tsx';
import { useRequestWatch } from '../approvals/watch-request.ts';
import { Link } from '../app/router.tsx';
import { isAdmin, mayEdit, session, tell, type Toast } from '../app/state.ts';
import { usePersons } from '../audit/principals.tsx';
import { whenSaved } from '../editor/draft.ts';
import { hasUnsavedCopy, localCopyName, readLocalCopy } from '../editor/local-copy.ts';
import { hasOwnText } from '../editor/saving/own-texts.ts';
import { TemplateActions } from '../template-actions/actions.tsx';
import { formatAgo, formatTime, t, type TextKey } from '../i18n/i18n.ts';
import { LostChanges } from '../template-actions/discard.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, Button, Dialog, errorTitle, Load, Notice, PageHead } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { TableHead } from '../ui/table-head.tsx';

/** A template: its draft, its versions and its field contract. */
export function TemplatePage({ parts }: { readonly parts: readonly string[] }) {
  const [templateId = ''] = parts;
  const { loaded, reload } = useLoad(
    async (signal) => {
      await whenSaved();
      const state = await callJson<TemplateState>(path`/v1/templates/${templateId}`, { signal });
      const kept = await keptText(state, signal);
      return { state, kept };
    },
    [templateId],
  );
  return (
    <div class="page">
      <Load loaded={loaded} reload={reload}>
        {(found) => <Template {...found} reload={reload} />}
      </Load>
    </div>
  );
}

/** A text of the draft that this browser keeps, and that the service does not have; null: none. */
type KeptText = 'unsaved' | 'replaced' | null;

async function keptText(state: TemplateState, signal: AbortSignal): Promise<KeptText> {
  const { templateId, draft } = state;
  const name = localCopyName(session.value, templateId);
  const isUnsaved = readLocalCopy(name)?.isSaved === false;
  if (!mayEdit.value || (!isUnsaved && !hasOwnText(name, state, null))) return null;
  if (draft === null) return isUnsaved ? 'unsaved' : 'replaced';
  const response = await call(path`/v1/templates/${templateId}/draft`, { signal });
  const text = await readBody(response.text());
  if (hasUnsavedCopy(name, text)) return 'unsaved';
  return hasOwnText(name, state, text) ? 'replaced' : null;
}

interface TemplateProps {
  readonly state: TemplateState;
  readonly kept: KeptText;
  readonly reload: () => void;
}

function Template({ state, kept, reload }: TemplateProps) {
  const { templateId, name, latestVersion, draft, versions, archivedAt } = state;
  useRequestWatch(state, reload);
  const isUsed = mayEdit.value && archivedAt === null;
  const base = `/templates/${encodeURIComponent(templateId)}`;
  return (
    <>
      <PageHead
        title={name || templateId}
        back={
          <Link class="back" to="/templates">
            <Icon name="left" size={16} />
            {t('nav.templates')}
          </Link>
        }
      >
        {isUsed && latestVersion !== null ? (
          <Link class="button" to={`/generate?template=${encodeURIComponent(templateId)}`}>
            <Icon name="generate" />
            {t('nav.generate')}
          </Link>
        ) : null}
        {isUsed && draft !== null ? (
          <Link class="button" to={`${base}/publish`}>
            <Icon name="compare" />
            {t('template.review')}
          </Link>
        ) : null}
        {isUsed ? (
          <Link class="button main" to={`${base}/edit`}>
            <Icon name="edit" />
            {t(draft === null ? 'template.start_draft' : 'template.edit_draft')}
          </Link>
        ) : null}
      </PageHead>
      <div class="stack">
        <PublishedNotice templateId={templateId} versions={versions} />
        {state.approval === null ? null : (
          <RequestNotice approval={state.approval} lacksApprover={lacksApprover(draft)} />
        )}
        {kept === null ? null : <Notice tone="warn" title={t(`template.${kept}`)} />}
        {archivedAt === null ? null : (
          <Notice
            tone="warn"
            title={t('template.archived_since', { when: formatTime(archivedAt) })}
          />
        )}
        <Draft state={state} />
        <TemplateActions state={state} reload={reload} />
        <Versions
          templateId={templateId}
          versions={versions}
          latest={latestVersion}
          isArchived={archivedAt !== null}
          draft={draft}
          reload={reload}
        />
        {isUsed && latestVersion !== null ? <Contract templateId={templateId} /> : null}
      </div>
    </>
  );
}

function Draft({ state }: { readonly state: TemplateState }) {
  const { templateId, name, draft } = state;
  const nameOf = usePersons(draft === null ? [] : [draft.savedBy]);
  return (
    <section class="card">
      <dl class="facts">
        <dt>{t('templates.id')}</dt>
        <dd class="mono">{templateId}</dd>
        <dt>{t('templates.draft')}</dt>
        <dd>
          {draft === null
            ? t('template.no_draft')
            : t('template.draft_by', {
                version: draft.version,
                who: nameOf(draft.savedBy) || t('template.somebody'),
                when: formatAgo(draft.savedAt),
              })}
        </dd>
        {draft === null || draft.name === name ? null : (
          <>
            <dt>{t('actions.draft_name')}</dt>
            <dd>{draft.name}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

interface VersionsProps {
  readonly templateId: string;
  readonly versions: readonly TemplateVersion[];
  readonly latest: number | null;
  readonly isArchived: boolean;
  readonly draft: TemplateDraft | null;
  readonly reload: () => void;
}

function Versions(props: VersionsProps) {
  const { templateId, versions, latest, isArchived, draft, reload } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <section class="stack tight">
      <h2>{t('template.versions')}</h2>
      {versions.length === 0 ? (
        <p class="soft">{t('template.no_versions')}</p>
      ) : (
        <div class="table-wrap" role="region" tabIndex={0} aria-label={t('template.versions')}>
          <table class="table cards" role="table">
            <TableHead
              columns={[
                'templates.version',
                'template.published',
                'template.authors',
                'template.by',
                'template.note',
              ]}
              hasActions={isAdmin.value}
            />
            <tbody role="rowgroup">
              {versions.map((version) => (
                <VersionRow
                  key={version.version}
                  templateId={templateId}
                  isArchived={isArchived}
                  version={version}
                  versions={versions}
                  isLatest={version.version === latest}
                  onRollBack={() => setChosen(version.version)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {chosen === null ? null : (
        <RollBack
          templateId={templateId}
          version={chosen}
          draft={draft}
          onClose={() => setChosen(null)}
          onDone={reload}
        />
      )}
    </section>
  );
}

interface VersionRowProps {
  readonly templateId: string;
  readonly isArchived: boolean;
  readonly version: TemplateVersion;
  readonly versions: readonly TemplateVersion[];
  readonly isLatest: boolean;
  readonly onRollBack: () => void;
}

function VersionRow(props: VersionRowProps) {
  const { templateId, isArchived, version: summary, versions, isLatest, onRollBack } = props;
  const { version, hash, publishedAt, publishedBy, withdrawnAt, note, authors } = summary;
  // A rollback publishes the content of an earlier version again.
  const same = versions.findLast((one) => one.hash === hash && one.version < version);
  return (
    <tr role="row">
      <td role="cell" class="title">
        <span class="row">
          <VersionLink templateId={templateId} version={version} />
          {isLatest && !isArchived ? <Badge tone="good">{t('template.current')}</Badge> : null}
          {withdrawnAt === null ? null : <Badge tone="warn">{t('template.withdrawn')}</Badge>}
        </span>
        {same === undefined ? null : (
          <div class="small soft">{t('template.as_version', { version: same.version })}</div>
        )}
        <div class="small">
          <CompareLink templateId={templateId} version={version} versions={versions} />
        </div>
      </td>
      <td role="cell" data-label={t('template.published')}>
        {formatTime(publishedAt)}
      </td>
      <td role="cell" data-label={t('template.authors')}>
        <Names principals={authors} />
      </td>
      <td role="cell" data-label={t('template.by')}>
        <Names principals={publishedBy === '' ? [] : [publishedBy]} />
      </td>
      <td role="cell" class="why" data-label={t('template.note')}>
        {note === '' ? '–' : <Words text={note} />}
      </td>
      {isAdmin.value ? (
        <td role="cell" class="fit actions">
          {isLatest || isArchived ? null : (
            <Button kind="quiet" icon="history" onClick={onRollBack}>
              {t('template.roll_back')}
            </Button>
          )}
        </td>
      ) : null}
    </tr>
  );
}

/** People, by name if the reader may see it. */
function Names({ principals }: { readonly principals: readonly string[] }) {
  const nameOf = usePersons(principals);
  return <>{principals.map(nameOf).join(', ') || '–'}</>;
}

/** The number of a version, as a link to look at it for those who may read it. */
function VersionLink({ templateId, version }: { templateId: string; version: number }) {
  if (!mayEdit.value) return <strong>{version}</strong>;
  const to = `/templates/${encodeURIComponent(templateId)}/version-${version}`;
  return (
    <Link to={to}>
      <strong>{version}</strong>
      <span class="hidden">{t('version.look', { version })}</span>
    </Link>
  );
}

interface RollBackProps {
  readonly templateId: string;
  readonly version: number;
  readonly draft: TemplateDraft | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Republishes an earlier version; if publishing requires two Admins, saves it as the draft. */
function RollBack({ templateId, version, draft, onClose, onDone }: RollBackProps) {
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState('');
  const takesTwo = session.value.publishApprovals;
  const rollBack = async (): Promise<void> => {
    setBusy(true);
    try {
      const text = takesTwo
        ? await restoreAsDraft(templateId, version, draft)
        : await publishAgain(templateId, version, note.trim());
      tell('good', text, takesTwo ? askingOn(templateId) : undefined);
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => errorTitle(error));
    }
    onClose();
  };
  return (
    <Dialog title={t('template.roll_back_title', { version })} onClose={onClose}>
      <div class="body">
        <p>{t(takesTwo ? 'template.restore_text' : 'template.roll_back_text')}</p>
        {takesTwo && draft !== null ? (
          <Notice tone="warn" title={t('template.restore_replaces')}>
            <LostChanges draft={draft} />
            <p>{t('actions.discard_hint')}</p>
          </Notice>
        ) : null}
        {takesTwo ? null : (
          <NoteInput
            id="roll-back-note"
            label={t('template.roll_back_note')}
            value={note}
            onChange={setNote}
          />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="main"
            busy={isBusy}
            disabled={isNoteTooLong(note)}
            onClick={() => void rollBack()}
          >
            {t(takesTwo ? 'template.restore' : 'template.roll_back')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Where another Admin is asked: nobody learns of a draft by itself. */
function askingOn(templateId: string): Toast['next'] {
  return {
    to: `/templates/${encodeURIComponent(templateId)}/publish`,
    text: () => t('template.restored_ask'),
  };
}

async function publishAgain(
  templateId: string,
  from: number,
  note: string,
): Promise<Toast['text']> {
  const address = path`/v1/templates/${templateId}/rollback`;
  const body = { version: from, note };
  const { version } = await callJson<PublishedVersion>(address, { method: 'POST', body });
  notePublished(templateId, version, from);
  return () => t('template.rolled_back', { version, from });
}

/** Overwrites only the draft that this page has shown: the request is conditional. */
async function restoreAsDraft(
  templateId: string,
  version: number,
  draft: TemplateDraft | null,
): Promise<Toast['text']> {
  const earlier = await call(path`/v1/templates/${templateId}/versions/${version}`);
  await call(path`/v1/templates/${templateId}/draft`, {
    method: 'PUT',
    body: await readBody(earlier.text()),
    headers: draft === null ? { 'if-none-match': '*' } : { 'if-match': `"${draft.hash}"` },
  });
  return () => t('template.restored', { version });
}

function Contract({ templateId }: { readonly templateId: string }) {
  const { loaded, reload } = useLoad(
    (signal) => callJson<FieldContract>(path`/v1/templates/${templateId}/fields`, { signal }),
    [templateId],
  );
  return (
    <section class="stack tight">
      <h2>{t('template.fields')}</h2>
      <Load loaded={loaded} reload={reload}>
        {({ fields }) => (
          <div class="table-wrap" role="region" tabIndex={0} aria-label={t('template.fields')}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{t('template.field')}</th>
                  <th scope="col">{t('template.type')}</th>
                  <th scope="col">{t('template.required')}</th>
                </tr>
              </thead>
              <tbody>
                {fields.map((field) => (
                  <tr key={field.name}>
                    <td class="mono">{field.name}</td>
                    <td>{t(`type.${field.type}`)}</td>
                    <td>{t(demandOf(field))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Load>
    </section>
  );
}

/** Whether callers have to send a field; what the template computes they must leave out. */
function demandOf(field: Field): TextKey {
  if (isComputed(field)) return 'template.computed';
  return field.required ? 'state.yes' : 'state.no';
}
