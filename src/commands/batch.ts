import { Option, type Command } from 'commander';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';

import type { Refusals } from '#client';
import { inFormat } from './batch/cells.ts';
import { ColumnHints, compareColumns } from './batch/contract.ts';
import { checkFormat } from './batch/format-check.ts';
import { FAILED_FILES, Failures } from './batch/failures.ts';
import { fieldsNamed } from './batch/file-name.ts';
import { BatchFolder } from './batch/folder.ts';
import {
  type BatchRecord,
  type Input,
  readRecords,
  surveyInput,
  type InputFormat,
  type Survey,
} from './batch/input.ts';
import type { NamedEncoding, TextEncoding } from '../runtime/encoding/decoder.ts';
import { MANIFEST_FILE } from './batch/manifest.ts';
import { readOptions } from './batch/options.ts';
import type { Outlook } from './batch/outlook.ts';
import { startPaceTeller, startWaitTeller } from './batch/pace.ts';
import { startProgress } from './batch/progress.ts';
import { describeRefusals } from './batch/refusals.ts';
import { FIRST_FAILURES_MAX, runBatch, type BatchCounts, type BatchPlan } from './batch/run.ts';
import type { CsvFormat } from '../runtime/csv/csv-format.ts';
import { addCsvFormat, csvFormat } from './console/csv-format.ts';
import { apiKeyOption, readCaller } from './console/api-key.ts';
import { CommandFailed, UsageError } from './console/failure.ts';
import { formatByName } from './console/row-format.ts';
import { toCount } from './console/number.ts';
import { show } from './console/output.ts';
import { Service } from './console/service.ts';
import { ENCODING_HELP, encodingOption, readAs } from './console/files/text-file.ts';
import { endWith, writeErr } from './console/terminal.ts';

interface Options extends CsvFormat {
  readonly template: string;
  readonly version?: number;
  readonly mode: 'sync' | 'async';
  readonly options?: string;
  readonly out: string;
  readonly name?: string;
  readonly url: string;
  readonly key?: string;
  readonly concurrency: number;
  readonly format?: InputFormat;
  readonly encoding?: NamedEncoding;
  readonly overwrite?: boolean;
  readonly keepGoing?: boolean;
  readonly json?: boolean;
}

/** Default and maximum of --concurrency. */
const CONCURRENCY = 8;
const CONCURRENCY_MAX = 256;
/** Added to the number of the signal that stopped a command, as shells do for its exit code. */
const SIGNAL_EXIT = 128;

export default function define(command: Command): void {
  addCsvFormat(command)
    .argument('<file>', 'NDJSON (one JSON object of data on each line) or CSV with a header')
    .requiredOption('--template <templateId>', 'template to fill')
    .requiredOption('--out <folder>', 'where PDFs and manifest.ndjson go')
    .option(
      '--name <pattern>',
      "file names from fields of the data, such as '{{refNo}}', instead of numbers",
    )
    .option('--version <number>', 'published version instead of the latest', toCount(2 ** 31 - 1))
    .addOption(
      new Option('--mode <mode>', 'async keeps the documents on the server, too')
        .choices(['sync', 'async'])
        .default('sync'),
    )
    .option('--options <file>', "JSON file with the request's options, for every document")
    .addOption(
      new Option('--url <url>', 'address of the service')
        .env('INTAGLIO_URL')
        .default('http://127.0.0.1:8080'),
    )
    .addOption(apiKeyOption())
    .option('--concurrency <n>', 'requests at a time', toCount(CONCURRENCY_MAX), CONCURRENCY)
    .addOption(
      new Option('--format <format>', 'default: by the name of the file').choices([
        'ndjson',
        'csv',
      ]),
    )
    .addOption(encodingOption())
    .option('--overwrite', 'remove documents of another input from the folder first')
    .option('--keep-going', 'send every record, even if none of the first ones can be made')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', HELP)
    .action(batch);
}

const HELP = `
Sends fewer requests at a time while the service is busy, and says how often it was refused.

manifest.ndjson in the folder gets a line for each record that is done or failed. Run the batch again
with the same folder to resume: records that are done there are skipped, failed ones are tried again.
A record that was tried again has several lines in the manifest; its last line counts.

A folder belongs to one input. The batch ends before the first document where the folder has documents
that it would not make: of other data, template, version, mode or options, or named by another --name.
Give another --out; or --overwrite, which removes those documents, and files that are in the way.
Records may be added at the end, and failed ones corrected; a made one is corrected with --overwrite.
Two batches cannot write into one folder at once: the second one ends.

A record that cannot be made (invalid_data, render_failed) is in the manifest with its fields. For
each reason, standard error gets one such record at once, and their number at the end. All of them
are copied to failed.csv or failed.ndjson in the folder, each line as it was but ending with LF:
correct that file and run it with another folder, or correct the input and run the batch again. In
mode async each PDF is fetched and checked against its digest.

If the first ${FIRST_FAILURES_MAX} records all fail, the batch stops and sends no more: a wrong column
or setting would fail all of them. With --keep-going it goes on.

With --decimal or --date the whole file is compared with them first. Columns whose failing cells would
be right with other options are named; where other cells of them would have another value then, such as
3/4/2026, nothing is made unless --keep-going says that the options are right. Where nearly all records
that failed need other options, the last lines have the command with these, and the records that stay
faulty then.

For more than some ten thousand records, ./intaglio runs serves better: the service does the work
without this command, and each row exactly once, whatever fails meanwhile (docs/runs.md).

It warns of columns that are not fields of the template; a required field without a column ends the
batch before it begins. For this the key needs the scope templates:read.
${ENCODING_HELP}

Exit codes: 0 every record is made; 1 some failed, or the batch could not go on (the reason is on
standard error); 2 wrong usage; 130 and 143 stopped by SIGINT and SIGTERM.

Examples:
  $ export INTAGLIO_API_KEY=ik_…
  $ ./intaglio batch october.ndjson --template statement --out october
  $ ./intaglio batch a.csv --template loan --out loans --decimal , --date d/m/y
  $ ./intaglio batch a.csv --template loan --out loans --name '{{refNo}}'
  $ ./intaglio batch a.csv --template loan --out loans --mode async`;

