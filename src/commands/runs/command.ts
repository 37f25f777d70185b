import { SingleBar } from 'cli-progress';
import { type Command, Option } from 'commander';
import { existsSync, statSync } from 'node:fs';

import {
  type CreateRunRequest,
  type Intaglio,
  isUnderWay,
  isUnstarted,
  type Runs,
  ServiceError,
  type StartRunRequest,
} from '#client';
import { NAMED_ENCODINGS, type NamedEncoding } from '../../runtime/encoding/decoder.ts';
import { suggestion } from '../../runtime/nearest.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import { collect } from '../console/context.ts';
import { addCsvFormat, csvFormat } from '../console/csv-format.ts';
import { CommandFailed, UsageError, unreadable } from '../console/failure.ts';
import { readJsonFile } from '../console/files/json-file.ts';
import { toCount } from '../console/number.ts';
import { addService, type CallerOptions, withClient } from './calling.ts';
import { sayReason } from './reasons.ts';
import { findOtherFormat, type JsonOption, showExceptions, showRun } from './show.ts';
import { defineExceptions } from './exceptions.ts';
import { defineLists } from './lists.ts';
import { counted, show } from '../console/output.ts';
import {
  demandRepeatable,
  ENCODING_HELP,
  encodingOption,
  readAs,
  surveyEncoding,
} from '../console/files/text-file.ts';
import { soonGone } from '../console/retention.ts';
import { endWith, writeErr } from '../console/terminal.ts';
import { formatByName } from '../console/row-format.ts';
import { report } from './report.ts';
import { cutIntoParts, type FilePart } from './parts.ts';

interface CreateOptions extends CallerOptions, JsonOption, CsvFormat {
  readonly template: string;
  readonly idField: string;
  readonly version?: number;
  readonly name?: string;
  readonly rows?: number;
  readonly sum?: readonly string[];
  readonly onInvalid?: OnInvalid;
  readonly invalidShareMax?: string;
  readonly retentionSeconds?: number;
  readonly documentsPerPrint?: number;
  readonly options?: string;
  readonly source?: string;
  readonly sourceFormat?: 'ndjson' | 'csv';
  readonly sourceEncoding?: NamedEncoding;
}

interface UploadOptions extends CallerOptions, JsonOption {
  readonly format?: 'ndjson' | 'csv';
  readonly encoding?: NamedEncoding;
}

interface StartOptions extends CallerOptions, JsonOption {
  readonly dryRun?: boolean;
  readonly onInvalid?: OnInvalid;
  readonly rows?: number;
  readonly sum?: readonly string[];
}

type OnInvalid = 'stop' | 'skip';

const OPTIONS_BYTES_MAX = 65_536;
const NUMBER_MAX = 2 ** 31 - 1;

