import { useEffect, useState } from 'preact/hooks';
import type { RunException } from './types.ts';
import { ApiError, callJson, path } from '../api/client.ts';
import type { Field, FieldContract } from '../api/field-types.ts';
import type { FieldError } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { mayEdit, tell } from '../app/state.ts';
import { hasLabel, labelOf } from '../form/presentation.ts';
import { formatNumber, t, type TextKey } from '../i18n/i18n.ts';
import { FileLink } from '../ui/file-link.tsx';
import { Button, Dialog, ErrorNotice, errorTitle, Notice, Skeleton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { hasWork, mayCancel, type Run, takesRows } from './api.ts';
import {
  addressOf,
  type ExceptionOutcome,
  listExceptions,
  sendCorrections,
  withdrawRow,
} from './exceptions.ts';
import { Cell, cellText, reasonText } from './faulty-cell.tsx';
import { KeptNote, placeText, useKeptEdits } from './kept-edits.tsx';
import { faultyShare, isIdColumnWrong, leavingOut } from './left-out.ts';
import { type Notation, notationOf } from './notation.ts';

interface Props {
  readonly run: Run;
  readonly show: (run: Run) => void;
}

/** Rows of a run that need a person: what is wrong with them, and their correction on the spot. */
export function Faulty({ run, show }: Props) {
  const { invalid, failed, refused, identical, withdrawn } = run.counts;
  return (
    <>
      {refused > 0 ? <Named run={run} outcome="refused" count={refused} /> : null}
      {identical > 0 ? <Named run={run} outcome="identical" count={identical} /> : null}
      {withdrawn > 0 ? <Named run={run} outcome="withdrawn" count={withdrawn} /> : null}
      {invalid + failed > 0 ? (
        <FaultyRows key={run.state} run={run} show={show} />
      ) : (
        <Leftover run={run} />
      )}
    </>
  );
}

/** Exceptions of one outcome, loaded page by page; a later state of the run loads them again. */
function useExceptions(run: Run, outcome: ExceptionOutcome | null, count: number) {
  const [rows, setRows] = useState<readonly RunException[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const load = async (after: string | null, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await listExceptions(run.runId, outcome, after, signal);
      if (signal?.aborted === true) return;
      setRows((before) => (after === null ? page.rows : [...(before ?? []), ...page.rows]));
      setNext(page.next);
      setError(null);
    } catch (caught) {
      if (signal?.aborted === true) return;
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    void load(null, controller.signal);
    return () => controller.abort();
  }, [run.runId, run.state, count]);
  /** Takes out a row that needs nothing more, before the list is loaded again. */
  const drop = (gone: RunException): void =>
    setRows((before) => before?.filter((row) => addressOf(row) !== addressOf(gone)) ?? null);
  return { rows, next, error, load, drop };
}

/** Whether the run takes corrections neither now nor later. */
function isOver(run: Run): boolean {
  return !mayCancel(run) && !takesRows(run);
}

/** Corrections for which there is no row any more: other people corrected it, or the run ended. */
function Leftover({ run }: { readonly run: Run }) {
  const [edits, change] = useKeptEdits(run.runId);
  return (
    <KeptNote
      edits={edits}
      rows={[]}
      isAll={true}
      isOpen={takesRows(run)}
      isEnded={isOver(run)}
      onDiscard={() => change(() => new Map())}
    />
  );
}

type Fields = ReadonlyMap<string, Field>;

/** The fields of the run's template, by name; none until they are loaded, or if they cannot be. */
function useFields({ templateId, version }: Run): Fields {
  const { loaded } = useLoad(
    (signal) =>
      callJson<FieldContract>(`${path`/v1/templates/${templateId}/fields`}?version=${version}`, {
        signal,
      }),
    [templateId, version],
  );
  const fields = loaded.state === 'ready' ? loaded.value.fields : [];
  return new Map(fields.map((field) => [field.name, field]));
}

interface NamedProps {
  readonly run: Run;
  readonly outcome: 'refused' | 'identical' | 'withdrawn';
  readonly count: number;
}

/** Names the lines of rows that need no correction. */
function Named({ run, outcome, count }: NamedProps) {
  const { rows } = useExceptions(run, outcome, count);
  const lines = (rows ?? []).map(placeText).join(', ');
  const more = rows !== null && count > rows.length ? ', …' : '';
  return (
    <Notice
      tone={outcome === 'refused' ? 'warn' : 'info'}
      title={t(`faulty.${outcome}`, { count: formatNumber(count) })}
    >
      <p>
        {t('faulty.lines')} {lines}
        {more}
      </p>
    </Notice>
  );
}

/** Corrections of the rows that are shown: typing them, and sending them to be checked. */
function useCorrections(run: Run, rows: readonly RunException[] | null, show: Props['show']) {
  const [edits, changeEdits] = useKeptEdits(run.runId);
  const corrected = (rows ?? []).filter((row) => edits.has(addressOf(row)));
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      show(await sendCorrections(run, corrected, edits, changeEdits));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      tell('bad', () => `${errorTitle(caught)} ${caught.message}`);
    }
    setSending(false);
  };
  const edit = (row: RunException, name: string, value: string): void =>
    changeEdits((before) => {
      const key = addressOf(row);
      return new Map(before).set(key, { ...before.get(key), [name]: value });
    });
  const discard = (): void => changeEdits(() => new Map());
  return { edits, corrected, isSending, send, edit, discard };
}