async function batch(file: string, options: Options, command: Command): Promise<void> {
  const caller = readCaller(options);
  const format = options.format ?? formatByName(file);
  refuseFailedFile(file, options.out, format);
  const plan: BatchPlan = {
    ...caller,
    templateId: options.template,
    version: options.version ?? null,
    mode: options.mode,
    options: options.options === undefined ? null : readOptions(options.options),
    out: options.out,
    name: options.name ?? null,
    concurrency: options.concurrency,
    overwrite: options.overwrite === true,
    keepGoing: options.keepGoing === true,
  };
  const csv = csvFormat(options);
  if (csv !== undefined && format !== 'csv') {
    throw new UsageError('--delimiter, --decimal, --date and --calendar belong to CSV');
  }
  const input: Input = { path: file, format, encoding: options.encoding ?? null, csv };
  const survey = await surveyInput(input);
  demandNamed(plan.name, survey);
  const service = new Service(caller, { concurrency: plan.concurrency, warn });
  const interruption = stopOnSignal(service);
  try {
    const { counts, failures } = await run(plan, input, survey, service);
    const outlook = await lookAhead(counts, failures, input);
    const { signal } = interruption;
    const done = counts.made + counts.failed + counts.skipped;
    const unsent = survey.count - done;
    if (signal !== null) {
      warn(`stopped at ${done} of ${survey.count}; run again to continue`);
      endWith(SIGNAL_EXIT + constants.signals[signal]);
    } else if (counts.failed > 0) {
      if (unsent > 0) warn(hopeless(done, unsent, outlook));
      endWith(1);
    }
    const { encoding } = survey;
    const { refusals } = service;
    const refused = refusals.overLimit + refusals.busy;
    show(options.json, { ...counts, unsent, refusals: refused, encoding }, () =>
      summary(
        { ...counts, unsent },
        [file, plan.out],
        failures.path,
        sayOutlook(outlook, file, command),
        encoding,
        refusals,
      ),
    );
  } finally {
    interruption.forget();
    await service.close();
  }
}

async function run(
  plan: BatchPlan,
  input: Input,
  survey: Survey,
  service: Service,
): Promise<{ counts: BatchCounts; failures: Failures }> {
  const folder = new BatchFolder(plan.out);
  const bar = startProgress(survey.count, warn);
  const warnBesideBar = (message: string): void => bar.aside(() => warn(message));
  const endWaitTeller = startWaitTeller(() => service.rateWaitMs, warnBesideBar);
  let endPaceTeller: (() => void) | null = null;
  try {
    const failures = new Failures(plan.out, input.format, survey, warnBesideBar, input.csv);
    const fields = await compareColumns(plan, survey, service, warnBesideBar);
    if (fields === 'stopped') return { counts: { made: 0, failed: 0, skipped: 0 }, failures };
    const csv = input.format === 'csv' ? (input.csv ?? {}) : null;
    const { named, mending } = await checkFormat(
      { csv, keepGoing: plan.keepGoing },
      survey,
      fields,
      () => readRecords(input),
      warnBesideBar,
    );
    const read = () => inFormat(readRecords(input), input.csv, fields);
    await folder.review(plan, read);
    failures.begin(named, mending);
    const hints = new ColumnHints(survey.keys, warnBesideBar);
    // Documents that an earlier run has made are not sent again.
    const unmade = survey.count - Array.from(folder.manifest.made).length;
    let done = 0;
    endPaceTeller = startPaceTeller(
      () => service.rate,
      { count: unmade, done: () => done },
      warnBesideBar,
    );
    const counts = await runBatch(plan, folder.manifest, read(), service, {
      settled: (settled) => {
        bar.update(settled);
        done = settled.made + settled.failed;
      },
      nameTaken: warnOnce(({ number }, file) =>
        warnBesideBar(
          `--name names records alike: record ${number} is ${file}, with its number, and so is each` +
            ` further one (${MANIFEST_FILE} has them)`,
        ),
      ),
      failed: (record, error) => {
        hints.look(error);
        failures.add(record, error);
      },
    });
    bar.aside(() => failures.summarize(counts.made + counts.failed));
    return { counts, failures };
  } finally {
    endWaitTeller();
    endPaceTeller?.();
    bar.stop();
    folder.close();
  }
}

