import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';

import { HOME } from '../../lab/home.ts';
import { processCpuMs } from '../../lab/process/cpu.ts';
import { endWithBench, temporaryFolder } from '../../lab/process/interrupt.ts';
import { pinned } from '../../lab/process/pin.ts';
import { localSettings } from '../../lab/service/environment.ts';
import { startProcess } from '../../lab/service/process.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import { spread } from '../../lab/stats.ts';
import { setUpTemplate } from '../fixtures/note.ts';
import { buildJava } from './programs.ts';

/**
 * Documents per second by wrk and by the Java client with as many threads, in turns, of one service:
 * `node test/clients/java-rate.ts --rounds 5 --seconds 6 --threads 64`, first a receipt, then a
 * statement of 2,000 rows, whose making costs more. `--pin` keeps the service on core 0, and wrk and
 * Java on core 1: otherwise they take CPU that the service needs, and the ratio tells how much each
 * of them takes. `--only receipt` leaves the other out. On a busy machine only the CPU of a document
 * says something. `--java` adds an option of the JVM that prints nothing.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    threads: { type: 'string', default: '64' },
    java: { type: 'string', multiple: true, default: [] },
    pin: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const { seconds, threads, java } = values;
const [serviceCore, generatorCore] = values.pin ? [0, 1] : [null, null];

interface Subject {
  readonly name: string;
  readonly template: { readonly templateId: string; readonly name: string };
  readonly data: unknown;
}

/** What a generator did in its turn. */
interface Turn {
  readonly documents: number;
  readonly ms: number;
  readonly generatorCpuMs: number;
}

type Generator = () => Promise<Turn>;

/** Figures of a turn, CPU in µs per document and in percent of one core. */
interface Figures {
  readonly rate: number;
  readonly serviceMicros: number;
  readonly generatorMicros: number;
  readonly serviceShare: number;
  readonly generatorShare: number;
}

const { path: folder, remove } = temporaryFolder('intaglio-java-rate-');
try {
  const classPath = await buildJava(join(folder, 'built'));
  for (const subject of [receipt(), statement()]) {
    if (values.only === undefined || values.only === subject.name)
      await measure(subject, classPath);
  }
} finally {
  remove();
}

function receipt(): Subject {
  const text = readFileSync(join(HOME, 'templates/receipt.json'), 'utf8');
  // This is the shape of a template file.
  const template = JSON.parse(text) as Subject['template'] & {
    readonly samples: readonly { readonly data: object }[];
  };
  return { name: 'receipt', template, data: template.samples[0]?.data };
}

function statement(): Subject {
  const { template, document } = SHAPES.B;
  // Each shape has an identifier and a name.
  const named = template as unknown as Subject['template'];
  return { name: 'statement', template: named, data: document(1, { cold: false }).data };
}

async function measure({ name, template, data }: Subject, classPath: string): Promise<void> {
  const place = join(folder, name);
  mkdirSync(place);
  const apiKey = await setUpTemplate(place, template, ['generate']);
  const env = { PATH: process.env['PATH'], ...localSettings(place), INTAGLIO_POOL_THREADS: '1' };
  const service = await startProcess({ env, core: serviceCore });
  const file = join(place, 'data.json');
  writeFileSync(file, JSON.stringify(data));
  const words = [service.url, apiKey, template.templateId, file, threads];
  const client = startJava(classPath, words);
  const body = JSON.stringify({ templateId: template.templateId, data, mode: 'sync' });
  writeFileSync(join(place, 'bodies.txt'), `${body}\n`);
  const generators = {
    wrk: wrkOf(join(place, 'bodies.txt'), service.url, apiKey),
    Java: client.turn,
  };
  const turns = { wrk: [] as Figures[], Java: [] as Figures[] };
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const order = round % 2 === 0 ? (['wrk', 'Java'] as const) : (['Java', 'wrk'] as const);
    for (const each of order) {
      const figures = await figuresOf(generators[each], service.pid);
      // In round 0 the service, its renderer and the JVM become warm.
      if (round > 0) turns[each].push(figures);
    }
  }
  client.end();
  await service.stop();
  report(name, turns);
}

