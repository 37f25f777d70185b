import type { Health, Readiness } from '../../api/health.ts';
import { succeed } from '../../errors.ts';
import { isDroppingLog } from '../../log/log.ts';
import { StorageUnavailable } from '../../store/store.ts';
import { within } from '../../runtime/within.ts';
import { descriptorsAreScarce } from '../descriptors.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import { type PublicRoute, type Services, undescribedRoute } from '../route.ts';

/** GET /healthz: the process is alive. GET /readyz: it can serve. GET /metrics: its figures. */
export function healthRoutes(services: Services): readonly PublicRoute[] {
  const { installation } = services.options;
  return [
    undescribedRoute({
      method: 'GET',
      path: '/healthz',
      run: () => succeed(jsonReply<Health>(200, { status: 'ok', installation })),
    }),
    undescribedRoute({
      method: 'GET',
      path: '/readyz',
      run: async (): PendingReply<Readiness> => {
        const found = await readiness(services);
        const warned = warnings(services);
        const told = warned.length > 0 ? { ...found, warnings: warned } : found;
        return succeed(jsonReply(found.status === 'ready' ? 200 : 503, told));
      },
    }),
    undescribedRoute({
      method: 'GET',
      path: '/metrics',
      run: async () => {
        const { metrics } = services;
        const headers = { 'Content-Type': metrics.contentType };
        return succeed({ status: 200, headers, body: await metrics.text() });
      },
    }),
  ];
}

/** Longest wait of /readyz for a store that does not answer. */
const PROBE_MS_MAX = 1_000;

/** Limit of the damaged runs that a warning names. */
const RUNS_NAMED_MAX = 10;

async function readiness(services: Services): Promise<Readiness> {
  if (services.isDraining()) return { status: 'stopping' };
  if (services.pool.stats().threads === 0) return { status: 'no renderers' };
  try {
    return await within(
      services.store.probe().then((): Readiness => ({ status: 'ready' })),
      PROBE_MS_MAX,
      () => ({ status: 'storage unavailable', reason: 'no answer within a second' }),
    );
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    return { status: 'storage unavailable', reason: error.message };
  }
}

/** Conditions that an operator should look at, although the service can still work. */
function warnings({ store, runs, isCertificateCurrent }: Services): string[] {
  const found: string[] = [];
  if (!isCertificateCurrent()) {
    found.push(
      'the new certificate is not used and the former one stays in use: the log line' +
        ' "new certificate not used" says why',
    );
  }
  if (runs?.queueFigures()?.isUp === false) {
    found.push('the queue of runs (INTAGLIO_QUEUE_URL) is down: the database hands their work out');
  }
  if (store.figures().isClockDoubted) {
    found.push('the wall clock was set: nothing expires by it until it has stood for an hour');
  }
  const { missingKeys } = store.figures();
  if (missingKeys.length > 0) {
    found.push(
      `files encrypted under ${missingKeys.join(', ')} cannot be read: list these keys again` +
        ' (./intaglio encryption status)',
    );
  }
  const { damagedTables, damagedRuns, fileWarnings } = store.figures();
  found.push(...fileWarnings);
  if (damagedTables.length > 0) {
    found.push(
      `rows of ${damagedTables.join(', ')} are damaged in the SQLite file: ./intaglio scrub names` +
        ' them; restore the database from a backup',
    );
  }
  if (damagedRuns.length > 0) {
    const named = damagedRuns.slice(0, RUNS_NAMED_MAX).join(', ');
    found.push(
      `print files or uploaded rows are damaged or missing in ${damagedRuns.length} runs (${named}):` +
        ' ./intaglio scrub names them',
    );
  }
  if (isDroppingLog()) found.push('log lines are dropped: nobody reads the log');
  if (descriptorsAreScarce()) found.push('file descriptors are nearly used up');
  return found;
}
