import { useEffect, useState } from 'preact/hooks';
import type { RunReason } from './types.ts';
import { ApiError } from '../api/client.ts';
import { Link } from '../app/router.tsx';
import { mayEdit, tell } from '../app/state.ts';
import { useTemplateName } from '../app/template-names.ts';
import { PrincipalLabel } from '../audit/principals.tsx';
import { formatBytes, formatNumber, formatTime, t } from '../i18n/i18n.ts';
import type { Run, RunAction } from './api.ts';
import {
  actOnRun,
  findRun,
  hasUnchecked,
  hasWork,
  isUnderWay,
  mayCancel,
  takesRows,
} from './api.ts';
import { Icon } from '../ui/icons.tsx';
import {
  Button,
  Dialog,
  ErrorNotice,
  errorTitle,
  Notice,
  PageHead,
  Skeleton,
} from '../ui/parts.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';
import { useWatch } from '../ui/watch.ts';
import { Faulty } from './faulty.tsx';
import { AskUnchecked } from './ask-unchecked.tsx';
import { leavingOut } from './left-out.ts';
import { useKeptEdits } from './kept-edits.tsx';
import { csvWords } from './notation.ts';
import { sayInOrder, sayReason } from './reasons.ts';
import { Progress, StateBadge } from './run-progress.tsx';
import { Results } from './results.tsx';
import { RunUpload } from './run-upload.tsx';
import { Totals, TotalsHelp } from './totals.tsx';
import '../styles/runs.css';

const POLL_MS = 1_500;

/** One run: its live progress, its control totals, and the result of each row. */
export function RunPage({ parts }: { readonly parts: readonly string[] }) {
  const [runId = ''] = parts;
  const { run, error, show } = useRun(runId);
  return (
    <div class="page">
      {error === null ? null : <ErrorNotice error={error} />}
      {run === null && error === null ? <Skeleton /> : null}
      {run === null ? null : <RunView run={run} show={show} />}
    </div>
  );
}

interface WatchedRun {
  readonly run: Run | null;
  readonly error: ApiError | null;
  /** Shows the response to an action, and loads the run again. */
  readonly show: (run: Run) => void;
}

/** Loads the run, and polls it while it is under way. */
function useRun(runId: string): WatchedRun {
  const [run, setRun] = useState<Run | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [actions, setActions] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    const read = async (): Promise<void> => {
      let isOver = false;
      try {
        const found = await findRun(runId, controller.signal);
        if (controller.signal.aborted) return;
        setRun(found);
        setError(null);
        isOver = !isUnderWay(found);
      } catch (caught) {
        if (controller.signal.aborted) return;
        if (!(caught instanceof ApiError)) throw caught;
        setError(caught);
        isOver = caught.isFinal;
      }
      if (!isOver) timer = window.setTimeout(() => void read(), POLL_MS);
    };
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [runId, actions]);
  const show = (changed: Run): void => {
    // The response to an action has neither parts nor sums, so these are loaded next.
    setRun((before) => ({ ...before, ...changed }));
    setActions((before) => before + 1);
  };
  // A run at rest changes when other windows or people act on it.
  const known = run === null ? '' : momentOf(run);
  useWatch(async (signal) => {
    const found = await findRun(runId, signal);
    if (!signal.aborted && momentOf(found) !== known) show(found);
  }, `${runId} ${known}`);
  return { run, error, show };
}

/** Differs after each step of a run, when its reasons are judged again, and when its documents expire. */
function momentOf({ state, counts, reasons, documentsExpired = false }: Run): string {
  const judged = reasons.map(({ name, actual }) => `${name} ${actual}`);
  return [state, documentsExpired, ...Object.values(counts), ...judged].join(' ');
}

interface ViewProps {
  readonly run: Run;
  readonly show: (run: Run) => void;
}

function RunView({ run, show }: ViewProps) {
  const [isUploading, setUploading] = useState(false);
  const template = useTemplateName(run.templateId);
  // What a run tells of a check or of its end does not hold for rows that came later.
  const isOlder = run.reasons.length > 0 || run.state === 'done';
  const isNotice = takesRows(run) && hasUnchecked(run) && isOlder;
  return (
    <>
      <PageHead
        title={run.name || template}
        back={
          <Link class="back" to="/runs">
            <Icon name="left" size={16} />
            {t('nav.runs')}
          </Link>
        }
      >
        {mayEdit.value ? (
          <Actions
            run={run}
            show={show}
            isUploading={isUploading}
            part={isNotice ? 'end' : 'all'}
          />
        ) : null}
      </PageHead>
      <div class="stack">
        {isNotice ? (
          <Unchecked run={run} show={show} isUploading={isUploading} />
        ) : (
          <Reasons run={run} show={show} />
        )}
        <Summary run={run} />
        <Faulty run={run} show={show} />
        <Totals run={run} />
        <Results run={run} show={show} />
        {mayEdit.value && takesRows(run) ? (
          <RunUpload run={run} onUploading={setUploading} onDone={show} />
        ) : null}
      </div>
    </>
  );
}