function FaultyRows({ run, show }: Props) {
  const count = run.counts.invalid + run.counts.failed;
  const { rows, next, error, load, drop } = useExceptions(run, null, count);
  const fields = useFields(run);
  const { edits, corrected, isSending, send, edit, discard } = useCorrections(run, rows, show);
  const isOpen = mayEdit.value && takesRows(run);
  const columns = columnsOf(rows ?? [], run.idField);
  return (
    <section class="card stack faulty">
      <h2>{t('faulty.title', { count: formatNumber(count) })}</h2>
      <p class="soft">{t(isOpen ? 'faulty.text' : closedKey(run))}</p>
      {isOpen && hasWork(run) ? <Advice run={run} rows={rows ?? []} /> : null}
      {error === null ? null : <ErrorNotice error={error} />}
      {rows === null && error === null ? <Skeleton /> : null}
      <ul class="faulty-rows">
        {(rows ?? []).map((row) => (
          <FaultyRow
            key={addressOf(row)}
            run={run}
            row={row}
            columns={columns}
            known={fields}
            edits={edits.get(addressOf(row)) ?? {}}
            isOpen={isOpen}
            onEdit={(name, value) => edit(row, name, value)}
            onWithdrawn={(changed) => {
              drop(row);
              show(changed);
            }}
          />
        ))}
      </ul>
      <KeptNote
        edits={edits}
        rows={rows}
        isAll={next === null}
        isOpen={isOpen}
        isEnded={isOver(run)}
        onDiscard={discard}
      />
      <div class="row">
        {isOpen ? (
          <Button
            kind="main"
            icon="check"
            busy={isSending}
            disabled={corrected.length === 0}
            onClick={() => void send()}
          >
            {t('faulty.check', { count: formatNumber(corrected.length) })}
          </Button>
        ) : null}
        {next === null ? null : <Button onClick={() => void load(next)}>{t('faulty.more')}</Button>}
        <FileLink
          href={`${path`/v1/runs/${run.runId}`}/exceptions?format=csv`}
          text={t('runs.invalid_csv')}
        />
        {isOpen ? <span class="small soft">{t('runs.invalid_csv_hint')}</span> : null}
      </div>
    </section>
  );
}

interface AdviceProps {
  readonly run: Run;
  readonly rows: readonly RunException[];
}

/** What helps where the run cannot start without the faulty rows. */
function Advice({ run, rows }: AdviceProps) {
  if (run.counts.stored === 0 && isIdColumnWrong(run, rows)) return <WrongIdColumn run={run} />;
  return leavingOut(run) === 'too many' ? <TooMany run={run} /> : null;
}

/** The rows are as they should be, but another column identifies them. */
function WrongIdColumn({ run: { idField, templateId } }: { readonly run: Run }) {
  return (
    <p>
      {t('faulty.wrong_id', { name: idField })}{' '}
      <Link to={`/runs/new?template=${encodeURIComponent(templateId)}`}>{t('runs.new')}</Link>
    </p>
  );
}

/** Says why the run cannot start without the faulty rows. */
function TooMany({ run }: { readonly run: Run }) {
  const share = formatNumber(faultyShare(run) * 100, 2);
  const max = formatNumber(run.invalidShareMax * 100, 2);
  const isMade = run.counts.stored > 0;
  return <p>{t(isMade ? 'faulty.too_many_made' : 'faulty.too_many', { share, max })}</p>;
}

/** Says why the rows cannot be corrected. */
function closedKey(run: Run): TextKey {
  if (isOver(run)) return 'faulty.ended';
  return mayEdit.value ? 'faulty.closed' : 'faulty.role';
}

/** Fields of the rows, the id first; rows that cannot be read are typed in anew by these. */
function columnsOf(rows: readonly RunException[], idField: string): readonly string[] {
  const names = new Set([idField]);
  for (const { data } of rows) for (const name of Object.keys(data ?? {})) names.add(name);
  return [...names];
}

