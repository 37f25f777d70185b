import type { Command } from 'commander';

import type { NamedEncoding } from '../runtime/encoding/decoder.ts';
import { UsageError } from './console/failure.ts';
import { counted, show } from './console/output.ts';
import { ENCODING_HELP, encodingOption, readAs } from './console/files/text-file.ts';
import { type FileJob, outFault, readJobs } from './render/job-list.ts';
import { renderAll, type FileResult, type RunOptions } from './render/jobs.ts';
import { renderWatching } from './render/watch.ts';
import { endWith, writeErr } from './console/terminal.ts';
import { toTime } from './console/time.ts';

interface Options {
  readonly data?: string;
  readonly out?: string;
  readonly options?: string;
  readonly jobs?: string;
  readonly encoding?: NamedEncoding;
  readonly at?: number;
  readonly readable?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export default function define(command: Command): void {
  command
    .argument('[template]', 'template file')
    .option('--data <file>', 'JSON file with the data of the document')
    .option('--out <file>', 'PDF to write, in a folder that exists; pdftoppm makes pictures of it')
    .option('--options <file>', 'JSON file with metadata, protection, watermark as in the API')
    .option('--jobs <file>', 'instead of a template: JSON list of {template, data, out, options?}')
    .addOption(encodingOption())
    .option('--at <time>', 'ISO 8601 time of the documents; same time, same bytes', toTime)
    .option('--readable', 'write page contents, fonts and character maps uncompressed')
    .option('--watch', 'render again when template, data or options change, until Ctrl-C')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(render);
}

const HELP = `
Renders with the engine of the service, but without a server, a database or an audit record. In a
list of jobs, data and options may be file names or the values themselves; a job that fails is reported
on standard error, and the others continue (exit code 1 at the end). Numbers keep the digits that they
have in the list.
${ENCODING_HELP} Template files are UTF-8.

Examples:
  $ ./intaglio render templates/receipt.json --data data.json --out receipt.pdf
  $ ./intaglio render receipt.json --data data.json --out receipt.pdf --readable
  $ ./intaglio render letter.json --data data.json --out letter.pdf --watch
  $ ./intaglio render --jobs jobs.json --json`;

async function render(template: string | undefined, options: Options): Promise<void> {
  if (options.jobs !== undefined && template !== undefined) {
    throw new UsageError('give either a template or --jobs');
  }
  const { encoding = null } = options;
  const jobs =
    options.jobs === undefined ? [singleJob(template, options)] : readJobs(options.jobs, encoding);
  const run = { atMs: options.at ?? Date.now(), isReadable: options.readable === true };
  if (options.watch === true) return watch(jobs, run, options);
  const results = await renderAll(jobs, run, warn);
  if (results.some(({ ok }) => !ok)) endWith(1);
  const done = results.filter(({ ok }) => ok);
  if (options.json !== true && done.length === 0) return;
  show(options.json, options.jobs === undefined ? results[0] : results, () =>
    done.map(describeDone).join('\n'),
  );
}

async function watch(
  [job, ...more]: readonly FileJob[],
  run: RunOptions,
  { jobs, json }: Options,
): Promise<void> {
  if (job === undefined || more.length > 0 || jobs !== undefined) {
    throw new UsageError('--watch takes one template, not --jobs');
  }
  await renderWatching(job, run, (result) => {
    warn(result);
    if (json === true || result.ok) show(json, result, () => describeDone(result));
  });
}

function warn(result: FileResult): void {
  if (!result.ok) writeErr(`intaglio: ${describe(result)}\n`);
  else if (result.missingCharacters > 0) writeErr(`intaglio: ${lacking(result)}\n`);
}

function describeDone({ out, pages, encoding }: FileResult): string {
  return `${out}: ${counted(pages, 'page')}${readAs(encoding)}`;
}

function singleJob(template: string | undefined, given: Options): FileJob {
  const { data, out, options, encoding = null } = given;
  if (template === undefined || data === undefined || out === undefined) {
    throw new UsageError('needs a template, --data and --out; or --jobs');
  }
  const fault = outFault(out);
  if (fault !== null) throw new UsageError(fault);
  return { template, data: { path: data, encoding }, out, options: options ?? null };
}

function lacking({ out, missingCharacters }: FileResult): string {
  const characters = counted(missingCharacters, 'character');
  return `${out} shows boxes in place of ${characters} that no font has`;
}

function describe({ out, code, message, fields }: FileResult): string {
  const defects = fields.map(({ field, reason }) => `\n  ${field}: ${reason}`).join('');
  return `${out} was not made: ${message} (${code})${defects}`;
}
