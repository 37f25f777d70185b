import type { CreateRunRequest } from '../../api/run-requests.ts';
import type { RunSourceProgress } from '../../api/runs.ts';
import { type Failure, fail, type Outcome, succeed } from '../../errors.ts';
import { SOURCE_REFUSALS } from '../../runs/sources/source-refusals.ts';
import { TEXT_ENCODINGS } from '../../runtime/encoding/decoder.ts';
import type { RowFormat, RunRecord, RunSource } from '../../store/runs/types.ts';
import type { Store } from '../../store/store.ts';

/** The store, as far as sources of runs go. */
interface StoreOfSources {
  readonly store: Pick<Store, 'runSources'>;
}

/** A file that a caller names for a run. */
export type SentSource = NonNullable<CreateRunRequest['source']>;

const FORMATS: Readonly<Record<string, RowFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
};

/**
 * Reads `source` of a new run and opens the file as a test, so that a wrong name is reported now
 * and not at the start of the run.
 */
export async function readSource(
  services: StoreOfSources,
  teamId: string,
  sent: SentSource | undefined,
): Promise<Outcome<RunSource | null>> {
  if (sent === undefined) return succeed(null);
  const format = sent.format ?? formatOf(sent.path);
  if (format === null) {
    const known =
      'the name of the file ends neither in .ndjson, .jsonl nor .csv, with or without .gz';
    return fail('bad_request', `source.format must be ndjson or csv: ${known}.`);
  }
  const refusal = await refuseSource(services, teamId, sent.path);
  return refusal ?? succeed({ path: sent.path, format, encoding: sent.encoding ?? null });
}

/** Refuses a file that cannot be read; null: it can. */
export async function refuseSource(
  services: StoreOfSources,
  teamId: string,
  path: string,
): Promise<Failure | null> {
  const file = await services.store.runSources.open(teamId, path);
  if (typeof file === 'string') {
    return fail('bad_request', `source.path cannot be read: ${SOURCE_REFUSALS[file]}.`);
  }
  await file.close();
  return null;
}

function formatOf(path: string): RowFormat | null {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return FORMATS[extension] ?? null;
}

/** Describes the source of a run and its progress; null: the rows are uploaded. */
export async function tellSource(
  services: StoreOfSources,
  { runId, spec: { source } }: RunRecord,
): Promise<RunSourceProgress | null> {
  if (source === null) return null;
  const { isRead, bytes, sha256, parts, encoding } =
    await services.store.runSources.progress(runId);
  const found = TEXT_ENCODINGS.find((one) => one === encoding);
  const read = { encoding: found ?? source.encoding, read: isRead, parts };
  return { ...source, ...read, bytes: isRead ? bytes : null, sha256 };
}
