import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  isUnderWay,
  isUnstarted,
  type Run,
  type RunPrint,
  type Runs,
  type RunWithParts,
} from '#client';
import { CommandFailed } from '../console/failure.ts';
import { toCount } from '../console/number.ts';
import { counted, show, table } from '../console/output.ts';
import { addService, type CallerOptions, firstOf, withClient } from './calling.ts';
import { writeErr } from '../console/terminal.ts';
import { makeFolder } from './report.ts';
import { type JsonOption, stateWord } from './show.ts';

const RUNS_DEFAULT = 20;
const RUNS_MAX = 100_000;
/** Digits of the number in a file name, so that names sort like numbers. */
const NAME_DIGITS = 5;

type Options = CallerOptions & JsonOption;

/** Adds the commands that find a run again, and fetch its merged print files. */
export function defineLists(command: Command): void {
  addService(command.command('list').description("list the team's runs, the newest first"))
    .option('--limit <n>', 'how many', toCount(RUNS_MAX), RUNS_DEFAULT)
    .action(list);
  addService(command.command('prints <runId>').description('list or fetch merged print files'))
    .option('--out <folder>', 'fetch them, each with its index of pages; whole ones are kept')
    .action(prints);
}

async function list(options: Options & { readonly limit: number }): Promise<void> {
  await withClient(options, async (client) => {
    const runs = await firstOf(client.runs.listAll(), options.limit);
    const head = ['runId', 'state', 'template', 'rows', 'stored', 'faulty', 'created', 'name'];
    show(options.json, { runs }, () => table(head, runs.map(cellsOf), 'There are no runs.'));
  });
}

function cellsOf(run: Run): string[] {
  const { runId, templateId, counts, createdAt, name } = run;
  const { received, stored, invalid, failed } = counts;
  const numbers = [received, stored, invalid + failed].map(String);
  return [runId, stateWord(run), templateId, ...numbers, createdAt.slice(0, 16), name];
}

async function prints(runId: string, options: Options & { readonly out?: string }): Promise<void> {
  await withClient(options, async ({ runs }) => {
    const files = await runs.prints(runId);
    const { out } = options;
    if (out !== undefined) await fetchPrints(runs, runId, files, out);
    const head = ['number', 'documents', 'pages', 'bytes', ...(out === undefined ? [] : ['file'])];
    const rows = files.map(({ number, documents, pages, bytes }) => [
      ...[number, documents, pages, bytes].map(String),
      ...(out === undefined ? [] : [join(out, fileName(number))]),
    ]);
    const run = await runs.get(runId);
    show(options.json, { prints: files }, () => table(head, rows, noPrints(run)));
    if (isEnded(run) || run.documentsPerPrint === null) return;
    const more =
      `run ${runId} is ${run.state}, so these may not be all of its print files: wait for its end` +
      ` (./intaglio runs watch ${runId}), and call this again`;
    // A script would go on with a part of the files.
    if (out !== undefined) throw new CommandFailed(more);
    writeErr(`intaglio: ${more}\n`);
  });
}

function noPrints(run: RunWithParts): string {
  if (run.documentsPerPrint === null) {
    return 'The run has no print files: it was made without --documents-per-print.';
  }
  return isEnded(run)
    ? 'The run has no print files: none of its documents is stored.'
    : 'The run has no print files yet.';
}

function isEnded(run: RunWithParts): boolean {
  return !isUnderWay(run) && !isUnstarted(run);
}

function fileName(number: number): string {
  return `print-${String(number).padStart(NAME_DIGITS, '0')}.pdf`;
}

/** Fetches files that are not there yet; a file has its name only once it is whole. */
async function fetchPrints(
  runs: Runs,
  runId: string,
  files: readonly RunPrint[],
  out: string,
): Promise<void> {
  makeFolder(out);
  for (const print of files) {
    const file = join(out, fileName(print.number));
    if (existsSync(file) && (await isWhole(file, print))) continue;
    const part = `${file}.part`;
    try {
      await runs.printIndexToFile(runId, print.number, file.replace(/\.pdf$/, '.ndjson'));
      await runs.printToFile(runId, print.number, part);
      if (!(await isWhole(part, print))) throw new CommandFailed(damaged(print));
      renameSync(part, file);
    } finally {
      rmSync(part, { force: true });
    }
  }
}

function damaged({ number, bytes }: RunPrint): string {
  return `print file ${number} does not have its ${counted(bytes, 'byte')} and digest: run again`;
}

async function isWhole(file: string, { bytes, sha256 }: RunPrint): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  await pipeline(createReadStream(file), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      hash.update(piece);
      length += piece.length;
    }
  });
  return length === bytes && (sha256 === null || hash.digest('hex') === sha256);
}
