import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { refuseAccess } from '../../callers/auth.ts';
import type { RunRecord, RunState } from '../../../store/runs/types.ts';
import type { Operation } from '../../openapi/operation.ts';
import { RUN_ID_PARAMETER } from './parameters.ts';
import * as docs from '../../../api/runs.ts';
import type { Exchange } from '../../exchange.ts';
import type { PlainReply } from '../../reply/reply.ts';
import type { Principal } from '../../types.ts';
import { describedRoute, type GuardedCall, type GuardedRoute, type Services } from '../../route.ts';
import { describeNow, READS, withRun } from './run-call.ts';

/** Limits of the listeners of an instance and of a caller. */
const LISTENERS_MAX = 200;
const LISTENERS_PER_CALLER_MAX = 10;
/**
 * How often a run is read for its listeners, and each listener's caller looked up. With the cache of
 * keys (3 s), an ended key, session, role or team listens for less than 5 s longer.
 */
const LOOK_MS = 1_000;
/** A comment is sent after this long without an event, because proxies close silent connections. */
const HEARTBEAT_MS = 15_000;
/** A listener must reconnect after this long, so that instances share listeners anew. */
const LISTEN_MS_MAX = 3_600_000;
const RETRY_MS = 2_000;

const FOLLOWED: ReadonlySet<RunState> = new Set(['checking', 'running', 'paused']);

const FOLLOW_RUN = {
  operationId: 'followRun',
  summary: 'The progress of a run as server-sent events, to its end',
  note:
    'Events `progress`, and last `end`; the data of each is the run. At most 10 listeners a caller, ' +
    'each for an hour.',
  parameters: [RUN_ID_PARAMETER],
  replies: {
    200: {
      description: 'Events.',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example: `event: end\ndata: ${JSON.stringify(docs.EXAMPLE)}\n\n`,
        },
      },
    },
  },
  errors: ['not_found', 'rate_limited', 'overloaded'],
} satisfies Operation;

/**
 * GET /v1/runs/:id/events: the progress of a run as server-sent events (HTML Living Standard §9.2).
 * `progress` holds the run as GET /v1/runs/:id describes it, whenever that has changed; `end` is
 * the last one, sent when the run is no longer being checked, rendered or paused.
 */
export function runEventsRoute(services: Services): GuardedRoute {
  const listeners = new Listeners();
  return describedRoute({
    method: 'GET',
    path: '/v1/runs/:id/events',
    access: READS,
    operation: FOLLOW_RUN,
    counted: 'runs',
    bodyBytesMax: 0,
    run: (call) => withRun(services, call, (run) => listen(services, call, run, listeners)),
  });
}

const TOO_MANY =
  'Too many listeners follow runs: end one of yours, or retry later; GET /v1/runs/{id} has the state.';

/** Counts the current listeners by caller. */
class Listeners {
  readonly #counts = new Map<string, number>();
  #all = 0;

  hasRoom(caller: string): boolean {
    const own = this.#counts.get(caller) ?? 0;
    return this.#all < LISTENERS_MAX && own < LISTENERS_PER_CALLER_MAX;
  }

  add(caller: string): void {
    this.#all += 1;
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
  }

  remove(caller: string): void {
    this.#all -= 1;
    const left = (this.#counts.get(caller) ?? 0) - 1;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
  }
}

async function listen(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  listeners: Listeners,
): Promise<Outcome<PlainReply>> {
  const { id } = call.principal;
  if (!listeners.hasRoom(id)) return fail('overloaded', TOO_MANY);
  const headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Otherwise nginx would buffer the events.
    'X-Accel-Buffering': 'no',
  };
  return succeed({ status: 200, headers, body: events(services, call, run, listeners) });
}

async function* events(
  services: Services,
  { exchange, principal }: GuardedCall,
  { teamId, runId }: RunRecord,
  listeners: Listeners,
): AsyncGenerator<Uint8Array> {
  const isOver = (): boolean => exchange.gone || services.isDraining();
  const endMs = performance.now() + LISTEN_MS_MAX;
  let last = '';
  let sentMs = 0;
  listeners.add(principal.id);
  try {
    yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
    while (!isOver() && performance.now() < endMs) {
      if (!(await mayListen(services, exchange, principal))) return;
      const found = await services.store.runs.find(teamId, runId);
      if (!found.found) return;
      const isEnd = !FOLLOWED.has(found.value.state);
      const data = JSON.stringify(await describeNow(services, found.value));
      if (isEnd || data !== last) {
        yield Buffer.from(`event: ${isEnd ? 'end' : 'progress'}\ndata: ${data}\n\n`);
        sentMs = performance.now();
      } else if (performance.now() - sentMs >= HEARTBEAT_MS) {
        yield Buffer.from(': no change\n\n');
        sentMs = performance.now();
      }
      if (isEnd) return;
      last = data;
      await pause(LOOK_MS);
    }
  } finally {
    listeners.remove(principal.id);
  }
}

/** Whether the caller of the request is still the same one and may read runs of that team. */
async function mayListen(
  services: Services,
  { headers }: Exchange,
  principal: Principal,
): Promise<boolean> {
  const now = await services.identify(headers);
  if (now === null || now.id !== principal.id || now.teamId !== principal.teamId) return false;
  return refuseAccess(now, READS) === null;
}
