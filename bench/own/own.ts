import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { readInput, readTemplate } from '../../src/commands/engine.ts';
import { isObject } from '../../src/runtime/json-object.ts';
import { readConfig } from '../../src/settings/config.ts';
import { readWordsFile } from '../../src/start/renderers.ts';
import { cleanUpAtExit } from '../../lab/process/interrupt.ts';
import { busyWarning, describeMachine, type Machine } from '../../lab/machine.ts';
import { endSteps } from '../harness/progress.ts';
import { spread } from '../../lab/stats.ts';
import { bytesByKind } from './bytes.ts';
import { OwnFault } from './fault.ts';
import type { OwnFigures } from './figures.ts';
import { forecastsOf, withheldBy } from './forecast.ts';
import { keepWork, type Work } from './jobs.ts';
import { type OwnOptions, parseOwnOptions } from './options.ts';
import { cpuPerDocument, partsOf } from './parts.ts';
import { targetFault } from '../report/targets.ts';
import { writeText } from '../report/write.ts';
import { measurePublished, type Published } from './published.ts';
import type { Round } from './protocol.ts';
import { formatOwn, formatPublished } from './report.ts';
import { checkerOf, makeRows, readRows, type Rows } from './rows.ts';
import { refusal } from '../arguments.ts';
import { measureHttp, measureService } from './service.ts';
import { measureThreads } from './threads.ts';
import { type OwnPlan, takeTurns } from './turns.ts';

const DATA_BYTES_MAX = 256 * 1024 * 1024;
const FULL: OwnPlan = {
  rounds: 60,
  roundMs: 25,
  warmUpMs: 5_000,
  loadWarmUpMs: 16_000,
  loadMs: 500,
  loadRounds: 9,
};
const SMOKE: OwnPlan = {
  rounds: 4,
  roundMs: 20,
  warmUpMs: 50,
  loadWarmUpMs: 200,
  loadMs: 100,
  loadRounds: 1,
};

/** `./intaglio bench --template …`. Returns the exit code: 0; 1 when it failed; 2 for a wrong call. */
export async function benchOwn(argv: readonly string[]): Promise<number> {
  const options = parseOwnOptions(argv);
  if (typeof options === 'string') {
    process.stderr.write(refusal(options));
    return 2;
  }
  const fault = targetFault({ json: options.json });
  if (fault !== null) {
    process.stderr.write(`${fault}\n`);
    return 2;
  }
  cleanUpAtExit();
  const machine = describeMachine();
  const busy = busyWarning(machine.loadBefore);
  if (busy !== null) process.stderr.write(`${busy}\n`);
  try {
    const { url, key } = options;
    const { figures, text } =
      url === null || key === null
        ? await measureFile(options, machine)
        : await measureAt(options, { templateId: options.template, url, key });
    endSteps();
    const warning = busy === null ? '' : `\nBUSY: ${busy}.\n`;
    process.stdout.write(`${text}\n${warning}`);
    const report = { ...figures, machine };
    if (options.json !== null) writeText(options.json, `${JSON.stringify(report, null, 2)}\n`);
    return 0;
  } catch (error) {
    endSteps();
    if (!(error instanceof OwnFault || error instanceof CommandFailed)) throw error;
    process.stderr.write(`intaglio bench: ${error.message}\n`);
    return 1;
  }
}

async function measureFile(options: OwnOptions, machine: Machine) {
  const figures = await measureOwn(options);
  return { figures, text: formatOwn(figures, machine) };
}

async function measureAt({ data, ...options }: OwnOptions, published: Published) {
  const rows = data === null ? null : { text: readText(data), name: data };
  const figures = await measurePublished(published, rows, planOf(options));
  return { figures, text: formatPublished(figures) };
}

async function measureOwn(options: OwnOptions): Promise<OwnFigures> {
  const config = readConfig(process.env);
  const settings = { fontsDir: config.fontsDir, words: readWordsFile(config) };
  const { bytes: template, templateId } = readTemplate(options.template);
  const { check, fields } = await checkerOf(template, templateId, settings);
  const file: unknown = JSON.parse(new TextDecoder().decode(template));
  const { rows, origin }: Rows =
    options.data === null
      ? await makeRows(isObject(file) ? file : {}, fields, check)
      : await readRows(readText(options.data), options.data, check);
  const plan = planOf(options);
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-own-'));
  try {
    const work: Work = { template, templateId, rows };
    keepWork(work, folder);
    const { first, cold, plain, watched } = await takeTurns(folder, settings, plan);
    const bytes = await bytesByKind(readFileSync(join(folder, 'first.pdf')));
    const threads = await measureThreads(folder, settings, plan);
    const httpCpuMs = await measureHttp(settings, plan);
    const total = (of: (round: Round) => number) =>
      plain.reduce((sum, round) => sum + of(round), 0);
    const documents = total((round) => round.documents);
    const warmCpuMs = spread(plain.map(({ cpuMs, documents: count }) => cpuMs / count));
    const forecastWithheld = withheldBy(threads, warmCpuMs.median);
    const bytesEach = total((round) => round.bytes) / documents;
    return {
      schema: 1,
      template: options.template,
      data: origin,
      pages: total(({ pages }) => pages) / documents,
      first: { wallMs: first.wallMs, loadCpuMs: first.loadCpuMs, cpuMs: first.cpuMs },
      coldCpuMs: cpuPerDocument([cold]),
      warmCpuMs,
      rssMb: Math.max(...plain.map(({ rssMb }) => rssMb)),
      bytes,
      parts: partsOf(watched, plain, file),
      threads,
      httpCpuMs,
      forecasts: forecastWithheld === null ? forecastsOf(threads, httpCpuMs, bytesEach) : [],
      forecastWithheld,
      service: options.http ? await measureService(work, { folder, settings }, plan) : [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readText(path: string): string {
  return new TextDecoder().decode(readInput(path, DATA_BYTES_MAX));
}

function planOf({ smoke, rounds }: Pick<OwnOptions, 'smoke' | 'rounds'>): OwnPlan {
  const plan = smoke ? SMOKE : FULL;
  return { ...plan, rounds: rounds ?? plan.rounds };
}
