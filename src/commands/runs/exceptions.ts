import { type Command, Option } from 'commander';
import {
  type Intaglio,
  type RunException,
  type Runs,
  type RunWithParts,
  ServiceError,
} from '#client';
import { CORRECTION, type RowAddress } from '../../runtime/contract/correction.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { EXCEPTION_OUTCOMES, type ExceptionOutcome } from '../../store/runs/types.ts';
import { CommandFailed, UsageError } from '../console/failure.ts';
import { counted, show } from '../console/output.ts';
import { refusalOf } from '../console/service.ts';
import { writeErr, writeOut } from '../console/terminal.ts';
import { addService, type CallerOptions, firstOf, withClient } from './calling.ts';
import { advicesOf, type JsonOption, lineOf, showRun } from './show.ts';

/** Rows after which advice is given. */
const ADVISED = 200;
/** Most part numbers that the upload of a correction tries. */
const TRIES_MAX = 5;
/** Rows with one line number that are looked at: as many as parts of other files. */
const SAME_LINE_MAX = 100;

type Options = CallerOptions & JsonOption;

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
  await withClient(options, async ({ runs }) => {
    const { outcome } = options;
    const run = options.json === true ? null : await runs.get(runId);
    let count = 0;
    let recent: RunException[] = [];
    const advise = (): void => {
      if (run !== null) for (const advice of advicesOf(recent, run)) writeOut(`${advice}\n`);
      recent = [];
    };
    for await (const row of runs.exceptions(runId, { outcome })) {
      show(options.json, row, () => lineOf(row, run?.csv ?? null));
      count += 1;
      recent.push(row);
      if (recent.length === ADVISED) advise();
    }
    advise();
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
  await withClient(options, async (client) => {
    const row = await faultyRow(client.runs, runId, place);
    await refuseMisspelt(client, runId, row, Object.keys(changes));
    // An empty value is sent, too: it removes the value of the field.
    const data = { ...keptCells(row, changes), ...changes };
    await uploadCorrection(client.runs, runId, row, data);
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
  runs: Runs,
  runId: string,
  { part, line }: RowAddress,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const mark = { [CORRECTION.part]: part, [CORRECTION.line]: line };
  const text = `${JSON.stringify({ ...mark, ...data })}\n`;
  const rows = { format: 'ndjson', rows: text, firstLine: 1 } as const;
  let number = (await runs.get(runId)).lastPart + 1;
  for (let tries = 1; ; tries += 1) {
    try {
      await runs.putPart(runId, number, rows, { gzip: true });
      return;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const refused = new CommandFailed(`part ${number}: ${refusalOf(error)}`);
      if (error.code !== 'run_conflict' || tries >= TRIES_MAX) throw refused;
      const last = (await runs.get(runId)).lastPart;
      // The number is still free, so the refusal is the run's: it takes no rows now.
      if (last < number) throw refused;
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
  client: Intaglio,
  runId: string,
  { data, line }: RunException,
  names: readonly string[],
): Promise<void> {
  const columns = Object.keys(data ?? {});
  const strange = names.filter((name) => !columns.includes(name));
  if (strange.length === 0) return;
  const run = await client.runs.get(runId);
  const told = await fieldNames(client, run);
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

/** The names that rows of the run may have, or why the service does not tell them. */
async function fieldNames(
  client: Intaglio,
  { templateId, version, idField }: RunWithParts,
): Promise<readonly string[] | 'no scope' | 'no version'> {
  try {
    const { fields } = await client.fieldContract(templateId, { version });
    return [...fields.map(({ name }) => name), idField];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 403) return 'no scope';
    if (error.status === 404) return 'no version';
    throw new CommandFailed(`fields of ${templateId}: ${refusalOf(error)}`);
  }
}

/** Why the command cannot be sure that a name is wrong, and what would make it sure; '': it is. */
function doubtOf(
  told: Awaited<ReturnType<typeof fieldNames>>,
  { templateId, version }: RunWithParts,
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
  await withClient(options, async ({ runs }) => {
    const rows: RowAddress[] = [];
    for (const place of places) {
      const named = /^(\d+):(\d+)$/.exec(place);
      const { part, line } =
        named === null
          ? await faultyRow(runs, runId, place)
          : { part: Number(named[1]), line: Number(named[2]) };
      rows.push({ part, line });
    }
    const run = await runs.withdraw(runId, rows);
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
  { data, text, line }: RunException,
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
async function faultyRow(runs: Runs, runId: string, place: string): Promise<RunException> {
  const named = /^(?:([1-9]\d{0,5}):)?([1-9]\d{0,8})$/.exec(place);
  if (named === null) throw new UsageError(`${place}: expected LINE or PART:LINE`);
  const line = Number(named[2]);
  const rows = await firstOf(runs.exceptions(runId, { line }), SAME_LINE_MAX);
  const part = named[1] === undefined ? null : Number(named[1]);
  const found = rows.filter((row) => part === null || row.part === part);
  const [row] = found;
  if (row === undefined) throw new CommandFailed(`no invalid or failed row is on line ${place}`);
  if (found.length === 1) return row;
  const choices = found.map((one) => `${one.part}:${one.line}`).join(', ');
  throw new CommandFailed(`several parts have a faulty row on line ${line}: say one of ${choices}`);
}