interface ActionsProps extends ViewProps {
  /** During an upload the run cannot be started, because it would end without the further rows. */
  readonly isUploading: boolean;
  /** What starts the run, what ends or halts it, or both. */
  readonly part: 'start' | 'end' | 'all';
}

function Actions({ run, show, isUploading, part }: ActionsProps) {
  const [busy, setBusy] = useState<RunAction | null>(null);
  const [isCancelling, setCancelling] = useState(false);
  const act = async (action: RunAction, body: object = {}): Promise<void> => {
    setBusy(action);
    try {
      show(await actOnRun(run.runId, action, body));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => `${errorTitle(error)} ${error.message}`);
    }
    setBusy(null);
  };
  return (
    <>
      {mayCancel(run) && part !== 'start' ? (
        <Button kind="danger" busy={busy === 'cancel'} onClick={() => setCancelling(true)}>
          {t('runs.cancel')}
        </Button>
      ) : null}
      {isUnderWay(run) ? (
        <Button busy={busy === 'pause'} onClick={() => void act('pause')}>
          {t('runs.pause')}
        </Button>
      ) : null}
      {run.state === 'paused' ? (
        <Button kind="main" busy={busy === 'resume'} onClick={() => void act('resume')}>
          {t('runs.resume')}
        </Button>
      ) : null}
      {hasWork(run) && part !== 'end' ? (
        <Starts run={run} show={show} isBlocked={busy !== null || isUploading} act={act} />
      ) : null}
      {isCancelling ? (
        <CancelDialog
          stored={run.counts.stored}
          hasExpired={run.documentsExpired === true}
          onClose={() => setCancelling(false)}
          onCancel={() => void act('cancel')}
        />
      ) : null}
    </>
  );
}

interface StartsProps extends ViewProps {
  readonly isBlocked: boolean;
  readonly act: (action: RunAction, body: object) => Promise<void>;
}

/** What starts the run. It asks first while corrections are typed and not sent. */
function Starts({ run, show, isBlocked, act }: StartsProps) {
  const [asked, setAsked] = useState<object | null>(null);
  const [edits] = useKeptEdits(run.runId);
  // A start makes documents of the rows that the service has, without what was only typed.
  const isUnsent = edits.size > 0 && run.counts.invalid + run.counts.failed > 0;
  const start = (body: object): void => {
    if (isUnsent) setAsked(body);
    else void act('start', body);
  };
  return (
    <>
      <Button disabled={isBlocked} onClick={() => void act('start', { dryRun: true })}>
        {t('runs.check')}
      </Button>
      {leavingOut(run) === 'offered' ? (
        <Button disabled={isBlocked} onClick={() => start({ onInvalid: 'skip' })}>
          {t('runs.start_skip')}
        </Button>
      ) : null}
      <Button
        kind="main"
        disabled={isBlocked || (leavingOut(run) === 'too many' && run.onInvalid === 'skip')}
        onClick={() => start({})}
      >
        {t(leavingOut(run) === 'by rule' ? 'runs.start_by_rule' : 'runs.start')}
      </Button>
      {asked === null ? null : (
        <AskUnchecked
          run={run}
          show={show}
          onClose={() => setAsked(null)}
          onStart={() => void act('start', asked)}
        />
      )}
    </>
  );
}

interface CancelProps {
  readonly stored: number;
  /** All stored documents have expired. */
  readonly hasExpired: boolean;
  readonly onClose: () => void;
  readonly onCancel: () => void;
}