/** The id, then what is wrong, then the rest. */
function faultyFirst(
  columns: readonly string[],
  wrong: ReadonlySet<string>,
  idField: string,
): readonly string[] {
  const rank = (name: string): number => (name === idField ? 0 : wrong.has(name) ? 1 : 2);
  return columns.toSorted((one, other) => rank(one) - rank(other));
}

interface RowProps {
  readonly run: Run;
  readonly row: RunException;
  readonly columns: readonly string[];
  readonly known: Fields;
  readonly edits: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
  readonly onEdit: (name: string, value: string) => void;
  /** Gets the run as it is without the row. */
  readonly onWithdrawn: (run: Run) => void;
}

function FaultyRow(props: RowProps) {
  const { run, row, columns, known, edits, isOpen, onEdit, onWithdrawn } = props;
  const [isWithdrawing, setWithdrawing] = useState(false);
  const { rowId, fields = [], message = '', data, text } = row;
  const wrong = new Set(fields.map(({ field }) => field));
  const withdraw = async (): Promise<void> => {
    try {
      onWithdrawn(await withdrawRow(run, row));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      tell('bad', () => `${errorTitle(caught)} ${caught.message}`);
    }
  };
  return (
    <li class="stack tight">
      <div class="row">
        <strong>{placeText(row)}</strong>
        {rowId === '' ? null : <code>{rowId}</code>}
        {Object.keys(edits).length === 0 ? null : (
          <span class="small soft">{t('faulty.edited')}</span>
        )}
        {isOpen ? (
          <span class="faulty-side">
            <Button kind="quiet" onClick={() => setWithdrawing(true)}>
              {t('faulty.withdraw')}
            </Button>
          </span>
        ) : null}
      </div>
      {fields.length > 0 ? null : (
        <p class="reason" lang="en">
          {message}
        </p>
      )}
      {text === '' ? null : <pre class="faulty-text">{text}</pre>}
      <div class="faulty-cells">
        {faultyFirst(columns, wrong, run.idField).map((name) => (
          <Cell
            key={name}
            name={name}
            label={labelIn(known, name)}
            row={row}
            value={edits[name] ?? (text === '' ? cellText(data?.[name]) : '')}
            refused={text === '' ? cellText(data?.[name]) : ''}
            field={known.get(name) ?? null}
            notation={notationOf(run)}
            reason={fields.find(({ field }) => field === name)?.reason ?? ''}
            isEditable={isOpen}
            onInput={(value) => onEdit(name, value)}
          />
        ))}
      </div>
      <Elsewhere
        reasons={fields.filter(({ field }) => !columns.includes(field))}
        known={known}
        notation={notationOf(run)}
      />
      {isWithdrawing ? (
        <WithdrawDialog
          place={placeText(row)}
          unread={row.unread ?? []}
          known={known}
          onClose={() => setWithdrawing(false)}
          onWithdraw={() => void withdraw()}
        />
      ) : null}
    </li>
  );
}

interface ElsewhereProps {
  readonly reasons: readonly FieldError[];
  readonly known: Fields;
  readonly notation: Notation;
}

/** Reasons about fields that have no cell in the row. */
function Elsewhere({ reasons, known, notation }: ElsewhereProps) {
  if (reasons.length === 0) return null;
  const said = reasons.map(
    ({ field, reason }) =>
      `${nameText(known, field)}: ${reasonText(known.get(field) ?? null, reason, notation)}`,
  );
  return <p class="reason">{said.join('; ')}</p>;
}

/** The field's label in the reader's language; '' if it has none, or the column is no field. */
function labelIn(fields: Fields, name: string): string {
  const field = fields.get(name);
  return field !== undefined && hasLabel(field) ? labelOf(field) : '';
}

/** The label of a field with its name, which files of corrections need. */
function nameText(fields: Fields, name: string): string {
  const label = labelIn(fields, name);
  return label === '' ? name : `${label} (${name})`;
}

interface WithdrawProps {
  readonly place: string;
  /** Fields with a control sum whose amount in the row cannot be read. */
  readonly unread: readonly string[];
  readonly known: Fields;
  readonly onClose: () => void;
  readonly onWithdraw: () => void;
}

function WithdrawDialog({ place, unread, known, onClose, onWithdraw }: WithdrawProps) {
  const names = unread.map((name) => nameText(known, name)).join(', ');
  return (
    <Dialog title={t('faulty.withdraw_title', { place })} onClose={onClose}>
      <div class="body">
        <p>{t('faulty.withdraw_text')}</p>
        {names === '' ? null : <p>{t('faulty.withdraw_unread', { names })}</p>}
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="danger"
            onClick={() => {
              onWithdraw();
              onClose();
            }}
          >
            {t('faulty.withdraw')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
