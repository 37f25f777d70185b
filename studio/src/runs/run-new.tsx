import { useState } from 'preact/hooks';
import type { CreateRunRequest } from './types.ts';
import { ApiError, callJson, path } from '../api/client.ts';
import type { CsvFormat } from '../../../src/runtime/csv/csv-format.ts';
import type { FieldContract } from '../api/field-types.ts';
import { Link, navigate } from '../app/router.tsx';
import { formatNumber, t } from '../i18n/i18n.ts';
import { serviceNowMs } from '../api/service-time.ts';
import type { Run } from './api.ts';
import { actOnRun, createRun } from './api.ts';
import { FormatInputs } from './file/csv-format.tsx';
import { guessFormat, type Sample, shortYearIn } from './file/csv-guess.ts';
import {
  type Beginning,
  EmptyCsv,
  FirstRowsTable,
  TableCells,
  useFirstRows,
} from './file/row-file-help.tsx';
import { chooseIdColumn, countFaultyIds } from './file/row-ids.ts';
import type { ColumnCheck, RowFile } from './file/rows.ts';
import { bytesOf, checkColumns, formatAtFirst, separatedBy } from './file/rows.ts';
import { StoredRows, useReference } from './file/stored-rows.tsx';
import { Icon } from '../ui/icons.tsx';
import { Choice } from '../ui/list.tsx';
import { Button, ErrorNotice, Load, Notice, PageHead } from '../ui/parts.tsx';
import { ForTemplate } from '../ui/template-choice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { RowFileInput, SentShare, uploadRows } from './run-upload.tsx';
import { plainTotal } from './total-text.ts';
import '../styles/runs.css';

/** The form of a new run: a template, a file of rows, and the expected control totals. */
export function NewRunPage() {
  const [file, setFile] = useState<File | undefined>(undefined);
  return (
    <div class="page">
      <PageHead
        title={t('runs.new')}
        intro={t('runs.new_intro')}
        back={
          <Link class="back" to="/runs">
            <Icon name="left" size={16} />
            {t('nav.runs')}
          </Link>
        }
      />
      <ForTemplate icon="runs">
        {(templateId, choice) => (
          <>
            {choice}
            <Template key={templateId} templateId={templateId} first={file} onChosen={setFile} />
          </>
        )}
      </ForTemplate>
    </div>
  );
}

interface KeptFile {
  /** The chosen file: another template judges it anew. */
  readonly first: File | undefined;
  readonly onChosen: (file: File | undefined) => void;
}

function Template({ templateId, ...kept }: KeptFile & { readonly templateId: string }) {
  const { loaded, reload } = useLoad(
    (signal) => callJson<FieldContract>(path`/v1/templates/${templateId}/fields`, { signal }),
    [],
  );
  return (
    <Load loaded={loaded} reload={reload}>
      {(contract) => <NewRunForm contract={contract} kept={kept} />}
    </Load>
  );
}

/** The form's inputs as typed. */
interface Typed {
  readonly name: string;
  /** null: the page proposes one. */
  readonly idField: string | null;
  readonly rows: string;
  readonly sums: Readonly<Record<string, string>>;
  readonly onInvalid: 'stop' | 'skip';
  readonly invalidPercent: string;
  readonly documentsPerPrint: string;
}

const NOTHING: Typed = {
  name: '',
  idField: null,
  rows: '',
  sums: {},
  onInvalid: 'stop',
  invalidPercent: '5',
  documentsPerPrint: '',
};

interface FormProps {
  readonly contract: FieldContract;
  readonly kept: KeptFile;
}

