import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import type { Data } from '../api/template-data.ts';
import { EditorRequest } from '../approvals/editor-request.tsx';
import { searchParams, setSearchParams } from '../app/router.tsx';
import { language, session, tell } from '../app/state.ts';
import { useTemplateName } from '../app/template-names.ts';
import type { CodeHandle } from '../editor/code.tsx';
import { Code } from '../editor/code.tsx';
import { Conflict } from '../editor/conflict/conflict.tsx';
import { OwnTextNotice } from '../editor/conflict/own-text.tsx';
import type { SampleState } from '../editor/checks/draft-checks.ts';
import { misspellingFix } from '../editor/checks/misspelling.ts';
import { DraftSession } from '../editor/draft.ts';
import { FindingText, inOrder, type ShownFinding } from '../editor/finding-text.tsx';
import { LeaveLink } from '../editor/saving/leave-link.tsx';
import { localCopyName } from '../editor/local-copy.ts';
import type { OpenedDraft } from '../editor/open-draft.ts';
import { openDraft } from '../editor/open-draft.ts';
import { editSample } from '../editor/sample-edit.ts';
import { LazyGuide } from '../editor/guide/lazy-guide.tsx';
import { coarseFindings } from '../editor/pictures/coarse.ts';
import { PaneButtons, Panes } from '../editor/panes/panes.tsx';
import { foldCoveringGuide, isShown, showPane } from '../editor/panes/state.ts';
import type { SaveState } from '../editor/saving/save-state.ts';
import { SlipNotice } from '../editor/slip-notice.tsx';
import { TextTools } from '../editor/text-tools.tsx';
import type { ReadTemplate } from '../editor/template-text.ts';
import {
  DRAFT_BYTES_MAX,
  readTemplate,
  starterText,
  withoutEmpty,
} from '../editor/template-text.ts';
import { withParsedTexts } from '../form/json-texts.ts';
import { formatBytes, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { DiscardButton } from '../template-actions/discard.tsx';
import { Badge, Button, errorTitle, Load, Spinner } from '../ui/parts.tsx';
import { TemplateTitle } from '../ui/template-name.tsx';
import { useLoad } from '../ui/use-load.ts';
import { PreviewPane } from './preview-pane.tsx';
import '../styles/editor.css';
import '../styles/guide.css';

/** The draft of a template: its text, what is wrong with it, and how it looks. */
export function EditorPage({ parts }: { readonly parts: readonly string[] }) {
  const [templateId = ''] = parts;
  const name = localCopyName(session.value, templateId);
  const { loaded, reload } = useLoad(() => {
    // The dialog that creates a template gives its name.
    const named = searchParams.value.get('name');
    const starter = starterText(templateId, named ?? templateId, language.value === 'th');
    return openDraft(name, templateId, starter, named !== null);
  }, [templateId]);
  // A template that is created now has no name yet that could be read.
  const created = searchParams.value.get('name');
  const known = useTemplateName(created === null ? templateId : '') || created;
  useEffect(() => {
    document.title = `${known} · Intaglio Studio`;
  }, [known]);
  return (
    <div class="page full">
      <Load loaded={loaded} reload={reload}>
        {(opened) => <Editor templateId={templateId} name={name} opened={opened} />}
      </Load>
    </div>
  );
}

/** Once the draft is there that the dialog asked for, going back to it creates no other one. */
function forgetRequest({ save, tag }: DraftSession): void {
  if (save.value.state === 'saved' && tag !== null) setSearchParams({ name: '' });
}

interface EditorProps {
  readonly templateId: string;
  readonly name: string;
  readonly opened: OpenedDraft;
}

function Editor({ templateId, name, opened }: EditorProps) {
  const code = useRef<CodeHandle | null>(null);
  const draft = useMemo(
    () => new DraftSession(name, templateId, opened, () => code.current?.toJson() ?? null),
    [],
  );
  const template = useTemplate(draft.text.value);
  const samples = template?.samples ?? [];
  const [chosen, setChosen] = useState(0);
  const sample = Math.min(chosen, Math.max(0, samples.length - 1));
  const sampleData = useSame(samples[sample]?.data ?? {});
  // What was typed in the form, until another sample is chosen or this one has the same data.
  const [typed, setTyped] = useState<Data | null>(null);
  const data = typed ?? sampleData;
  useEffect(() => () => draft.close(), []);
  useEffect(() => {
    if (opened.isRestored && opened.theirs === null) tell('good', () => t('editor.restored'));
  }, []);
  const sent = useMemo(() => withoutEmpty(data), [data]);
  // A save can render a sample as the text has it.
  const isSample = typed === null && samples.length > 0 && isSame(sent, sampleData);
  useEffect(() => draft.save.subscribe(() => forgetRequest(draft)), []);
  useEffect(() => draft.show(sent, isSample ? sample : null), [sent, isSample, sample]);
  useEffect(() => {
    if (typed === null) return;
    const read = withParsedTexts(template?.fields ?? [], withoutEmpty(typed));
    if (isSame(read, sampleData)) setTyped(null);
  }, [sampleData]);
  useEffect(
    () => draft.checks.findings.subscribe((found) => code.current?.showFindings(found ?? [])),
    [],
  );

  const choose = (index: number): void => {
    setChosen(index);
    setTyped(null);
  };
  const saveSample = (title: string): void => {
    const given = { name: title, data: withoutEmpty(data) };
    const edit = editSample(code.current?.text() ?? '', given, sample);
    if (edit === null) return tell('bad', () => t('editor.sample_not_saved'));
    code.current?.change(edit.change);
    tell('good', () => t('editor.sample_saved', { name: title }));
    setChosen(edit.index);
  };
  return (
    <>
      <EditorHead templateId={templateId} template={template} draft={draft} />
      <Conflict templateId={templateId} draft={draft} code={code} />
      <OwnTextNotice name={name} opened={opened} draft={draft} code={code} />
      <EditorRequest draft={draft} opened={opened.template} />
      <Workbench opened={opened} draft={draft} code={code}>
        <PreviewPane
          draft={draft}
          fields={template?.fields ?? []}
          isReadable={template !== null}
          samples={samples}
          sampleIndex={sample}
          data={data}
          onSample={choose}
          onData={setTyped}
          onSaveSample={saveSample}
        />
      </Workbench>
    </>
  );
}

interface WorkbenchProps {
  readonly opened: OpenedDraft;
  readonly draft: DraftSession;
  readonly code: { current: CodeHandle | null };
  /** The page. */
  readonly children: ComponentChildren;
}

/** The text, the page and the guide. */
function Workbench({ opened, draft, code, children }: WorkbenchProps) {
  // Once it was opened it stays, with its place.
  const hasGuide = useRef(false);
  useState(foldCoveringGuide);
  hasGuide.current ||= isShown('guide');
  const back = (): void => {
    foldCoveringGuide();
    code.current?.focus();
  };
  const close = (): void => {
    showPane('guide', false);
    back();
  };
  const text = (
    <section class="text-pane" aria-label={t('editor.text')}>
      <TextTools code={code} />
      <Code
        text={opened.text}
        saved={opened.editor}
        label={t('editor.text')}
        onChange={(changed) => draft.change(changed)}
        onReady={(handle) => (code.current = handle)}
      />
      <Findings draft={draft} code={code} />
    </section>
  );
  const guide = hasGuide.current ? <LazyGuide onBack={back} onClose={close} /> : null;
  return <Panes panes={{ text, page: children, guide }} />;
}

/** The template as it was when its text could be read last. */
function useTemplate(text: string): ReadTemplate | null {
  const last = useRef<ReadTemplate | null>(null);
  const read = useMemo(() => readTemplate(text), [text]);
  last.current = read ?? last.current;
  return last.current;
}

/** The same object as long as its JSON stays the same. */
function useSame(data: Data): Data {
  const last = useRef(data);
  if (!isSame(last.current, data)) last.current = data;
  return last.current;
}

function isSame(a: Data, b: Data): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

interface HeadProps {
  readonly templateId: string;
  readonly template: ReadTemplate | null;
  readonly draft: DraftSession;
}

function EditorHead({ templateId, template, draft }: HeadProps) {
  const base = `/templates/${encodeURIComponent(templateId)}`;
  const errors = (draft.checks.findings.value ?? []).filter(
    ({ severity }) => severity === 'error',
  ).length;
  return (
    <header class="work-head">
      <div class="work-title">
        <LeaveLink class="back" draft={draft} to={base}>
          <Icon name="left" size={16} />
          <span class="hidden">{t('editor.back')}</span>
        </LeaveLink>
        <h1>{template?.name || <TemplateTitle templateId={templateId} />}</h1>
        <SaveBadge draft={draft} />
      </div>
      <div class="row">
        <PaneButtons />
        <DiscardButton draft={draft} />
        {draft.save.value.state === 'untyped' ? null : (
          <LeaveLink
            class={errors === 0 ? 'button main' : 'button'}
            draft={draft}
            to={`${base}/publish`}
          >
            <Icon name="compare" />
            {t('template.review')}
          </LeaveLink>
        )}
      </div>
    </header>
  );
}

function SaveBadge({ draft }: { readonly draft: DraftSession }) {
  const save = draft.save.value;
  switch (save.state) {
    case 'saved':
      return <Badge tone="good">{t('save.saved')}</Badge>;
    case 'untyped':
      return <Badge>{t('save.untyped')}</Badge>;
    case 'changed':
    case 'saving':
      return (
        <span class="row nowrap small soft">
          <Spinner />
          {t('save.saving')}
        </span>
      );
    case 'unreadable':
      return <Badge tone="warn">{t('save.unreadable')}</Badge>;
    case 'conflict':
      return <Badge tone="bad">{t('save.conflict')}</Badge>;
    case 'failed':
    case 'refused':
      return (
        <span class="row small soft">
          <Badge tone="bad">{t(draft.isKept.value ? 'save.failed' : 'save.failed_not_kept')}</Badge>
          {errorTitle(save.error)}
        </span>
      );
  }
}

interface FindingsProps {
  readonly draft: DraftSession;
  readonly code: { readonly current: CodeHandle | null };
}

function Findings({ draft, code }: FindingsProps) {
  const save = draft.save.value;
  const findings = draft.checks.findings.value;
  const coarse = useCoarsePictures(draft.text.value);
  const isRefused = save.state === 'unreadable' || save.state === 'refused';
  // Between two texts nothing is checked: what was found is about an earlier text.
  const isOpen = save.state === 'conflict';
  // Findings of the last text that could be read have other lines than the text that cannot.
  const shown = save.state === 'unreadable' || isOpen ? [] : inOrder(findings ?? [], coarse);
  const isClean = !isRefused && !isOpen && findings !== null && shown.length === 0;
  return (
    <div class="findings" role="region" aria-label={t('editor.findings')} aria-live="polite">
      <Refusal save={save} text={draft.text.value} code={code} />
      {isOpen || (!isRefused && findings === null) ? (
        <p class="finding soft">
          {t(save.state === 'untyped' ? 'editor.untyped' : 'editor.not_checked')}
        </p>
      ) : null}
      {isClean ? <NoFaults samples={draft.checks.samples.value} /> : null}
      <ul>
        {shown.map((finding, index) => (
          <li key={index} class="slip">
            <button
              class={`finding ${finding.severity}`}
              onClick={() => code.current?.jump(finding)}
            >
              <Icon name={finding.severity === 'error' ? 'error' : 'warn'} size={16} />
              <span class="soft tabular">{finding.line ?? 1}</span>
              <span>
                {finding.path === '' ? null : <code>{finding.path}</code>}{' '}
                <FindingText finding={finding} />
              </span>
            </button>
            {misspellingFix(draft.text.value, finding) === null ? null : (
              <Button icon="check" onClick={() => code.current?.correct(finding)}>
                {t('slip.fix')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Pause after which the sizes of pictures are compared with the text: it may be long. */
const PICTURES_PAUSE_MS = 600;

/** Warnings of pictures that are printed too large, of this text or one of a moment ago. */
function useCoarsePictures(text: string): readonly ShownFinding[] {
  const [found, setFound] = useState<readonly ShownFinding[]>([]);
  useEffect(() => {
    let isStale = false;
    const look = async (): Promise<void> => {
      const coarse = await coarseFindings(text);
      if (!isStale) setFound(coarse);
    };
    const timer = setTimeout(() => void look(), PICTURES_PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text]);
  return found;
}

/** Says that nothing was found, and whether that is so with the samples, too. */
function NoFaults({ samples }: { readonly samples: SampleState }) {
  if (samples === 'failed') return <p class="finding soft">{t('editor.samples_not_checked')}</p>;
  if (samples === 'waiting') return <p class="finding soft">{t('editor.no_findings_yet')}</p>;
  return (
    <p class="finding good">
      <Icon name="check" size={16} />
      {t('editor.no_findings')}
    </p>
  );
}

interface RefusalProps {
  readonly save: SaveState;
  readonly text: string;
  readonly code: FindingsProps['code'];
}

/** Why the service does not take the text. */
function Refusal({ save, text, code }: RefusalProps) {
  if (save.state === 'refused') {
    return (
      <p class="finding error">
        <Icon name="error" size={16} />
        <span>{refusalText(save.error, save.bytes)}</span>
      </p>
    );
  }
  if (save.state !== 'unreadable') return null;
  return <SlipNotice text={text} reason={save.reason} code={code} />;
}

function refusalText(error: ApiError, bytes: number): string {
  if (error.status !== 413) return `${errorTitle(error)} ${error.message}`;
  const size = formatBytes(bytes);
  // A proxy in between may have a lower limit than the service.
  if (bytes <= DRAFT_BYTES_MAX) return t('save.too_large_for_proxy', { size });
  const excess = formatBytes(bytes - DRAFT_BYTES_MAX);
  return t('save.too_large', { size, excess, max: formatBytes(DRAFT_BYTES_MAX) });
}
