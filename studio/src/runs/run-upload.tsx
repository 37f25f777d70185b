import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import type { NamedEncoding, TextEncoding } from '../../../src/runtime/encoding/decoder.ts';
import { NoTextNotice, ReadAs } from '../form/encoding.tsx';
import { tell } from '../app/state.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import type { Run } from './api.ts';
import { findRun, putPart } from './api.ts';
import { startCheck } from './exceptions.ts';
import { notationOf } from './notation.ts';
import type { RowFile, RowFileFault } from './file/rows.ts';
import { isCorrections, partsOf, readRowFile, separatedBy } from './file/rows.ts';
import { Button, ErrorNotice, Notice } from '../ui/parts.tsx';

/** Uploads a file after the parts that the run has. `onSent` gets the share sent so far, 0 to 1. */
export async function uploadRows(
  run: Run,
  rows: RowFile,
  onSent: (share: number) => void,
): Promise<void> {
  let { lastPart: part = 0 } = await findRun(run.runId);
  for await (const { rows: piece, firstLine, sentBytes } of partsOf(rows)) {
    part += 1;
    await putPart(run.runId, part, piece, rows.format, firstLine);
    onSent(sentBytes / rows.file.size);
  }
}

interface FileProps {
  readonly label: string;
  readonly onFile: (file: RowFile | null) => void;
  /** A file that was chosen in another form, as if it were chosen here. */
  readonly first?: File | undefined;
  readonly onChosen?: (file: File | undefined) => void;
}

const FAULTS = {
  unreadable: 'runs.file_unreadable',
  'carriage returns': 'runs.carriage_returns',
  workbook: 'runs.workbook',
  pdf: 'runs.file_is_pdf',
  picture: 'runs.file_is_picture',
  'separator line': 'runs.separator_line',
  changed: 'runs.file_changed',
} as const;

/** Chooses a CSV or NDJSON file and reads the names of its columns. */
export function RowFileInput({ label, onFile, first, onChosen }: FileProps) {
  const [fault, setFault] = useState<RowFileFault | null>(null);
  const [chosen, setChosen] = useState<File | undefined>(undefined);
  const [encoding, setEncoding] = useState<TextEncoding>('utf-8');
  const take = async (file: File | undefined, named: NamedEncoding | null): Promise<void> => {
    setChosen(file);
    onChosen?.(file);
    const read = file === undefined ? null : await readRowFile(file, file.name, named);
    const isRead = read !== null && typeof read === 'object' && 'file' in read;
    setFault(isRead ? null : read);
    setEncoding(isRead ? read.encoding : 'utf-8');
    onFile(isRead ? read : null);
  };
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (first === undefined || input.current === null) return;
    const files = new DataTransfer();
    files.items.add(first);
    input.current.files = files.files;
    void take(first, null);
  }, []);
  return (
    <div class="stack tight">
      <label class="field">
        <span class="field-label">{label}</span>
        <input
          ref={input}
          class="input"
          type="file"
          accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
          aria-invalid={fault !== null}
          onChange={(event) => void take(event.currentTarget.files?.[0], null)}
        />
        <span class={typeof fault === 'string' ? 'reason' : 'hint'}>
          {t(typeof fault === 'string' ? FAULTS[fault] : 'runs.file_hint')}
        </span>
      </label>
      {fault === null || typeof fault === 'string' ? null : (
        <NoTextNotice fault={fault} onRead={(named) => void take(chosen, named)} />
      )}
      <ReadAs encoding={encoding} />
    </div>
  );
}

export function SentShare({ share }: { readonly share: number }) {
  return (
    <p class="run-progress" aria-live="polite">
      <progress max={1} value={share} aria-label={t('runs.uploading')} />
      <span class="small soft tabular">
        {t('runs.uploading')} {formatNumber(Math.floor(share * 100))} %
      </span>
    </p>
  );
}

interface UploadProps {
  readonly run: Run;
  readonly onUploading: (isUploading: boolean) => void;
  readonly onDone: (run: Run) => void;
}

/**
 * Uploads more rows to a run: corrected rows, or the rest after an interrupted upload. Corrections are
 * checked at once, as those typed on the page are.
 */
export function RunUpload({ run, onUploading, onDone }: UploadProps) {
  const [rows, setRows] = useState<RowFile | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [uploads, setUploads] = useState(0);
  const upload = async (file: RowFile): Promise<void> => {
    setShare(0);
    onUploading(true);
    setError(null);
    try {
      await uploadRows(run, file, setShare);
      // An empty file input for the next file: the same one twice would be a slip.
      setRows(null);
      setUploads((before) => before + 1);
      // The notices of the page stand far above this input.
      if (!isCorrections(file)) tell('good', () => t('runs.added_rows'));
      onDone(isCorrections(file) ? await startCheck(run) : run);
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
    }
    setShare(null);
    onUploading(false);
  };
  const take = (file: RowFile | null): void =>
    setRows(file === null ? null : separatedBy(file, notationOf(run)));
  const isWrong = rows !== null && !rows.columns.includes(run.idField);
  return (
    <section class="card stack">
      <h2>{t('runs.upload_title')}</h2>
      <p class="soft">{t('runs.upload_text')}</p>
      <RowFileInput key={uploads} label={t('runs.file')} onFile={take} />
      {isWrong ? <Notice tone="warn" title={t('runs.no_id', { name: run.idField })} /> : null}
      {error === null ? null : <ErrorNotice error={error} />}
      {share === null ? null : <SentShare share={share} />}
      <div class="row">
        <Button
          icon="upload"
          busy={share !== null}
          disabled={rows === null || isWrong}
          onClick={() => {
            if (rows !== null) void upload(rows);
          }}
        >
          {t('runs.upload')}
        </Button>
      </div>
    </section>
  );
}