function CancelDialog({ stored, hasExpired, onClose, onCancel }: CancelProps) {
  const which = hasExpired ? 'runs.cancel_expired' : 'runs.cancel_stored';
  return (
    <Dialog title={t('runs.cancel_title')} onClose={onClose}>
      <div class="body">
        <p>{t(hasExpired ? 'runs.cancel_text_expired' : 'runs.cancel_text')}</p>
        {stored === 0 ? null : <p>{t(which, { stored: formatNumber(stored) })}</p>}
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('runs.keep')}</Button>
          <Button
            kind="danger"
            onClick={() => {
              onCancel();
              onClose();
            }}
          >
            {t('runs.cancel')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Rows came after the last check, perhaps by a program: its findings may not hold any more. */
function Unchecked({ run, show, isUploading }: Omit<ActionsProps, 'part'>) {
  return (
    <Notice tone="warn" title={t('runs.unchecked')}>
      <p>{t('runs.unchecked_text')}</p>
      {mayEdit.value ? (
        <div class="row">
          <Actions run={run} show={show} isUploading={isUploading} part="start" />
        </div>
      ) : null}
    </Notice>
  );
}

function Reasons({ run, show }: ViewProps) {
  if (run.reasons.length === 0) return <InOrder run={run} />;
  return (
    <Notice tone={isUnderWay(run) ? 'warn' : 'bad'} title={reasonsTitle(run)}>
      <ul class="stack tight">
        {run.reasons.map((reason) => (
          <li key={reason.name}>{reasonText(run, reason)}</li>
        ))}
      </ul>
      <TotalsHelp run={run} show={show} />
    </Notice>
  );
}

/** Nothing is in the way of a start, perhaps since rows were withdrawn or corrected. */
function InOrder({ run }: { readonly run: Run }) {
  const said = sayInOrder(run);
  if (said === null) return null;
  const tone = said.key === 'runs.all_withdrawn' ? 'warn' : 'good';
  return <Notice tone={tone} title={t(said.key, said.parameters)} />;
}

function reasonsTitle(run: Run): string {
  if (isUnderWay(run)) return t('runs.waiting');
  // A failed check does not stop the run.
  return t(run.state === 'receiving' ? 'runs.check_failed' : 'runs.stopped');
}

function reasonText(run: Run, reason: RunReason): string {
  const { key, parameters } = sayReason(run, reason, (share) => formatNumber(share * 100, 2));
  return t(key, parameters);
}

function Summary({ run }: { readonly run: Run }) {
  const { runId, templateId, version, idField, onInvalid, counts } = run;
  const { createdAt, startedAt, endedAt } = run;
  // An older instance does not say it while the service is updated.
  const { createdBy, createdByName }: Partial<Run> = run;
  const csv = csvWords(run);
  return (
    <section class="card stack">
      <div class="row" aria-live="polite">
        <StateBadge run={run} />
        <Progress run={run} />
      </div>
      <ul class="run-figures">
        <Figure name={t('runs.rows')} value={formatNumber(counts.received)} />
        <Figure name={t('runs.stored')} value={formatNumber(counts.stored)} />
        {OTHER_FIGURES.map((name) =>
          counts[name] === 0 && name !== 'invalid' ? null : (
            <Figure key={name} name={t(figureName(run, name))} value={formatNumber(counts[name])} />
          ),
        )}
        <Figure name={t('document.pages')} value={formatNumber(counts.pages)} />
        <Figure name={t('document.size')} value={formatBytes(counts.bytes)} />
      </ul>
      <dl class="facts">
        <dt>{t('document.template')}</dt>
        <dd>
          <TemplateLabel templateId={templateId} version={version} />
        </dd>
        <dt>{t('runs.id')}</dt>
        <dd class="mono">{runId}</dd>
        <dt>{t('runs.id_field')}</dt>
        <dd class="mono">{idField}</dd>
        <dt>{t('runs.on_invalid')}</dt>
        <dd>{t(`runs.on_invalid_${onInvalid}`)}</dd>
        {csv === '' ? null : <dt>{t('run_csv.title')}</dt>}
        {csv === '' ? null : <dd>{csv}</dd>}
        {run.signed ? <dt>{t('runs.signature')}</dt> : null}
        {run.signed ? <dd>{t('runs.signed')}</dd> : null}
        {run.passwordsByRow ? <dt>{t('runs.passwords')}</dt> : null}
        {run.passwordsByRow ? <dd>{t('runs.passwords_by_row')}</dd> : null}
        <dt>{t('document.created')}</dt>
        <dd>{formatTime(createdAt, true)}</dd>
        {createdBy === undefined ? null : <dt>{t('runs.created_by')}</dt>}
        {createdBy === undefined ? null : (
          <dd>
            <PrincipalLabel principal={createdBy} known={createdByName} />
          </dd>
        )}
        {startedAt === null ? null : <dt>{t('runs.started')}</dt>}
        {startedAt === null ? null : <dd>{formatTime(startedAt, true)}</dd>}
        {endedAt === null ? null : <dt>{t('runs.ended')}</dt>}
        {endedAt === null ? null : <dd>{formatTime(endedAt, true)}</dd>}
      </dl>
    </section>
  );
}

/** Shown when they are not 0; together with the stored rows they are all rows. */
const OTHER_FIGURES = ['pending', 'invalid', 'failed', 'withdrawn', 'identical'] as const;

/** A cancelled run makes no document of the rows that the service counts as pending. */
function figureName({ state }: Run, name: (typeof OTHER_FIGURES)[number]) {
  return name === 'pending' && state === 'cancelled' ? 'runs.not_made' : (`runs.${name}` as const);
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <li>
      <span class="small soft">{name}</span>
      <strong class="tabular">{value}</strong>
    </li>
  );
}
