import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, callJson, path, readBody } from '../api/client.ts';
import type { Field, FieldContract, FieldType } from '../api/field-types.ts';
import type { Sample } from '../api/template-data.ts';
import type { DraftChange, DraftCheck, Template } from '../api/types.ts';
import { NoDraft } from '../approvals/decided.tsx';
import { Asked, type Compared, Decision } from '../approvals/decision.tsx';
import { UnsentComment } from '../approvals/kept-comment.tsx';
import { isPublisher, isSentBack } from '../approvals/publisher.ts';
import { Link } from '../app/router.tsx';
import { session } from '../app/state.ts';
import { type Breaking, breakingChanges } from '../../../src/runtime/contract/breaking-changes.ts';
import type { Comparison } from '../compare/samples.ts';
import { compareSample } from '../compare/samples.ts';
import { shownChanges } from '../compare/shown.ts';
import { whenSaved } from '../editor/draft.ts';
import { FindingText, inOrder, type ShownFinding } from '../editor/finding-text.tsx';
import { hasUnsavedCopy, localCopyName } from '../editor/local-copy.ts';
import { hasOwnText } from '../editor/saving/own-texts.ts';
import { coarseFindings } from '../editor/pictures/coarse.ts';
import { readTemplate } from '../editor/template-text.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import { EngineNotLoaded } from '../pdf/engine.ts';
import { Icon } from '../ui/icons.tsx';
import { ErrorNotice, Load, NotLoaded, Notice, PageHead, Skeleton } from '../ui/parts.tsx';
import { TemplateTitle } from '../ui/template-name.tsx';
import { type Loaded, useLoad } from '../ui/use-load.ts';
import { ChangeList } from './change-list.tsx';
import { ComparisonView } from './comparison-view.tsx';
import '../styles/publish.css';

/** Everything needed to decide about publishing a draft. */
interface Candidate {
  readonly state: Template;
  /** Hash of the draft whose samples are compared. */
  readonly draftHash: string;
  /** Whether the draft is JSON, so that its samples are known. */
  readonly isReadable: boolean;
  readonly samples: readonly Sample[];
  readonly findings: readonly ShownFinding[];
  readonly breaking: readonly Breaking<FieldType>[];
  /** What the draft's text changes in the version in use. */
  readonly changes: readonly DraftChange[];
  /** This browser keeps text of the draft that was not saved, so it is not compared. */
  readonly hasUnsaved: boolean;
  /** This browser keeps text that somebody else replaced or discarded. */
  readonly hasReplaced: boolean;
}

/** A template without a draft. */
interface NoCandidate {
  readonly state: Template;
  readonly hasReplaced: boolean;
  readonly draftHash: null;
}

/** Whether the page knows of a draft; one that was published or discarded meanwhile is none. */
function hasDraft(loaded: Loaded<Candidate | NoCandidate>): boolean {
  return loaded.state === 'ready' && loaded.value.draftHash !== null;
}

/** Whether there is a published version to compare with. */
function hasVersion(loaded: Loaded<Candidate | NoCandidate>): boolean {
  return loaded.state === 'ready' && loaded.value.state.latestVersion !== null;
}

/** Compares draft and published version: findings, breaking changes, pages; then publishes. */
export function PublishPage({ parts }: { readonly parts: readonly string[] }) {
  const [templateId = ''] = parts;
  /** The version that the draft on this page would become, by template. */
  const shown = useRef(new Map<string, number>());
  const { loaded, reload } = useLoad(
    async (signal) => {
      const candidate = await loadCandidate(templateId, signal);
      const version = candidate.state.draft?.version;
      if (version !== undefined) shown.current.set(templateId, version);
      return candidate;
    },
    [templateId],
  );
  const base = `/templates/${encodeURIComponent(templateId)}`;
  return (
    <div class="page">
      <PageHead
        title={t('publish.title')}
        {...(hasVersion(loaded) ? { intro: t('publish.intro') } : {})}
        back={
          <Link class="back" to={base}>
            <Icon name="left" size={16} />
            <TemplateTitle templateId={templateId} />
          </Link>
        }
      >
        {hasDraft(loaded) ? (
          <Link class="button" to={`${base}/edit`}>
            <Icon name="edit" />
            {t('template.edit_draft')}
          </Link>
        ) : null}
      </PageHead>
      <Load loaded={loaded} reload={reload}>
        {(candidate) =>
          candidate.draftHash === null ? (
            <div class="stack">
              {candidate.hasReplaced ? <ReplacedNotice base={base} /> : null}
              <UnsentComment state={candidate.state} />
              <NoDraft state={candidate.state} shown={shown.current.get(templateId) ?? null} />
            </div>
          ) : (
            <Review
              key={`${candidate.draftHash} ${hashInUse(candidate.state)}`}
              candidate={candidate}
              reload={reload}
            />
          )
        }
      </Load>
    </div>
  );
}

