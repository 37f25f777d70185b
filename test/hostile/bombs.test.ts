import t, { type Test } from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';
import { atSomePace } from '../../lab/pace.ts';
import { bombs, TEMPLATE } from './bombs.ts';
import { REAL_POOL } from './real-pool.ts';

/**
 * The time limit of a document: enough for the first one of a thread, unless the machine is
 * overloaded.
 */
const LIMIT_MS = 2_500;
/** The time from the limit to the response, which comes when the renderer is free again. */
const RETURN_MS_MAX = 5_000;
/** Wide, because these calls also wait for other programs on the machine. */
const OTHERS_P99_MS_MAX = 6_000;
const CALLERS = 3;
const TRIES_MAX = 5;

t.test('beside bombs, others are served; a renderer is free soon after the limit', async (t) => {
  await atSomePace(t, (pace) => attempt(t, pace));
});

/** Sends the bombs, all times multiplied by `pace`; returns what took too long, or ''. */
async function attempt(t: Test, pace: number): Promise<string> {
  const late: string[] = [];
  const service = await startTestService(t, {
    checksReplies: false,
    pool: { ...REAL_POOL, threads: 2, spareThreads: 1, renderTimeoutMs: LIMIT_MS * pace },
  });
  await service.publish('bank', 'bomb', TEMPLATE);
  await service.publish('bank', 'plain', { document: { content: ['{{customer}} {{total}}'] } });
  const attacker = await service.key('bank', ['generate']);
  const caller = await service.key('bank', ['generate']);
  const send = (apiKey: string, templateId: string, data: object): Promise<Response> =>
    post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, { templateId, mode: 'sync', data });
  // A new thread compiles the template first, which may exceed the limit on a busy machine.
  let harmless = await send(attacker, 'bomb', { text: 'x', table: [['1']] });
  for (let tries = 1; tries < TRIES_MAX && harmless.status === 422; tries += 1) {
    harmless = await send(attacker, 'bomb', { text: 'x', table: [['1']] });
  }
  if (harmless.status !== 200) late.push(`harmless: ${await messageOf(harmless)}`);
  const all = await bombs();

  const load = { isOver: false };
  const latencies: number[] = [];
  const callNormally = async (): Promise<void> => {
    while (!load.isOver) {
      const startMs = performance.now();
      const answer = await send(caller, 'plain', { customer: 'x', total: 1 });
      latencies.push(performance.now() - startMs);
      const message = await messageOf(answer);
      if (answer.status !== 200) late.push(`a normal request: ${answer.status} ${message}`);
    }
  };
  const callers = Array.from({ length: CALLERS }, () => callNormally());
  for (const [name, data] of Object.entries(all)) {
    // Each with another key, because a caller whose documents keep ending threads is delayed.
    const bomber = await service.key('bank', ['generate']);
    const startMs = performance.now();
    const answer = await send(bomber, 'bomb', data);
    const message = await messageOf(answer);
    const ms = performance.now() - startMs;
    // The second image is refused by its header where the first was decoded within the time limit.
    const isRefused = answer.status === 400 && message.includes('images together have more than');
    t.ok(
      isRefused || [200, 422].includes(answer.status),
      `${name}: ${answer.status}, ${ms.toFixed(0)} ms ${message}`,
    );
    t.notMatch(message, /template has a fault/);
    if (ms >= (LIMIT_MS + RETURN_MS_MAX) * pace) late.push(`${name}: ${ms.toFixed(0)} ms`);
  }
  load.isOver = true;
  await Promise.all(callers);

  const sorted = latencies.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN;
  const others = `${sorted.length} others, p99 ${p99.toFixed(0)} ms`;
  t.comment(others);
  if (p99 >= OTHERS_P99_MS_MAX * pace) late.push(others);
  const timeouts = service.pool.stats().timeouts;
  t.equal(service.pool.stats().deaths, 0, `no thread died, ${timeouts} were ended`);
  t.equal(service.pool.stats().running, 0);
  return late.join(', ');
}

/** Why a request was refused; '' for a PDF. */
async function messageOf(answer: Response): Promise<string> {
  if (!answer.ok) return JSON.stringify(await answer.json());
  await answer.arrayBuffer();
  return '';
}
