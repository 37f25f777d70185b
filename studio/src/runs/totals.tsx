import { useState } from 'preact/hooks';
import { mayEdit } from '../app/state.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/parts.tsx';
import { actOnRun, isUnderWay, type Run, takesRows } from './api.ts';
import { hasOpenRows, sayFurther, unreadAmounts } from './reasons.ts';
import { plainTotal } from './total-text.ts';

interface TotalsProps {
  readonly run: Run;
  /** Shows the response to an action. */
  readonly show: (run: Run) => void;
}

/**
 * Offers ways to continue a run whose control totals do not agree. Renders nothing for other
 * reasons.
 */
export function TotalsHelp({ run, show }: TotalsProps) {
  const [isOpen, setOpen] = useState(false);
  const { reasons, expected, counts } = run;
  const isTotal = ({ name }: { readonly name: string }): boolean =>
    name === 'rows' || Object.hasOwn(expected.sums, name);
  if (!takesRows(run) || !reasons.some(isTotal)) return null;
  const further = sayFurther(run);
  const unread = unreadAmounts(run);
  // Nothing is wrong with the rows that are left: the sum lacks amounts that nobody can read.
  const isLowered =
    further === null &&
    unread.faulty === 0 &&
    reasons.every(({ unreadWithdrawn = 0 }) => unreadWithdrawn > 0);
  const again =
    counts.stored === 0 ? null : (
      <p>
        {t(run.documentsExpired === true ? 'totals.new_run_expired' : 'totals.new_run', {
          stored: formatNumber(counts.stored),
        })}
      </p>
    );
  if (further === null && hasOpenRows(run)) return <p>{t('totals.help_faulty')}</p>;
  if (further?.key === 'totals.further') {
    return (
      <>
        <p>{t(further.key, further.parameters)}</p>
        {again}
      </>
    );
  }
  return (
    <>
      {unread.faulty > 0 ? (
        <p>{t('totals.help_invalid', { count: formatNumber(unread.faulty) })}</p>
      ) : null}
      {unread.withdrawn > 0 ? (
        <p>{t('totals.help_unread', { count: formatNumber(unread.withdrawn) })}</p>
      ) : null}
      {isLowered ? null : (
        <p>{further === null ? t('totals.help') : t(further.key, further.parameters)}</p>
      )}
      {again}
      {mayEdit.value ? (
        <>
          {isLowered ? null : <p>{t('totals.help_typed')}</p>}
          <Button onClick={() => setOpen(true)}>{t('totals.correct')}</Button>
        </>
      ) : null}
      {isOpen ? <TotalsDialog run={run} show={show} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** Asks for other totals, and starts the run with them. */
function TotalsDialog({ run, show, onClose }: TotalsProps & { readonly onClose: () => void }) {
  const { runId, expected, dryRun, reasons } = run;
  const lowered = reasons.filter(({ unreadWithdrawn = 0 }) => unreadWithdrawn > 0);
  const [rows, setRows] = useState(expected.rows === null ? '' : String(expected.rows));
  const [sums, setSums] = useState(expected.sums);
  const isReady =
    (expected.rows === null || /^\d{1,9}$/.test(plainTotal(rows))) &&
    Object.values(sums).every((sum) => sum !== '');
  const start = async (): Promise<boolean> => {
    const plain = Object.entries(sums).map(([name, sum]) => [name, plainTotal(sum)] as const);
    const counted = expected.rows === null ? {} : { rows: Number(plainTotal(rows)) };
    const totals = { ...counted, sums: Object.fromEntries(plain) };
    show(await actOnRun(runId, 'start', { dryRun, expected: totals }));
    return true;
  };
  return (
    <ActionDialog
      title={t('totals.title')}
      action={t(dryRun ? 'totals.check' : 'totals.start')}
      isReady={isReady}
      onClose={onClose}
      act={start}
    >
      <p>{t('totals.text')}</p>
      {lowered.map(({ name, actual, unreadWithdrawn = 0 }) => (
        <p key={name}>
          {t('totals.text_unread', { name, actual, count: formatNumber(unreadWithdrawn) })}
        </p>
      ))}
      {expected.rows === null ? null : (
        <TotalInput label={t('runs.rows')} value={rows} onInput={setRows} />
      )}
      {Object.keys(expected.sums).map((name) => (
        <TotalInput
          key={name}
          label={t('runs.sum_of', { name })}
          value={sums[name] ?? ''}
          onInput={(sum) => setSums((before) => ({ ...before, [name]: sum }))}
        />
      ))}
    </ActionDialog>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

function TotalInput({ label, value, onInput }: InputProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        autocomplete="off"
        inputMode="decimal"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value.trim())}
      />
    </label>
  );
}

/**
 * The sum of the stored documents. `sums` has it once the run has ended with a document for each
 * valid row; before that it counts valid rows without a document, too.
 */
function storedSum(run: Run, name: string): string {
  const { state, counts, sums = {} } = run;
  if (counts.stored === 0) return '0';
  // A run that was cancelled never learns it.
  if (state === 'cancelled' && counts.pending > 0) return '–';
  const isOpen = counts.pending > 0 || isUnderWay(run) || state === 'paused';
  return isOpen ? t('totals.not_known') : (sums[name] ?? '–');
}

/** The control totals beside the stored totals. Renders nothing if none were given. */
export function Totals({ run }: { readonly run: Run }) {
  const { expected, fileSums = {}, counts } = run;
  const totals = Object.entries(expected.sums).map(([name, sum]) => ({
    name,
    wanted: sum,
    inFile: fileSums[name] ?? '–',
    stored: storedSum(run, name),
  }));
  if (expected.rows !== null) {
    const [wanted, stored] = [String(expected.rows), String(counts.stored)];
    const inFile = String(counts.received - counts.identical);
    totals.unshift({ name: t('runs.rows'), wanted, inFile, stored });
  }
  if (totals.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t('runs.totals')}</h2>
      <div class="table-wrap" role="region" tabIndex={0} aria-label={t('runs.totals')}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t('runs.total')}</th>
              <th scope="col" class="num">
                {t('runs.expected')}
              </th>
              <th scope="col" class="num">
                {t('runs.in_file')}
              </th>
              <th scope="col" class="num">
                {t('runs.stored')}
              </th>
            </tr>
          </thead>
          <tbody>
            {totals.map(({ name, wanted, inFile, stored }) => (
              <tr key={name}>
                <td>{name}</td>
                <td class="num">{wanted}</td>
                <td class="num">{inFile}</td>
                <td class="num">{stored}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