/** Without a draft, the page has no other way to the text that this browser keeps. */
function ReplacedNotice({ base }: { readonly base: string }) {
  return (
    <Notice tone="warn" title={t('template.replaced')}>
      <Link to={`${base}/edit`}>{t('template.start_draft')}</Link>
    </Notice>
  );
}

async function loadCandidate(
  templateId: string,
  signal: AbortSignal,
): Promise<Candidate | NoCandidate> {
  await whenSaved();
  const state = await callJson<Template>(path`/v1/templates/${templateId}`, { signal });
  const name = localCopyName(session.value, templateId);
  if (state.draft === null) {
    return { state, draftHash: null, hasReplaced: hasOwnText(name, state, null) };
  }
  const address = path`/v1/templates/${templateId}/draft/check`;
  const { findings: checked, changes } = await callJson<DraftCheck>(address, { signal });
  const draft = await call(path`/v1/templates/${templateId}/draft`, { signal });
  const draftHash = (draft.headers.get('etag') ?? '').replaceAll('"', '');
  const text = await readBody(draft.text());
  const template = readTemplate(text);
  const findings = inOrder(checked, await coarseFindings(text));
  const hasUnsaved = hasUnsavedCopy(name, text);
  const hasReplaced = hasOwnText(name, state, text);
  const published = state.latestVersion === null ? [] : await fieldsOf(templateId, signal);
  const breaking =
    state.latestVersion === null ? [] : breakingChanges(published, template?.fields ?? []);
  const samples = template?.samples ?? [];
  const isReadable = template !== null;
  const kept = { hasUnsaved, hasReplaced };
  return { state, draftHash, isReadable, samples, findings, breaking, changes, ...kept };
}

/** Hash of the version that the draft is compared with; null: no version is in use. */
function hashInUse({ latestVersion, versions }: Template): string | null {
  return versions.find(({ version }) => version === latestVersion)?.hash ?? null;
}

async function fieldsOf(templateId: string, signal: AbortSignal): Promise<readonly Field[]> {
  const address = path`/v1/templates/${templateId}/fields`;
  return (await callJson<FieldContract>(address, { signal })).fields;
}

/** Result of one sample: null while pending, then the comparison or the error. */
type SampleResult = Comparison | Failure | null;
type Failure = ApiError | EngineNotLoaded;

/** Compares the samples one after the other; the function compares again those that failed. */
function useComparisons(
  state: Template,
  samples: readonly Sample[],
): readonly [readonly SampleResult[], () => void] {
  const [results, setResults] = useState<readonly SampleResult[]>(() => samples.map(() => null));
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isStale = false;
    const run = async (): Promise<void> => {
      for (const [index, sample] of samples.entries()) {
        if (isComparison(results[index] ?? null)) continue;
        const result = await resultOf(state, sample);
        if (isStale) return;
        setResults((before) => before.with(index, result));
      }
    };
    void run();
    return () => {
      isStale = true;
    };
  }, [turn]);
  const compareAgain = (): void => {
    setResults((before) => before.map((result) => (isComparison(result) ? result : null)));
    setTurn((before) => before + 1);
  };
  return [results, compareAgain];
}

interface ReviewProps {
  readonly candidate: Candidate;
  readonly reload: () => void;
}

function Review({ candidate, reload }: ReviewProps) {
  const { state, samples, findings, breaking, changes, hasUnsaved, hasReplaced } = candidate;
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
  const [results, compareAgain] = useComparisons(state, samples);
  const none = candidate.isReadable ? 'publish.no_samples' : 'preview.samples_unreadable';
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isDone = results.every((result) => result !== null);
  const { shown, unclear } = shownChanges(changes, isDone ? results.filter(isComparison) : []);
  const isConfirmed = changes.every(({ id }) => shown.has(id) || confirmed.has(id));
  const confirm = (id: string, isSeen: boolean): void =>
    setConfirmed((before) => (isSeen ? before.union(new Set([id])) : without(before, id)));
  const isClean = errors.length === 0 && !results.some((result) => result instanceof Error);
  return (
    <div class="stack">
      {hasUnsaved ? <Notice tone="warn" title={t('publish.unsaved')} /> : null}
      {hasReplaced ? <Notice tone="warn" title={t('template.replaced')} /> : null}
      <UnsentComment state={state} />
      <Asked state={state} />
      <FindingList findings={findings} />
      <BreakingList breaking={breaking} state={state} />
      <h2>{t('publish.samples')}</h2>
      {samples.length === 0 ? <Notice tone="warn" title={t(none)} /> : null}
      {samples.map((sample, index) => (
        <SampleCard
          key={index}
          name={sample.name ?? String(index + 1)}
          result={results[index] ?? null}
          isFirst={state.latestVersion === null}
          isTextSame={changes.length === 0}
          compareAgain={compareAgain}
        />
      ))}
      <ChangeList
        changes={changes}
        shown={shown}
        unclear={unclear}
        isDone={isDone}
        confirmed={confirmed}
        onConfirm={isPublisher(state) && !isSentBack(state.approval) ? confirm : null}
      />
      <Decision
        state={state}
        compared={comparedIn(candidate)}
        reload={reload}
        isClean={isDone && isClean}
        isReady={isDone && isClean && isConfirmed}
        isDone={isDone}
        seen={t(seenKey(candidate))}
        notReady={t(isClean ? 'publish.not_confirmed' : 'publish.not_ready')}
      />
    </div>
  );
}