export default function define(command: Command): void {
  command.addHelpText('after', HELP);
  const creating = command.command('create').description('create a run; prints its id');
  addCsvFormat(addService(creating))
    .requiredOption('--template <templateId>', 'template to fill')
    .requiredOption('--id-field <name>', 'field of a row that holds its id')
    .option('--version <number>', 'published version instead of the latest', toCount(NUMBER_MAX))
    .option('--name <text>', 'for people')
    .option('--rows <n>', 'control total: how many documents there must be', toCount(NUMBER_MAX))
    .addOption(
      new Option('--sum <field=decimal>', 'control total of a number field; repeatable').argParser(
        collect,
      ),
    )
    .addOption(onInvalidOption())
    .option('--invalid-share-max <share>', 'skip at most this share of rows, such as 0.01')
    .option('--documents-per-print <n>', 'also make merged print files', toCount(100_000))
    .option('--retention-seconds <n>', 'life of the documents', toCount(NUMBER_MAX))
    .option('--source <path>', 'file that the service reads: /folder/file or s3://bucket/key')
    .addOption(
      new Option('--source-format <format>', 'default: by its name').choices(['ndjson', 'csv']),
    )
    .addOption(
      new Option('--source-encoding <name>', 'default: recognised').choices(NAMED_ENCODINGS),
    )
    .option('--options <file>', 'JSON file with metadata, watermark, protection of the documents')
    .action(create);
  addService(command.command('upload <runId> <file>').description('upload NDJSON or CSV'))
    .addOption(new Option('--format <format>', 'default: by name').choices(['ndjson', 'csv']))
    .addOption(encodingOption())
    .addHelpText('after', ENCODING_HELP)
    .action(upload);
  addService(command.command('start <runId>').description('check all rows, then make documents'))
    .option('--dry-run', 'check only')
    .addOption(onInvalidOption())
    .option('--rows <n>', 'another control total of rows', toCount(NUMBER_MAX))
    .addOption(
      new Option('--sum <field=decimal>', 'another control total; repeatable').argParser(collect),
    )
    .action(start);
  defineExceptions(command);
  defineLists(command);
  for (const action of ['pause', 'resume', 'cancel'] as const) {
    addService(command.command(`${action} <runId>`).description(`${action} a run`)).action(
      async (runId: string, options: CallerOptions & JsonOption) =>
        withClient(options, async ({ runs }) => {
          showRun(await runs[action](runId), options);
        }),
    );
  }
  addService(
    command
      .command('watch <runId>')
      .description('wait for the start of a run and follow it to its end, with an exit code'),
  ).action(watch);
  addService(command.command('report <runId>').description('fetch the outcome of every row'))
    .requiredOption('--out <folder>', 'where manifest.ndjson and invalid.csv go')
    .option('--zip', 'also all documents, as documents.zip')
    .action(report);
}

const HELP = `
A run makes a document for each row of a file inside the service: it continues when this command, the
network or the service ends, and every row has one outcome. Every step can be repeated safely.

create warns of a mistyped --id-field if the key has the scope templates:read, too. Without it the run is
made all the same, and the service counts one refusal, insufficient_scope, in its metrics.

watch waits until the run has been started. Its exit codes: 0 done, or checked without a fault by a dry
run; 1 stopped, cancelled, or checked with faults (the reasons are printed); 2 wrong usage.

Examples:
  $ export INTAGLIO_API_KEY=ik_…            # a key with the scope runs
  $ ID=$(./intaglio runs create --template receipt --id-field refNo --rows 900)
  $ ./intaglio runs upload $ID october.ndjson
  $ ./intaglio runs start $ID && ./intaglio runs watch $ID
  $ ./intaglio runs report $ID --out october`;

function onInvalidOption(): Option {
  const meaning = 'while rows are invalid: make nothing, or skip these rows';
  return new Option('--on-invalid <choice>', meaning).choices(['stop', 'skip']);
}

async function create(options: CreateOptions): Promise<void> {
  const { template, idField, version, name, rows, sum, retentionSeconds } = options;
  const sums = Object.fromEntries((sum ?? []).map(readSum));
  const share = options.invalidShareMax;
  if (retentionSeconds !== undefined) warnOfRetention(retentionSeconds);
  const run = {
    templateId: template,
    idField,
    version,
    name,
    retentionSeconds,
    documentsPerPrint: options.documentsPerPrint,
    expected: { rows, sums },
    onInvalid: options.onInvalid,
    invalidShareMax: share === undefined ? undefined : readShare(share),
    options:
      options.options === undefined
        ? undefined
        : readJsonFile(options.options, OPTIONS_BYTES_MAX, null).value,
    source: readSource(options),
    csv: csvFormat(options),
  };
  await withClient(options, async (client) => {
    await warnOfIdField(client, options);
    // The service checks the options of the file; what is undefined is not sent.
    const made = await client.runs.create(run as CreateRunRequest);
    show(options.json, made, () => made.runId);
  });
}

/** Warns if documents would be gone within a day, as when somebody meant days or minutes. */
function warnOfRetention(seconds: number): void {
  const gone = soonGone(seconds, Date.now());
  if (gone !== '') writeErr(`intaglio: --retention-seconds ${seconds}: ${gone}.\n`);
}