/** Calls it the first time only. */
function warnOnce(
  tell: (record: BatchRecord, file: string) => void,
): (record: BatchRecord, file: string) => void {
  let isTold = false;
  return (record, file) => {
    if (isTold) return;
    isTold = true;
    tell(record, file);
  };
}

function warn(message: string): void {
  writeErr(`intaglio: ${message}\n`);
}

/**
 * What becomes of the records with the options that the batch lacks; null: it needs none, or they would
 * change what it has made.
 */
async function lookAhead(
  { made, failed, skipped }: BatchCounts,
  failures: Failures,
  input: Input,
): Promise<Outlook | null> {
  const outlook = await failures.lookAhead(() => readAfter(made + failed + skipped, input));
  return made + skipped > 0 && outlook?.mending.changesValues === true ? null : outlook;
}

/** The records after the first `sent` ones. */
async function* readAfter(
  sent: number,
  input: Input,
): AsyncGenerator<BatchRecord, void, undefined> {
  for await (const record of readRecords(input)) if (record.number > sent) yield record;
}

/** Why a batch stopped before its last record. */
function hopeless(failed: number, unsent: number, outlook: Outlook | null): string {
  const advice =
    outlook === null
      ? 'correct the input and run it again, or send all by --keep-going'
      : `run it again ${outlook.mending.say()}`;
  return (
    `none of the first ${failed} records could be made, so the batch stopped and ` +
    `${unsent === 1 ? '1 was' : `${unsent} were`} not sent: ${advice}`
  );
}

/** How to go on where options are missing; null: no option is missing. */
function sayOutlook(outlook: Outlook | null, file: string, command: Command): string | null {
  if (outlook === null) return null;
  const { mending } = outlook;
  const whole = mending.command(file, command);
  const faulty = outlook.sayFaulty(file);
  const how = faulty.length === 0 ? `leave ${file} as it is and run it` : `run ${file}`;
  const first = `To go on, ${how} ${mending.say()}${whole === null ? '.' : `:\n  ${whole}`}`;
  return [first, ...faulty].join('\n');
}

function summary(
  { made, failed, skipped, unsent }: BatchCounts & { readonly unsent: number },
  [file, out]: readonly [string, string],
  path: string,
  outlook: string | null,
  encoding: TextEncoding,
  refusals: Refusals,
): string {
  const left = unsent > 0 ? `, ${unsent} not sent` : '';
  const counts = `${made} made, ${failed} failed, ${skipped} made before${left}`;
  const refused = describeRefusals(refusals).map((text) => `\n${text}`);
  const line = `${counts}; see ${out}${readAs(encoding)}${refused.join('')}`;
  // A batch that was stopped before its first record has no manifest.
  if (unsent > 0 && made + failed + skipped > 0) {
    const manifest = join(out, MANIFEST_FILE);
    const onlyFailed = `; ${path} has the failed ones, but none that was not sent`;
    const correct = failed > 0 ? `correct ${file} and ` : '';
    return (
      `${line}\n${manifest} says which records were made and which failed${failed > 0 ? onlyFailed : ''}.\n` +
      (outlook ?? `To go on, ${correct}run the same command again: it skips what is made.`)
    );
  }
  if (failed === 0) return line;
  if (outlook !== null) return `${line}\n${outlook}`;
  return `${line}\nFailed records are in ${path}: correct them and run that file with another --out.`;
}

/**
 * Refuses the files that a batch writes to the same folder: their records have other numbers than in
 * the manifest, so their PDFs would overwrite others.
 */
function refuseFailedFile(file: string, out: string, format: InputFormat): void {
  const written = [FAILED_FILES[format], MANIFEST_FILE].map((name) => resolve(join(out, name)));
  if (!written.includes(resolve(file))) return;
  throw new UsageError(`${file} was written by the batch in ${out}; run it with another --out`);
}

/** Throws when --name uses a field that no record has. */
function demandNamed(name: string | null, { keys }: Survey): void {
  const unknown = name === null ? undefined : fieldsNamed(name).find((key) => !keys.includes(key));
  if (unknown === undefined) return;
  throw new CommandFailed(`--name has {{${unknown}}}, and no record has a field of that name`);
}

/** On the first SIGTERM or SIGINT, requests under way may finish; the second ends the process. */
function stopOnSignal(service: Service): {
  readonly signal: 'SIGTERM' | 'SIGINT' | null;
  forget(): void;
} {
  const interruption = {
    signal: null as 'SIGTERM' | 'SIGINT' | null,
    forget: (): void => void process.off('SIGTERM', stop).off('SIGINT', stop),
  };
  function stop(signal: NodeJS.Signals): void {
    interruption.signal = signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
    interruption.forget();
    service.stop();
  }
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return interruption;
}