async function figuresOf(generator: Generator, servicePid: number): Promise<Figures> {
  const before = processCpuMs(servicePid);
  const { documents, ms, generatorCpuMs } = await generator();
  const serviceCpuMs = processCpuMs(servicePid) - before;
  return {
    rate: (documents / ms) * 1_000,
    serviceMicros: (serviceCpuMs / documents) * 1_000,
    generatorMicros: (generatorCpuMs / documents) * 1_000,
    serviceShare: (serviceCpuMs / ms) * 100,
    generatorShare: (generatorCpuMs / ms) * 100,
  };
}

function report(name: string, turns: Readonly<Record<'wrk' | 'Java', readonly Figures[]>>): void {
  const where = values.pin ? 'service on core 0, generator on core 1' : 'no core of their own';
  console.log(`${name}, ${threads} connections, ${where}; median (min to max)`);
  for (const [who, figures] of Object.entries(turns)) {
    const of = (key: keyof Figures): string => shown(figures.map((one) => one[key]));
    console.log(`  ${who}: ${of('rate')} documents/s`);
    console.log(`    CPU of a document: ${who} ${of('generatorMicros')} µs`);
    console.log(`                       service ${of('serviceMicros')} µs`);
    console.log(`    of a core: ${who} ${of('generatorShare')} %, service ${of('serviceShare')} %`);
  }
  const ratios = turns.Java.map(({ rate }, round) => rate / (turns.wrk[round]?.rate ?? Number.NaN));
  console.log(`  Java / wrk: ${shown(ratios, 2)}`);
  console.log(`  limit: ${limitOf(turns.Java)}`);
}

function shown(figures: readonly number[], digits = 0): string {
  const { min, median, max } = spread(figures);
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}

/** Which of the two had no more CPU to use in Java's turns. */
function limitOf(figures: readonly Figures[]): string {
  const service = spread(figures.map((one) => one.serviceShare)).median;
  const client = spread(figures.map((one) => one.generatorShare)).median;
  if (!values.pin) {
    return service + client > 180
      ? 'the two cores, which the service and the client share'
      : 'other programs take a part of the cores: compare the CPU of a document';
  }
  if (service > 90) return 'the core of the service';
  if (client > 90) return 'the core of the client';
  return 'other programs take a part of both cores: compare the CPU of a document';
}

/** Starts a JVM that stays warm between its turns. */
function startJava(
  classPath: string,
  args: readonly string[],
): { readonly turn: Generator; readonly end: () => void } {
  const words = ['java', ...java, '-cp', classPath, 'intaglio.client.Rate', ...args] as const;
  const [file, ...rest] = pinned(words, generatorCore);
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  endWithBench(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const turn = async (): Promise<Turn> => {
    child.stdin.write(`${seconds}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error('the Java client ended');
    const [documents = 0, ms = 0, generatorCpuMs = 0] = line.value.split(' ').map(Number);
    return { documents, ms, generatorCpuMs };
  };
  return { turn, end: () => child.stdin.end() };
}

/** A turn of wrk with the same body. */
function wrkOf(bodies: string, url: string, apiKey: string): Generator {
  const options = ['-t1', `-c${threads}`, `-d${seconds}s`, '--timeout', '30s'];
  const script = join(HOME, 'lab/load/wrk.lua');
  const words = [
    'wrk',
    ...options,
    '-s',
    script,
    `${url}/v1/generate`,
    '--',
    bodies,
    apiKey,
  ] as const;
  const [file, ...rest] = pinned(words, generatorCore);
  return async () => {
    const before = endedCpuMs();
    const { stdout } = await promisify(execFile)(file, rest);
    // The last line of wrk.lua is its figures.
    const { answers, refused, durationMs } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      readonly answers: number;
      readonly refused: number;
      readonly durationMs: number;
    };
    return { documents: answers - refused, ms: durationMs, generatorCpuMs: endedCpuMs() - before };
  };
}

/** CPU of the processes that this one started and that have ended. */
function endedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return processCpuMs(process.pid) - (user + system) / 1_000;
}
