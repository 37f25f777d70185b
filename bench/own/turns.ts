import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { EngineSettings } from '#engine';
import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { step } from '../harness/progress.ts';
import type { FirstDocument, Reply, Round, RoundRequest, SubjectArguments } from './protocol.ts';
import { OwnFault } from './fault.ts';

const SCRIPT = join(import.meta.dirname, 'subject.ts');
const REPLY_TIMEOUT_MS = 300_000;
/** Documents after the first one that count as cold. */
const COLD_DOCUMENTS = 50;
const DOCUMENTS_MAX = 20_000;

/** How much is measured. */
export interface OwnPlan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** CPU time for warming up a pool or a service, because V8 optimizes code over many documents. */
  readonly loadWarmUpMs: number;
  /** Of each measurement of a pool or service. */
  readonly loadMs: number;
  readonly loadRounds: number;
}

export interface Turns {
  readonly first: FirstDocument;
  readonly cold: Round;
  readonly plain: readonly Round[];
  readonly watched: readonly Round[];
}

/** Has two processes, one with a stopwatch, draw the same documents in turns. */
export async function takeTurns(
  folder: string,
  settings: Partial<EngineSettings>,
  plan: OwnPlan,
): Promise<Turns> {
  step('first documents');
  const plain = await Subject.start({ folder, settings, hasStopwatch: false });
  try {
    const cold = await plain.round({ documents: COLD_DOCUMENTS });
    const watched = await Subject.start({ folder, settings, hasStopwatch: true });
    try {
      return { first: plain.first, cold, ...(await alternate(plain, watched, plan)) };
    } finally {
      await watched.stop();
    }
  } finally {
    await plain.stop();
  }
}

async function alternate(
  plain: Subject,
  watched: Subject,
  plan: OwnPlan,
): Promise<Pick<Turns, 'plain' | 'watched'>> {
  step('warm up');
  const documents = await warmUp(plain, plan);
  await warmUp(watched, plan);
  const rounds = { plain: [] as Round[], watched: [] as Round[] };
  for (let index = 0; index < plan.rounds; index++) {
    step(`round ${index + 1} of ${plan.rounds}`);
    // The order alternates, so that a machine that slows down favours neither.
    if (index % 2 === 0) rounds.plain.push(await plain.round({ documents }));
    rounds.watched.push(await watched.round({ documents }));
    if (index % 2 === 1) rounds.plain.push(await plain.round({ documents }));
  }
  return rounds;
}

/** Draws until the time is over; returns how many documents make a round. */
async function warmUp(subject: Subject, { warmUpMs, roundMs }: OwnPlan): Promise<number> {
  let warmedMs = 0;
  let documents = 1;
  do {
    const { cpuMs } = await subject.round({ documents });
    warmedMs += cpuMs;
    const fitting = Math.ceil((roundMs * documents) / Math.max(cpuMs, 0.01));
    documents = Math.max(1, Math.min(DOCUMENTS_MAX, documents * 4, fitting));
  } while (warmedMs < warmUpMs);
  return documents;
}

/** A process that draws documents. */
class Subject {
  readonly first: FirstDocument;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, first: FirstDocument) {
    this.#child = child;
    this.first = first;
  }

  static async start(given: SubjectArguments): Promise<Subject> {
    const child = fork(SCRIPT, [JSON.stringify(given)], { execArgv: SERVICE_FLAGS });
    try {
      const reply = await nextReply(child);
      if (reply.kind !== 'first') throw new Error('a process begins with its first document');
      return new Subject(child, reply);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async round(request: RoundRequest): Promise<Round> {
    const answer = nextReply(this.#child);
    this.#child.send(request);
    const reply = await answer;
    if (reply.kind !== 'round') throw new Error('a request is answered by a round');
    return reply;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }
}

/** The next message; throws when the process fails, ends or takes too long. */
function nextReply(child: ChildProcess): Promise<Exclude<Reply, { kind: 'failed' }>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle(() => reject(new OwnFault('drawing takes longer than five minutes')));
    }, REPLY_TIMEOUT_MS);
    const onMessage = (message: unknown): void => {
      // subject.ts sends nothing else.
      const reply = message as Reply;
      if (reply.kind === 'failed') settle(() => reject(new OwnFault(reply.message)));
      else settle(() => resolve(reply));
    };
    const onExit = (): void => settle(() => reject(new Error('a measured process ended')));
    function settle(then: () => void): void {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      then();
    }
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
