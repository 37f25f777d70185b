import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';

import { HOME } from '../../lab/home.ts';
import { endWithBench, temporaryFolder } from '../../lab/process/interrupt.ts';
import { localSettings } from '../../lab/service/environment.ts';
import { startProcess } from '../../lab/service/process.ts';
import { median } from '../../lab/stats.ts';
import { setUpTemplate } from '../fixtures/note.ts';
import { buildJava } from './programs.ts';

/**
 * Receipts per second by wrk and by the Java client with as many threads, in turn, of one service:
 * `node test/clients/java-rate.ts --rounds 5 --seconds 6 --threads 64`. On a busy machine only the ratio
 * and the CPU of a document say something. `--java` adds an option of the JVM that prints nothing.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    threads: { type: 'string', default: '64' },
    java: { type: 'string', multiple: true, default: [] },
  },
});
const { seconds, threads, java } = values;

interface Template {
  readonly templateId: string;
  readonly name: string;
  readonly samples: readonly { readonly data: object }[];
}

const text = readFileSync(join(HOME, 'templates/receipt.json'), 'utf8');
// This is the shape of a template file.
const template = JSON.parse(text) as Template;
const [sample = { data: {} }] = template.samples;
const { path: folder, remove } = temporaryFolder('intaglio-java-rate-');
try {
  const place = join(folder, 'var');
  mkdirSync(place);
  const apiKey = await setUpTemplate(place, template, ['generate']);
  const env = { PATH: process.env['PATH'], ...localSettings(place), INTAGLIO_POOL_THREADS: '1' };
  const service = await startProcess({ env });
  const data = join(folder, 'data.json');
  writeFileSync(data, JSON.stringify(sample.data));
  const client = await startJava([service.url, apiKey, data, threads]);
  const byWrk = wrkOf(service.url, apiKey);
  // Both are warm, and so is the service.
  await byWrk();
  await client.round();
  const ratios: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const [wrk, own] = [await byWrk(), await client.round()];
    ratios.push(own / wrk);
    console.log(`round ${round}: wrk ${wrk.toFixed(0)}/s, Java ${own.toFixed(0)}/s`);
  }
  console.log(`Java / wrk: ${ratios.map((one) => one.toFixed(2)).join(' ')}`);
  console.log(`median ${median(ratios).toFixed(2)}`);
  client.end();
  await service.stop();
} finally {
  remove();
}

interface JavaClient {
  /** Resolves with the rate of a round. */
  readonly round: () => Promise<number>;
  readonly end: () => void;
}

async function startJava(args: readonly string[]): Promise<JavaClient> {
  const classPath = await buildJava(join(folder, 'built'));
  const words = [...java, '-cp', classPath, 'intaglio.client.Rate', ...args];
  const child = spawn('java', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  endWithBench(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const round = async (): Promise<number> => {
    child.stdin.write(`${seconds}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error('the Java client ended');
    const [rate = '', cpuMicros = ''] = line.value.split(' ');
    console.log(`CPU of Java: ${Number(cpuMicros).toFixed(0)} µs a document`);
    return Number(rate);
  };
  return { round, end: () => child.stdin.end() };
}

/** Returns what makes a round by wrk, with the same body, and returns its rate. */
function wrkOf(url: string, apiKey: string): () => Promise<number> {
  const body = JSON.stringify({ templateId: 'receipt', data: sample.data, mode: 'sync' });
  const file = join(folder, 'bodies.txt');
  writeFileSync(file, `${body}\n`);
  const options = ['-t1', `-c${threads}`, `-d${seconds}s`, '--timeout', '30s'];
  const script = join(HOME, 'lab/load/wrk.lua');
  const words = [...options, '-s', script, `${url}/v1/generate`, '--', file, apiKey];
  return async () => {
    const { stdout } = await promisify(execFile)('wrk', words);
    // The last line of wrk.lua is its figures.
    const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      readonly answers: number;
      readonly refused: number;
      readonly durationMs: number;
    };
    return ((figures.answers - figures.refused) / figures.durationMs) * 1_000;
  };
}