function NewRunForm({ contract, kept }: FormProps) {
  const [rows, setRows] = useState<RowFile | null>(null);
  const [typed, setTyped] = useState<Typed>(NOTHING);
  const { share, error, create, forget } = useCreation();
  const [format, setFormat] = useState<CsvFormat>({});
  const reference = useReference(contract);
  const beginning = useFirstRows(rows);
  const proposed =
    rows === null ? '' : chooseIdColumn(rows, beginning.values, contract.fields, reference);
  const idField = typed.idField ?? proposed;
  const set = (changed: Partial<Typed>): void => {
    setTyped((before) => ({ ...before, ...changed }));
    // That run has what was typed before.
    forget();
  };
  const readIn = (file: RowFile | null, chosen: CsvFormat): void => {
    const read = file === null ? null : separatedBy(file, chosen);
    setFormat(chosen);
    setRows(read);
    const { columns = [] } = read ?? {};
    const isKept = file === rows && columns.includes(typed.idField ?? '');
    set(isKept ? {} : { idField: null });
  };
  const check = rows === null ? null : checkColumns(rows.columns, contract.fields, idField);
  const csvOf = (file: RowFile): CsvFormat => (file.format === 'csv' ? format : {});
  const isRefused = rows?.format === 'csv' && (check?.missing.length ?? 0) > 0;
  return (
    <form class="card stack run-form" noValidate onSubmit={(event) => event.preventDefault()}>
      <RowFileInput
        label={t('runs.file')}
        {...kept}
        onFile={(file) => readIn(file, file === null ? {} : formatAtFirst(file))}
      />
      <EmptyCsv contract={contract} />
      <TableCells contract={contract} />
      {rows === null ? null : (
        <>
          <Reading
            rows={rows}
            cells={beginning.cells}
            contract={contract}
            format={format}
            reference={reference}
            readIn={readIn}
          />
          <Columns check={check} isCsv={rows.format === 'csv'} />
          <Settings contract={contract} rows={rows} typed={typed} idField={idField} set={set} />
          <FaultyIds rows={rows} values={beginning.values} idField={idField} proposed={proposed} />
          {error === null ? null : <ErrorNotice error={error} />}
          {share === null ? null : <SentShare share={share} />}
          <Starts
            isBusy={share !== null}
            isRefused={isRefused}
            onStart={(dryRun) =>
              void create(newRun(contract, typed, idField, csvOf(rows)), rows, dryRun)
            }
          />
        </>
      )}
    </form>
  );
}

/** Creates, fills and starts a run; an attempt after one that was cut off goes on with its run. */
function useCreation() {
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  /** The run that an earlier attempt created before its upload was cut off. */
  const [made, setMade] = useState<Run | null>(null);
  const create = async (spec: CreateRunRequest, file: RowFile, dryRun: boolean): Promise<void> => {
    setError(null);
    setShare(0);
    try {
      // No run is made for a file that was rewritten meanwhile.
      await bytesOf(file.file.slice(0, 1));
      const run = made ?? (await createRun(spec));
      setMade(run);
      await uploadRows(run, file, setShare);
      await actOnRun(run.runId, 'start', { dryRun });
      navigate(`/runs/${run.runId}`);
      return;
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      // Rows of the former file may be in the run: the file as it is now gets another.
      if (caught.code === 'file_changed') setMade(null);
    }
    setShare(null);
  };
  return { share, error, create, forget: () => setMade(null) };
}

interface ReadingProps {
  readonly rows: RowFile;
  readonly cells: Beginning['cells'];
  readonly contract: FieldContract;
  readonly reference: string;
  readonly format: CsvFormat;
  readonly readIn: (rows: RowFile, format: CsvFormat) => void;
}

/** How the file is read: the format of a CSV, the first rows, and whether they were read before. */
function Reading({ rows, cells, contract, format, reference, readIn }: ReadingProps) {
  const { fields } = contract;
  const thisYear = new Date(serviceNowMs()).getFullYear();
  const sample: Sample = { columns: rows.columns, rows: cells, fields, thisYear };
  const guess = rows.format === 'csv' ? guessFormat(sample, format) : null;
  return (
    <>
      {rows.format === 'csv' ? (
        <FormatInputs
          rows={rows}
          format={format}
          guess={guess}
          shortYear={shortYearIn(sample, guess?.format ?? format)}
          onChange={(chosen) => readIn(rows, chosen)}
        />
      ) : null}
      <FirstRowsTable rows={rows} cells={cells} fields={fields} format={format} />
      <StoredRows contract={contract} rows={rows} cells={cells} reference={reference} />
    </>
  );
}

interface StartsProps {
  readonly isBusy: boolean;
  readonly isRefused: boolean;
  readonly onStart: (dryRun: boolean) => void;
}

function Starts({ isBusy, isRefused, onStart }: StartsProps) {
  return (
    <div class="row">
      <Button disabled={isRefused || isBusy} onClick={() => onStart(true)}>
        {t('runs.create_check')}
      </Button>
      <Button kind="main" busy={isBusy} disabled={isRefused} onClick={() => onStart(false)}>
        {t('runs.create_start')}
      </Button>
    </div>
  );
}

function newRun(
  { templateId, version }: FieldContract,
  typed: Typed,
  idField: string,
  csv: CsvFormat,
): CreateRunRequest {
  const { name, rows, onInvalid, invalidPercent, documentsPerPrint } = typed;
  const isShared = onInvalid === 'skip' && invalidPercent !== '';
  const sums = Object.entries(typed.sums)
    .filter(([, sum]) => sum !== '')
    .map(([field, sum]) => [field, plainTotal(sum)] as const);
  return {
    templateId,
    version,
    idField,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    expected: {
      ...(rows === '' ? {} : { rows: Number(plainTotal(rows)) }),
      sums: Object.fromEntries(sums),
    },
    onInvalid,
    ...(isShared ? { invalidShareMax: Number(invalidPercent) / 100 } : {}),
    ...(Object.keys(csv).length === 0 ? {} : { csv }),
    ...(documentsPerPrint === '' ? {} : { documentsPerPrint: Number(documentsPerPrint) }),
  };
}