function comparedIn({ draftHash, state, changes }: Candidate): Compared {
  return { draft: draftHash, published: hashInUse(state), changes: changes.map(({ id }) => id) };
}

/** What can be looked at: a comparison, pages alone, or the text. */
function seenKey({ state, samples }: Candidate): TextKey {
  if (samples.length === 0) return 'publish.seen_none';
  return state.latestVersion === null ? 'publish.seen_first' : 'publish.seen';
}

function isComparison(result: SampleResult): result is Comparison {
  return result !== null && !(result instanceof Error);
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== id));
}

async function resultOf(state: Template, sample: Sample): Promise<Comparison | Failure> {
  try {
    return await compareSample(state.templateId, state.latestVersion, sample);
  } catch (error) {
    if (error instanceof ApiError || error instanceof EngineNotLoaded) return error;
    throw error;
  }
}

function FindingList({ findings }: { readonly findings: readonly ShownFinding[] }) {
  if (findings.length === 0) return <Notice tone="good" title={t('publish.clean')} />;
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  return (
    <Notice
      tone={hasErrors ? 'bad' : 'warn'}
      title={t(hasErrors ? 'publish.errors' : 'publish.warnings')}
    >
      <ul class="stack tight">
        {findings.map((finding, index) => (
          <li key={index}>
            <code>
              {finding.line ?? 1} {finding.path}
            </code>{' '}
            <FindingText finding={finding} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface BreakingProps {
  readonly breaking: readonly Breaking<FieldType>[];
  readonly state: Template;
}

function BreakingList({ breaking, state: { latestVersion, versions } }: BreakingProps) {
  if (latestVersion === null) {
    const why = versions.length === 0 ? 'publish.first' : 'publish.all_withdrawn';
    return <Notice tone="info" title={t(why)} />;
  }
  if (breaking.length === 0) return <Notice tone="good" title={t('publish.compatible')} />;
  return (
    <Notice tone="warn" title={t('publish.breaking')}>
      <ul class="stack tight">
        {breaking.map((change, index) => (
          <li key={index}>{breakingText(change)}</li>
        ))}
      </ul>
    </Notice>
  );
}

function breakingText(change: Breaking<FieldType>): string {
  const { field } = change;
  switch (change.kind) {
    case 'removed':
      return t('breaking.removed', { field });
    case 'required':
      return t('breaking.required', { field });
    case 'type':
      return t('breaking.type', {
        field,
        from: t(`type.${change.from}`),
        to: t(`type.${change.to}`),
      });
    case 'choices':
      return change.gone.length === 0
        ? t('breaking.choices', { field, choices: listed(change.left) })
        : t('breaking.choices_gone', { field, choices: listed(change.gone) });
    case 'stricter':
      return t('breaking.stricter', { field });
  }
}

/** Limit of the choices that a line names. */
const CHOICES_MAX = 10;

function listed(choices: readonly string[]): string {
  const named = choices.slice(0, CHOICES_MAX).join(', ');
  return choices.length > CHOICES_MAX ? `${named}, …` : named;
}

interface SampleCardProps {
  readonly name: string;
  readonly result: SampleResult;
  readonly isFirst: boolean;
  readonly isTextSame: boolean;
  readonly compareAgain: () => void;
}

function SampleCard(props: SampleCardProps) {
  const { name, result, isFirst, isTextSame, compareAgain } = props;
  return (
    <section class="card" aria-label={t('publish.sample', { name })}>
      <h2>{name}</h2>
      {result === null ? <Skeleton /> : null}
      {result instanceof ApiError ? <ErrorNotice error={result} retry={compareAgain} /> : null}
      {result instanceof EngineNotLoaded ? <NotLoaded title={t('pdf.not_loaded')} /> : null}
      {result === null || result instanceof Error ? null : (
        <ComparisonView comparison={result} isFirst={isFirst} isTextSame={isTextSame} />
      )}
    </section>
  );
}
