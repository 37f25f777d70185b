import { callSteadily, type Calls, type CallTiming } from '../large/calls.ts';
import type { ServiceProcess } from '../large/service-process.ts';

/** The slowest calls of which the stages are told: those at the p99 and a few around it. */
const SLOWEST_SHARE = 0.03;
const RENDERING = ['contract', 'template', 'layout', 'pdf', 'post'];

/** Calls steadily, and tells what used the CPU meanwhile, in seconds, and where calls waited. */
export async function callAndTell(
  service: ServiceProcess,
  apiKey: string,
  load: { readonly perSecond: number; readonly ms: number },
): Promise<{ calls: Calls; used: string }> {
  const timings: CallTiming[] = [];
  const [all, main] = [await service.cpuSeconds(), await service.mainSeconds()];
  const before = process.cpuUsage();
  const onAnswer = (timing: CallTiming): void => {
    timings.push(timing);
  };
  const calls = await callSteadily(service.url, apiKey, { ...load, onAnswer });
  const { user, system } = process.cpuUsage(before);
  const allUsed = (await service.cpuSeconds()) - all;
  const mainUsed = (await service.mainSeconds()) - main;
  const used =
    `CPU ${allUsed.toFixed(1)} s, of the main thread ${mainUsed.toFixed(1)},` +
    ` of this program ${((user + system) / 1e6).toFixed(1)}; slowest: ${tellWhere(timings)}`;
  return { calls, used };
}

/**
 * Tells where the slowest calls spent their time, in ms on average. `late`: before they were sent, in
 * the program that measures; `outside`: beyond the time that the service counts from the head of the
 * request to its answer, mostly turns of the main thread that came first; `rest`: other waits of the
 * service between these two.
 */
function tellWhere(timings: readonly CallTiming[]): string {
  const slowest = timings
    .toSorted((a, b) => b.tookMs - a.tookMs)
    .slice(0, Math.max(1, Math.ceil(timings.length * SLOWEST_SHARE)));
  const sums = new Map<string, number>();
  const add = (name: string, ms: number): void => {
    sums.set(name, (sums.get(name) ?? 0) + ms);
  };
  for (const { tookMs, lateMs, serverTiming } of slowest) {
    const stages = stagesOf(serverTiming);
    const of = (name: string): number => stages.get(name) ?? 0;
    const renderMs = RENDERING.reduce((sum, name) => sum + of(name), 0);
    add('late', lateMs);
    add('outside', tookMs - lateMs - of('total'));
    add('queue', of('queue'));
    add('render', renderMs);
    add('store', of('store'));
    add('rest', of('total') - of('queue') - renderMs - of('store'));
  }
  return [...sums].map(([name, ms]) => `${name} ${(ms / slowest.length).toFixed(0)}`).join(', ');
}

/** The durations of a `Server-Timing` header, by name. */
function stagesOf(header: string): ReadonlyMap<string, number> {
  const found = header.matchAll(/(\w+);dur=([\d.]+)/g);
  return new Map([...found].map(([, name = '', ms = '']) => [name, Number(ms)]));
}
