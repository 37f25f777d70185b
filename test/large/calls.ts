import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** What one caller's calls of POST /v1/generate took. */
export interface Calls {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
  /** Statuses but 200, with their number. */
  readonly others: ReadonlyMap<number, number>;
}

/** One call, for whoever asks where its time went. */
export interface CallTiming {
  readonly tookMs: number;
  /** How much later than due it was sent. */
  readonly lateMs: number;
  /** The header of that name; empty: the answer had none. */
  readonly serverTiming: string;
}

const RETRY_AFTER_MS = 60_000;

/**
 * Calls sync generate at a steady rate, whatever the answers, until `isOver` or for `ms`. A call that
 * waits for the one before it counts from when it was due.
 */
export async function callSteadily(
  url: string,
  apiKey: string,
  {
    perSecond,
    ms,
    isOver = () => false,
    onAnswer,
  }: {
    readonly perSecond: number;
    readonly ms: number;
    readonly isOver?: () => boolean;
    /** Called for each answer. */
    readonly onAnswer?: (timing: CallTiming) => void;
  },
): Promise<Calls> {
  const agent = new Agent({ connections: 32, headersTimeout: RETRY_AFTER_MS });
  const tookMs: number[] = [];
  const others = new Map<number, number>();
  const body = JSON.stringify({ templateId: 'note', mode: 'sync', data: { text: 'steady' } });
  const call = async (dueMs: number): Promise<void> => {
    const sentMs = performance.now();
    const answer = await request(`${url}/v1/generate`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    const endMs = performance.now();
    tookMs.push(endMs - dueMs);
    const { statusCode: status } = answer;
    const serverTiming = String(answer.headers['server-timing'] ?? '');
    onAnswer?.({ tookMs: endMs - dueMs, lateMs: sentMs - dueMs, serverTiming });
    if (status !== 200) others.set(status, (others.get(status) ?? 0) + 1);
  };
  const startMs = performance.now();
  const calls: Promise<void>[] = [];
  for (let count = 0; !isOver(); count += 1) {
    const dueMs = startMs + (count * 1_000) / perSecond;
    if (dueMs - startMs > ms) break;
    await pause(Math.max(0, dueMs - performance.now()));
    calls.push(call(dueMs));
  }
  await Promise.all(calls);
  await agent.close();
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), count: sorted.length, others };
}

export function describeCalls({ p50Ms, p99Ms, count, others }: Calls): string {
  const refused = [...others].map(([status, times]) => `${times} × ${status}`).join(', ');
  const line = `${count} calls, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`;
  return refused === '' ? line : `${line}, ${refused}`;
}
