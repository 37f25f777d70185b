import { type Command, Option } from 'commander';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { CORRECTION, type RowAddress } from '../../runtime/contract/correction.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { EXCEPTION_OUTCOMES, type ExceptionOutcome } from '../../store/runs/types.ts';
import { CommandFailed, UsageError } from '../console/failure.ts';
import { counted, show } from '../console/output.ts';
import { writeErr, writeOut } from '../console/terminal.ts';
import { addService, withService } from './calling.ts';
import {
  type DescribedException,
  type DescribedRun,
  RunConflict,
  type RunsService,
  type ServiceOptions,
} from './service.ts';
import { advicesOf, type JsonOption, lineOf, showRun } from './show.ts';

const PAGE = 200;
/** Most part numbers that the upload of a correction tries. */
const TRIES_MAX = 5;

type Options = ServiceOptions & JsonOption;

/** Adds the commands for rows that need a person's eye. */
export function defineExceptions(command: Command): void {
  addService(command.command('exceptions <runId>').description('list faulty rows by their lines'))
    .addOption(
      new Option('--outcome <outcome>', 'default: invalid and failed').choices(EXCEPTION_OUTCOMES),
    )
    .action(list);
  addService(
    command
      .command('correct <runId> <line> <field=value...>')
      .description('correct one faulty row; the next start checks it'),
  ).action(correct);
  addService(
    command
      .command('withdraw <runId> <line...>')
      .description('take faulty rows out of the run; LINE or PART:LINE'),
  ).action(withdraw);
}

async function list(
  runId: string,
  options: Options & { readonly outcome?: ExceptionOutcome },
): Promise<void> {
  await withService(options, async (service) => {
    const { outcome } = options;
    const run = options.json === true ? null : await service.find(runId);
    let count = 0;
    for (let after: string | null = '0:0'; after !== null;) {
      const asked = { after, limit: PAGE, ...(outcome === undefined ? {} : { outcome }) };
      const page = await service.exceptions(runId, asked);
      for (const row of page.rows) show(options.json, row, () => lineOf(row));
      count += page.rows.length;
      after = page.next;
      if (run === null) continue;
      for (const advice of advicesOf(page.rows, run.csv)) writeOut(`${advice}\n`);
    }
    if (options.json !== true && count === 0) writeOut('no such rows\n');
  });
}

/** Uploads the row again with other values, as a correction of its line. */
async function correct(
  runId: string,
  place: string,
  assignments: readonly string[],
  options: Options,
): Promise<void> {
  const changes = Object.fromEntries(assignments.map(readAssignment));
  await withService(options, async (service) => {
    const row = await faultyRow(service, runId, place);
    await refuseMisspelt(service, runId, row, Object.keys(changes));
    // An empty value is sent, too: it removes the value of the field.
    const data = { ...keptCells(row, changes), ...changes };
    await uploadCorrection(service, runId, row, data);
    show(
      options.json,
      { part: row.part, line: row.line },
      () => `corrected; check it: ./intaglio runs start ${runId}`,
    );
  });
}

/**
 * Uploads the data as a part that corrects the row. If another upload took its number first, it is
 * sent again under the next one.
 */
async function uploadCorrection(
  service: RunsService,
  runId: string,
  { part, line }: RowAddress,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const mark = { [CORRECTION.part]: part, [CORRECTION.line]: line };
  const packed = gzipSync(`${JSON.stringify({ ...mark, ...data })}\n`);
  const digest = createHash('sha256').update(packed).digest('base64');
  const contentType = 'application/x-ndjson';
  let number = (await service.lastPart(runId)) + 1;
  for (let tries = 1; ; tries += 1) {
    try {
      await service.put(runId, { number, firstLine: 1, contentType }, packed, digest);
      return;
    } catch (error) {
      if (!(error instanceof RunConflict) || tries >= TRIES_MAX) throw error;
      const last = await service.lastPart(runId);
      // The number is still free, so the refusal is the run's: it takes no rows now.
      if (last < number) throw error;
      number = last + 1;
    }
  }
}

