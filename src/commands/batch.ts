import { SingleBar } from 'cli-progress';
import { Option, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

import { Client } from './batch/client.ts';
import { readRecords, type InputFormat } from './batch/input.ts';
import { runBatch, type BatchCounts, type BatchPlan } from './batch/run.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { show } from './output.ts';
import { endWith } from './terminal.ts';

interface Options {
  readonly template: string;
  readonly version?: number;
  readonly mode: 'sync' | 'async';
  readonly options?: string;
  readonly out: string;
  readonly url: string;
  readonly key?: string;
  readonly concurrency: number;
  readonly format?: InputFormat;
  readonly json?: boolean;
}

const CONCURRENCY = 8;
const CONCURRENCY_MAX = 256;

export default function define(command: Command): void {
  command
    .argument('<file>', 'NDJSON (one JSON object of data on each line) or CSV with a header')
    .requiredOption('--template <templateId>', 'template to fill')
    .requiredOption('--out <folder>', 'where PDFs and manifest.ndjson go')
    .option('--version <number>', 'published version instead of the latest', toInteger(2 ** 31 - 1))
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
    .addOption(new Option('--key <apiKey>', 'API key').env('INTAGLIO_API_KEY'))
    .option('--concurrency <n>', 'requests at a time', toInteger(CONCURRENCY_MAX), CONCURRENCY)
    .addOption(
      new Option('--format <format>', 'default: by the name of the file').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', HELP)
    .action(batch);
}

const HELP = `
Waits when the service is at its limit, and goes on where it stopped when it is run again with the
same folder: records that manifest.ndjson holds as done are left out, failed ones are tried again.
A record that cannot be made (invalid_data, render_failed) is noted in the manifest with its fields;
the exit code is then 1. In mode async each PDF is fetched and checked against its digest.

Examples:
  $ export INTAGLIO_API_KEY=ik_…
  $ ./intaglio batch october.ndjson --template statement --out october
  $ ./intaglio batch members.csv --template receipt --out receipts --mode async --concurrency 16`;

function toInteger(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max) return value;
    throw new UsageError(`"${text}" is not allowed; allowed: integer, 1 to ${max}`);
  };
}

async function batch(file: string, options: Options): Promise<void> {
  const { key } = options;
  if (key === undefined) throw new UsageError('needs --key or INTAGLIO_API_KEY');
  if (!URL.canParse(options.url)) throw new UsageError(`--url "${options.url}" is not a URL`);
  const plan: BatchPlan = {
    url: options.url.replace(/\/+$/, ''),
    apiKey: key,
    templateId: options.template,
    version: options.version ?? null,
    mode: options.mode,
    options: options.options === undefined ? null : readOptions(options.options),
    out: options.out,
    concurrency: options.concurrency,
  };
  const format = options.format ?? formatOf(file);
  const total = await countRecords(file, format);
  const client = new Client(plan.concurrency);
  const bar = startBar(total);
  try {
    const counts = await runBatch(plan, readRecords(file, format), client, bar.update);
    if (counts.failed > 0) endWith(1);
    bar.stop();
    const { made, failed, skipped } = counts;
    show(
      options.json,
      counts,
      () => `${made} made, ${failed} failed, ${skipped} made before; see ${plan.out}`,
    );
  } finally {
    bar.stop();
    await client.close();
  }
}

function formatOf(file: string): InputFormat {
  const extension = extname(file).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (['.ndjson', '.jsonl', '.json'].includes(extension)) return 'ndjson';
  throw new UsageError(`cannot tell the format of ${file}; give --format`);
}

/** Reads the input once before anything is made: a broken record stops the batch at the start. */
async function countRecords(file: string, format: InputFormat): Promise<number> {
  let count = 0;
  for await (const { number } of readRecords(file, format)) count = number;
  return count;
}

function readOptions(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandFailed(`${path} is not valid JSON`);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandFailed(`cannot read ${path}: ${error.message}`);
  }
}

/** On a terminal only; elsewhere the line at the end says it all. */
function startBar(total: number): { update: (counts: BatchCounts) => void; stop: () => void } {
  const bar = new SingleBar({
    format: '{bar} {value}/{total} documents, {failed} failed, {eta_formatted} left',
    barsize: 30,
    stream: process.stderr,
    noTTYOutput: false,
    clearOnComplete: true,
  });
  if (process.stderr.isTTY) bar.start(total, 0, { failed: 0 });
  return {
    update: ({ made, failed, skipped }) => bar.update(made + failed + skipped, { failed }),
    stop: () => bar.stop(),
  };
}