/**
 * Warns if `--id-field` resembles a field of the template: a mistyped name makes every row invalid. The
 * key of the rows need not be a field, so a name that resembles none is a column of the file.
 */
async function warnOfIdField(client: Intaglio, options: CreateOptions): Promise<void> {
  const { template, version, idField } = options;
  let names;
  try {
    const { fields } = await client.fieldContract(template, { version });
    names = fields.map(({ name }) => name);
  } catch (error) {
    // The API key lacks the scope templates:read. Any other error is reported when the run is
    // created.
    if (error instanceof ServiceError) return;
    throw error;
  }
  const near = names.includes(idField) ? '' : suggestion(idField, names);
  if (near === '') return;
  writeErr(
    `intaglio: --id-field: ${template} has no field ${JSON.stringify(idField)}${near}` +
      ' Each row must have a key of that name.\n',
  );
}

function readSum(text: string): [string, string] {
  const separator = text.lastIndexOf('=');
  if (separator < 1) throw new UsageError(`--sum ${text}: expected FIELD=DECIMAL`);
  return [text.slice(0, separator), text.slice(separator + 1)];
}

function readSource(options: CreateOptions): object | undefined {
  const { source: path, sourceFormat: format, sourceEncoding: encoding } = options;
  if (path !== undefined) return { path, format, encoding };
  if (format === undefined && encoding === undefined) return undefined;
  throw new UsageError('--source-format and --source-encoding need --source');
}