/** How the file's columns agree with the template. */
function Columns({
  check,
  isCsv,
}: {
  readonly check: ColumnCheck | null;
  readonly isCsv: boolean;
}) {
  if (check === null) return null;
  const { missing, unknown, absent } = check;
  return (
    <>
      {missing.length === 0 && unknown.length === 0 ? (
        <Notice tone="good" title={t('runs.columns_good')} />
      ) : null}
      {missing.length === 0 ? null : (
        <Notice tone={isCsv ? 'bad' : 'warn'} title={t('runs.columns_missing')}>
          <code>{missing.join(', ')}</code>
        </Notice>
      )}
      {unknown.length === 0 ? null : (
        <Notice tone="warn" title={t('runs.columns_unknown')}>
          <code>{unknown.join(', ')}</code>
        </Notice>
      )}
      {absent.length === 0 || !isCsv ? null : (
        <p class="small soft">
          {t('runs.columns_absent')} <code>{absent.join(', ')}</code>
        </p>
      )}
    </>
  );
}

interface FaultyIdsProps {
  readonly rows: RowFile;
  readonly values: Beginning['values'];
  readonly idField: string;
  readonly proposed: string;
}

/** Warns of a column that does not identify the rows: each of these would be invalid. */
function FaultyIds({ rows, values, idField, proposed }: FaultyIdsProps) {
  const count = countFaultyIds(rows, values, idField);
  if (count === 0) return null;
  const isOther = proposed !== idField && countFaultyIds(rows, values, proposed) === 0;
  const counts = { name: idField, count: formatNumber(count), read: formatNumber(values.length) };
  return (
    <Notice tone="warn" title={t('runs.id_faulty', counts)}>
      <p>{t('runs.id_rule')}</p>
      <p>{isOther ? t('runs.id_other', { name: proposed }) : t('runs.id_none')}</p>
    </Notice>
  );
}

interface SettingsProps {
  readonly contract: FieldContract;
  readonly rows: RowFile;
  readonly typed: Typed;
  readonly idField: string;
  readonly set: (changed: Partial<Typed>) => void;
}

function Settings({ contract, rows, typed, idField: chosen, set }: SettingsProps) {
  const numbers = contract.fields.filter(({ type }) => type === 'number');
  return (
    <>
      <div class="filters">
        <Text label={t('runs.name')} value={typed.name} onInput={(name) => set({ name })} />
        <Choice
          label={t('runs.id_field')}
          value={chosen}
          options={rows.columns.map((name) => [name, name])}
          onChange={(idField) => set({ idField })}
        />
        <Choice
          label={t('runs.on_invalid')}
          value={typed.onInvalid}
          options={[
            ['stop', t('runs.on_invalid_stop')],
            ['skip', t('runs.on_invalid_skip')],
          ]}
          onChange={(choice) => set({ onInvalid: choice === 'skip' ? 'skip' : 'stop' })}
        />
        {typed.onInvalid === 'stop' ? null : (
          <Text
            label={t('runs.invalid_percent')}
            value={typed.invalidPercent}
            numeric
            onInput={(invalidPercent) => set({ invalidPercent })}
          />
        )}
        <Text
          label={t('runs.per_print')}
          hint={t('runs.per_print_hint')}
          value={typed.documentsPerPrint}
          numeric
          onInput={(documentsPerPrint) => set({ documentsPerPrint })}
        />
      </div>
      <fieldset class="stack tight">
        <legend>{t('runs.totals_expected')}</legend>
        <p class="hint small soft">{t('runs.totals_hint')}</p>
        <div class="filters">
          <Text
            label={t('runs.rows')}
            value={typed.rows}
            numeric
            onInput={(count) => set({ rows: count })}
          />
          {numbers.map(({ name }) => (
            <Text
              key={name}
              label={t('runs.sum_of', { name })}
              value={typed.sums[name] ?? ''}
              numeric
              onInput={(sum) => set({ sums: { ...typed.sums, [name]: sum } })}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly numeric?: boolean;
  readonly hint?: string;
  readonly onInput: (text: string) => void;
}

function Text({ label, value, numeric = false, hint, onInput }: TextProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        autocomplete="off"
        {...(numeric ? { inputMode: 'decimal' as const } : {})}
        value={value}
        onInput={({ currentTarget: { value: typed } }) => onInput(numeric ? typed.trim() : typed)}
      />
      {hint === undefined ? null : <span class="hint small soft">{hint}</span>}
    </label>
  );
}
