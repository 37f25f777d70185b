import { succeed } from '../../errors.ts';
import { StorageUnavailable } from '../../store/store.ts';
import { jsonReply } from '../reply.ts';
import type { PublicRoute, Services } from '../route.ts';

/** GET /healthz: the process answers. GET /readyz: it can work. GET /metrics: its figures. */
export function healthRoutes(services: Services): readonly PublicRoute[] {
  return [
    {
      kind: 'public',
      method: 'GET',
      path: '/healthz',
      run: () => succeed(jsonReply(200, { status: 'ok' })),
    },
    {
      kind: 'public',
      method: 'GET',
      path: '/readyz',
      run: async () => {
        const status = await readiness(services);
        return succeed(jsonReply(status === 'ready' ? 200 : 503, { status }));
      },
    },
    {
      kind: 'public',
      method: 'GET',
      path: '/metrics',
      run: async () => {
        const { metrics } = services;
        const headers = { 'Content-Type': metrics.contentType };
        return succeed({ status: 200, headers, body: await metrics.text() });
      },
    },
  ];
}

async function readiness(services: Services): Promise<string> {
  if (services.isDraining()) return 'stopping';
  if (services.pool.stats().threads === 0) return 'no renderers';
  try {
    await services.store.probe();
  } catch (error) {
    if (error instanceof StorageUnavailable) return 'storage unavailable';
    throw error;
  }
  return 'ready';
}