/**
 * Throws for a field that neither the template nor the row has: the service would not read it. With a
 * key that may not read the template, and for a version that was withdrawn, an unknown name is refused
 * only if it resembles a column. Any other gets a warning, because the template may have a field for
 * which the file has no column.
 */
async function refuseMisspelt(
  service: RunsService,
  runId: string,
  { data, line }: DescribedException,
  names: readonly string[],
): Promise<void> {
  const columns = Object.keys(data ?? {});
  const strange = names.filter((name) => !columns.includes(name));
  if (strange.length === 0) return;
  const run = await service.find(runId);
  const told = await service.fieldNames(run);
  const fields = typeof told === 'string' ? null : told;
  const known = [...new Set([...(fields ?? []), ...columns])];
  for (const name of strange) {
    if (fields?.includes(name) === true) continue;
    const where = fields === null ? `line ${line} has no column` : 'the template has no field';
    const near = suggestion(name, known);
    const message = `${where} ${JSON.stringify(name)}${near || `; there are ${known.join(', ')}`}`;
    if (fields === null && near === '') {
      writeErr(`intaglio: ${message}\n`);
      continue;
    }
    throw new UsageError(`${message} Nothing was corrected.${doubtOf(told, run)}`);
  }
}

/** Why the command cannot be sure that a name is wrong, and what would make it sure; '': it is. */
function doubtOf(
  told: Awaited<ReturnType<RunsService['fieldNames']>>,
  { templateId, version }: DescribedRun,
): string {
  if (told === 'no scope') return ' If not, use a key with the scope templates:read.';
  if (told !== 'no version') return '';
  const gone = `the service has no version ${version} any more`;
  return ` The fields of ${templateId} are not known: ${gone}.`;
}

function readAssignment(text: string): [string, string] {
  const separator = text.indexOf('=');
  if (separator < 1) throw new UsageError(`${text}: expected FIELD=VALUE`);
  return [text.slice(0, separator), text.slice(separator + 1)];
}

async function withdraw(runId: string, places: readonly string[], options: Options): Promise<void> {
  await withService(options, async (service) => {
    const rows: RowAddress[] = [];
    for (const place of places) {
      const named = /^(\d+):(\d+)$/.exec(place);
      const { part, line } =
        named === null
          ? await faultyRow(service, runId, place)
          : { part: Number(named[1]), line: Number(named[2]) };
      rows.push({ part, line });
    }
    const run = await service.act(runId, 'withdraw', { rows });
    if (options.json !== true) writeOut(`${counted(rows.length, 'row')} withdrawn\n`);
    showRun(run, options);
  });
}

/**
 * The cells of a row that its correction keeps. If the cells do not fit the columns, each may be in
 * the wrong one (an unquoted 12,50 makes 12 and 50), so none is kept. Throws unless `changes` then
 * names all columns.
 */
function keptCells(
  { data, text, line }: DescribedException,
  changes: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (data === null || text === '') return data ?? {};
  const missing = Object.keys(data).filter((name) => !Object.hasOwn(changes, name));
  if (missing.length === 0) return {};
  const wanted = missing.map((name) => `${name}=…`).join(' ');
  throw new UsageError(
    `the cells of line ${line} do not fit its columns: say what each holds, also ${wanted} (${text})`,
  );
}

/** The invalid or failed row at LINE or PART:LINE. */
async function faultyRow(
  service: RunsService,
  runId: string,
  place: string,
): Promise<DescribedException> {
  const named = /^(?:([1-9]\d{0,5}):)?([1-9]\d{0,8})$/.exec(place);
  if (named === null) throw new UsageError(`${place}: expected LINE or PART:LINE`);
  const line = Number(named[2]);
  const { rows } = await service.exceptions(runId, { line });
  const part = named[1] === undefined ? null : Number(named[1]);
  const found = rows.filter((row) => part === null || row.part === part);
  const [row] = found;
  if (row === undefined) throw new CommandFailed(`no invalid or failed row is on line ${place}`);
  if (found.length === 1) return row;
  const choices = found.map((one) => `${one.part}:${one.line}`).join(', ');
  throw new CommandFailed(`several parts have a faulty row on line ${line}: say one of ${choices}`);
}