function readShare(text: string): number {
  const share = /^\d(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new UsageError(`--invalid-share-max ${text}: expected a number from 0 to 1`);
}

/** Uploads a file part by part; skips parts that the run has, so that it resumes where it ended. */
async function upload(runId: string, file: string, options: UploadOptions): Promise<void> {
  demandInOrder(runId, file);
  const format = options.format ?? formatByName(file);
  demandRepeatable(file);
  const { encoding: named = null } = options;
  // A file that is no text is refused before any of it is sent.
  const encoding = await surveyEncoding(file, named);
  await withClient(options, async ({ runs }) => {
    const bar = startBar('{bar} {percentage} % uploaded, {eta_formatted} left', sizeOf(file));
    const onPart = ({ readTo }: FilePart): void => bar.update(readTo, {});
    const parts = cutIntoParts(file, format, named);
    const counts = await runs.uploadParts(runId, parts, { onPart }).finally(bar.stop);
    if (counts.others > 0) await tellOthers(runs, runId, counts.others);
    // A part that the run has is accepted in every state.
    if (counts.sent === 0 && counts.skipped > 0) await demandOpen(runs, runId);
    show(options.json, { ...counts, encoding }, () => {
      const before = counts.skipped > 0 ? `, ${counts.skipped} were there before` : '';
      return `${counted(counts.sent, 'part')} uploaded${before}${readAs(encoding)}`;
    });
  });
}

/** Throws when the run's id and the file were given in the other order. */
function demandInOrder(runId: string, file: string): void {
  if (!existsSync(runId) || existsSync(file)) return;
  throw new UsageError(
    `${runId} is a file: the id of the run comes first, as in runs upload RUN FILE`,
  );
}

/**
 * Warns of parts that are not of the file, unless the run was checked before: then the file has
 * corrections of rows.
 */
async function tellOthers(runs: Runs, runId: string, others: number): Promise<void> {
  const { counts } = await runs.get(runId);
  if (counts.bytesChecked > 0) return;
  const advice = 'if they are of an earlier version of the file, cancel the run and make a new one';
  writeErr(`intaglio: the run has ${counted(others, 'part')} of other rows, too: ${advice}\n`);
}

/** Throws when no document will be made of rows that the run has already. */
async function demandOpen(runs: Runs, runId: string): Promise<void> {
  const { state, counts } = await runs.get(runId);
  if (state !== 'cancelled') return;
  if (counts.stored > 0) {
    const documents = counts.stored === 1 ? '1 document' : `${counts.stored} documents`;
    throw new CommandFailed(
      `the run has these rows already, but it is cancelled and makes no further document: it has stored` +
        ` ${documents}, valid until expiry, and a new run of the same file makes them a second time.` +
        ` ./intaglio runs report ${runId} --out FOLDER tells which rows have one`,
    );
  }
  throw new CommandFailed(
    'the run has these rows already, but it is cancelled and makes no document of them: make a new run',
  );
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function start(runId: string, options: StartOptions): Promise<void> {
  await withClient(options, async ({ runs }) => {
    const { dryRun = false, onInvalid, rows, sum } = options;
    const sums = sum === undefined ? undefined : Object.fromEntries(sum.map(readSum));
    const expected = rows === undefined && sums === undefined ? undefined : { rows, sums };
    // What is undefined is not sent.
    const how = { dryRun, onInvalid, expected } as StartRunRequest;
    showRun(await runs.start(runId, how), options);
  });
}

/** Waits until the run has been started and has ended; a dry run ends with its check. */
async function watch(runId: string, options: CallerOptions & JsonOption): Promise<void> {
  await withClient(options, async ({ runs }) => {
    const format = '{bar} {value}/{total} {what}, {failed} failed, {rate}/s, {eta_formatted} left';
    const bar = startBar(format, 0);
    const rate = new Rate();
    let isWaiting = false;
    let said = '';
    try {
      for await (const run of runs.watch(runId)) {
        const { counts, state } = run;
        if (isUnstarted(run)) {
          if (!isWaiting) writeErr(`intaglio: waiting for the start: runs start ${runId}\n`);
          isWaiting = true;
          continue;
        }
        // While a run is under way, its reasons tell what it waits for.
        const waits = isUnderWay(run)
          ? run.reasons.map((one) => sayReason(run, one)).join('; ')
          : '';
        if (waits !== '' && waits !== said) writeErr(`intaglio: ${waits}\n`);
        said = waits;
        const isChecking = state === 'checking';
        const done = isChecking ? counts.bytesChecked : counts.stored;
        bar.total(isChecking ? counts.bytesReceived : counts.stored + counts.pending);
        const what = isChecking ? 'bytes checked' : 'documents';
        const failed = counts.invalid + counts.failed;
        bar.update(done, { what, failed, rate: rate.of(done, what) });
        if (isUnderWay(run)) continue;
        bar.stop();
        const otherFormat = options.json === true ? null : await findOtherFormat(runs, run);
        showRun(run, options, otherFormat);
        if (options.json !== true) await showExceptions(runs, run, otherFormat);
        const hasSucceeded = state === 'done' || (run.dryRun && run.reasons.length === 0);
        if (!hasSucceeded) endWith(1);
      }
    } finally {
      bar.stop();
    }
  });
}

/** Computes a rate per second, which begins anew when something else is counted. */
class Rate {
  #what = '';
  #firstCount = 0;
  #startMs = 0;

  of(count: number, what: string): number {
    if (what !== this.#what) {
      this.#what = what;
      this.#firstCount = count;
      this.#startMs = performance.now();
    }
    const seconds = (performance.now() - this.#startMs) / 1000;
    return seconds < 1 ? 0 : Math.round((count - this.#firstCount) / seconds);
  }
}

interface Bar {
  readonly total: (total: number) => void;
  readonly update: (value: number, shown: object) => void;
  readonly stop: () => void;
}

/** A progress bar, shown only on a terminal. */
function startBar(format: string, total: number): Bar {
  const settings = { format, barsize: 30, stream: process.stderr, noTTYOutput: false };
  const bar = new SingleBar({ ...settings, clearOnComplete: true });
  const isShown = process.stderr.isTTY;
  if (isShown) bar.start(total, 0, { what: '', failed: 0, rate: 0 });
  return {
    total: (value) => bar.setTotal(Math.max(1, value)),
    update: (value, shown) => bar.update(value, shown),
    stop: () => bar.stop(),
  };
}
