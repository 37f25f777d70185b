import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { ratioSpread, spread } from '../../lab/stats.ts';
import { checkPdf } from '../harness/check.ts';
import { npmCommand, npmEnvironment } from '../../lab/process/npm.ts';
import { step } from '../harness/progress.ts';
import { preparePeer } from '../peers/list.ts';
import type { NamedTable } from '../report/report.ts';
import { figure, range } from '../report/table.ts';
import { invoice, stringsOf } from './document.ts';
import { RENDERER_NAMES, type RendererName } from './renderers.ts';
import { TYPST } from './typst.ts';
import type { InvoiceReply, InvoiceRequest } from './subject.ts';

const LIBRARIES = join(import.meta.dirname, 'libraries');
const INSTALL_TIMEOUT_MS = 180_000;
const REPLY_TIMEOUT_MS = 300_000;
const FULL = { rounds: 7, warmUpMs: 2_500, roundMs: 300 };
const SMOKE = { rounds: 1, warmUpMs: 1, roundMs: 1 };

interface Lane {
  readonly name: RendererName;
  readonly child: ChildProcess;
  readonly cpuMs: number[];
  count: number;
  bytes: number;
}

export interface InvoiceOptions {
  readonly rounds: number | null;
  readonly smoke: boolean;
  readonly install: boolean;
  readonly peers: readonly string[];
}

/** Shape D by the engine and by other libraries, in turns. */
export async function measureInvoices(
  options: InvoiceOptions,
  note: (text: string) => void,
): Promise<NamedTable> {
  const { warmUpMs, roundMs, rounds: most } = options.smoke ? SMOKE : FULL;
  const hasPeers = options.peers.length > 0;
  const hasLibraries = hasPeers && ready(options.install);
  const hasTypst = hasPeers && readyTypst(options.install, note);
  const names = RENDERER_NAMES.filter((name) => {
    if (name === 'intaglio') return true;
    return name === 'typst' ? hasTypst : hasLibraries;
  });
  const { path: folder, remove } = temporaryFolder('intaglio-invoice-');
  const lanes: Lane[] = [];
  let seed = 0;
  const draw = async (lane: Lane, keep: string | null = null): Promise<InvoiceReply> => {
    const first = seed;
    seed += lane.count;
    return ask(lane.child, { first, count: lane.count, keep });
  };
  try {
    for (const name of names) lanes.push(await start(name));
    for (const lane of lanes) {
      step(`D: warm up ${lane.name}`);
      for (let warmedMs = 0; warmedMs < warmUpMs;) {
        const { cpuMs } = await draw(lane);
        warmedMs += cpuMs * lane.count;
        lane.count = Math.max(1, Math.min(lane.count * 3, Math.ceil(roundMs / cpuMs)));
      }
    }
    const rounds = options.rounds ?? most;
    for (let round = 0; round < rounds; round++) {
      step(`D: round ${round + 1} of ${rounds}`);
      for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
        const { cpuMs, bytes } = await draw(lane);
        lane.cpuMs.push(cpuMs);
        lane.bytes = bytes;
      }
    }
    const rows: string[][] = [];
    for (const lane of lanes) rows.push(await describe(lane, lanes[0] ?? lane, folder));
    const title = 'D: a Latin invoice of one page, ten lines, embedded TrueType font, no picture';
    const head = ['library', 'CPU ms', '×', 'bytes', 'texts found'];
    return { name: 'invoice', title, head, rows };
  } finally {
    await Promise.all(lanes.map(({ child }) => stop(child)));
    remove();
  }
}

/** The row of a library, with a check of one more invoice. */
async function describe(lane: Lane, base: Lane, folder: string): Promise<string[]> {
  const keep = join(folder, `${lane.name}.pdf`);
  const first = 1_000_000;
  await ask(lane.child, { first, count: 1, keep });
  const strings = stringsOf(invoice(first));
  const { stringsFound } = await checkPdf(keep, strings);
  return [
    lane.name,
    range(spread(lane.cpuMs)),
    figure(ratioSpread(lane.cpuMs, base.cpuMs).median),
    lane.bytes.toLocaleString('en-US'),
    stringsFound === null ? '–' : `${stringsFound}/${strings.length}`,
  ];
}

/** Whether the packages of the libraries are there, after installing them where that is allowed. */
function ready(install: boolean): boolean {
  if (existsSync(join(LIBRARIES, 'node_modules'))) return true;
  if (!install) return false;
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional'];
  execFileSync(npmCommand(), options, {
    cwd: LIBRARIES,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
    env: npmEnvironment(),
  });
  return true;
}

/** Whether Typst can take part, whose packages lie in the folder of the peer; if not, it is noted. */
function readyTypst(install: boolean, note: (text: string) => void): boolean {
  const fault = TYPST === undefined ? 'it is no peer' : preparePeer(TYPST, install);
  if (fault !== null) note(`left out of shape D: typst (${fault})`);
  return fault === null;
}

async function start(name: RendererName): Promise<Lane> {
  const child = fork(join(import.meta.dirname, 'subject.ts'), [name], { execArgv: SERVICE_FLAGS });
  await nextMessage(child);
  return { name, child, cpuMs: [], count: 1, bytes: 0 };
}

async function ask(child: ChildProcess, request: InvoiceRequest): Promise<InvoiceReply> {
  const answer = nextMessage(child);
  child.send(request);
  // subject.ts answers with nothing else.
  return (await answer) as InvoiceReply;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error('a library failed: its error is above'));
  child.once('exit', end);
  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)]);
    const [message] = (await once(child, 'message', { signal })) as [unknown];
    return message;
  } finally {
    child.off('exit', end);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  await ended;
}
