import { join } from 'node:path';
import { runScript } from '../harness/script.ts';
import type { Plan } from '../suites/plan.ts';
import type { HttpFigure } from './figures.ts';
import type { Ingredient, Load, LoadResult } from './load.ts';
import { SHAPES } from '../shapes/index.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

const SCRIPT = join(import.meta.dirname, 'load.ts');
const SAMPLE_MS = 100;
const PATIENCE_MS = 90_000;

const RECEIPT: Ingredient = { weight: 1, shape: 'A', rows: null, mode: 'sync', options: null };

type Shape = Pick<Load, 'mix' | 'callers' | 'perSecond'>;

/** One load on a running service, with the service's own CPU and memory meanwhile. */
async function measureLoad(
  service: Service,
  name: string,
  words: string,
  shape: Shape,
  plan: Plan,
): Promise<HttpFigure> {
  const load: Load = {
    ...shape,
    url: service.url,
    key: service.keys[0],
    warmUpMs: plan.loadMs / 2,
    durationMs: plan.loadMs,
  };
  let rssMb = service.rssMb();
  const sampler = setInterval(() => {
    rssMb = Math.max(rssMb, service.rssMb());
  }, SAMPLE_MS);
  const cpuBefore = service.cpuMs();
  try {
    const output = await runScript(SCRIPT, [JSON.stringify(load)], PATIENCE_MS + plan.loadMs * 2);
    // The generator's last line is its result.
    const result = JSON.parse(output.trim().split('\n').at(-1) ?? '') as LoadResult;
    // The warm-up is half as long as the measured part: its share of the CPU is a third.
    const cpuMs = ((service.cpuMs() - cpuBefore) * 2) / 3;
    return describe(name, words, result, cpuMs, rssMb);
  } finally {
    clearInterval(sampler);
  }
}

function describe(
  name: string,
  load: string,
  result: LoadResult,
  cpuMs: number,
  rssMb: number,
): HttpFigure {
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    name,
    load,
    durationS: result.durationMs / 1000,
    documentsPerSecond: (result.delivered * 1000) / result.durationMs,
    p50Ms: result.p50Ms,
    p95Ms: result.p95Ms,
    p99Ms: result.p99Ms,
    statuses: result.statuses,
    refusalP50Ms: result.refusalP50Ms,
    cpuMsPerRequest: cpuMs / Math.max(1, answers),
    rssMb: Math.round(rssMb),
  };
}

/** Makes a stored document of three pages to attach. */
async function storeDocument(service: Service, plan: Plan): Promise<string> {
  const { template, document } = SHAPES.C;
  const response = await fetch(`${service.url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': service.keys[0], 'content-type': 'application/json' },
    body: JSON.stringify({
      templateId: template['templateId'],
      mode: 'async',
      data: document(1, { cold: false }).data,
    }),
    signal: AbortSignal.timeout(30_000 + plan.loadMs),
  });
  if (response.status !== 201) throw new Error(`async generate answered ${response.status}`);
  // The spec's acknowledgement.
  return ((await response.json()) as { documentId: string }).documentId;
}

function closed(mix: readonly Ingredient[], callers: number): Shape {
  return { mix, callers, perSecond: null };
}

/** Loads that do not depend on an earlier figure. */
function steadyLoads(attached: string): readonly (readonly [string, string, Shape])[] {
  const mixed: Ingredient[] = [
    { ...RECEIPT, weight: 80 },
    { ...RECEIPT, weight: 16, shape: 'C' },
    { ...RECEIPT, weight: 4, shape: 'B', rows: 500 },
  ];
  const protection = { userPassword: 'bench-user', ownerPassword: 'bench-owner' };
  return [
    ['async', '32 callers, receipts stored', closed([{ ...RECEIPT, mode: 'async' }], 32)],
    ['mixed', '16 callers: 80 % A, 16 % C, 4 % B of 500 rows', closed(mixed, 16)],
    ['protect', '8 callers, AES-256', closed([{ ...RECEIPT, options: { protection } }], 8)],
    [
      'attach',
      '8 callers, one stored contract merged',
      closed([{ ...RECEIPT, options: { attach: [attached] } }], 8),
    ],
  ];
}

/** All HTTP benches on one service: peak first, then what is measured against it. */
export async function measureHttp(plan: Plan, note: (text: string) => void): Promise<HttpFigure[]> {
  const service = await startService();
  const figures: HttpFigure[] = [];
  const measure = async (name: string, words: string, shape: Shape): Promise<HttpFigure | null> => {
    try {
      const made = await measureLoad(service, name, words, shape, plan);
      figures.push(made);
      return made;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      note(`http ${name} failed: ${error.message.slice(0, 300)}`);
      return null;
    }
  };
  try {
    const open = (perSecond: number): Shape => ({ mix: [RECEIPT], callers: 0, perSecond });
    await measure('sync ×1', 'one caller, receipts', closed([RECEIPT], 1));
    const peak = await measure('sync', '16 callers, receipts', closed([RECEIPT], 16));
    const attached = await storeDocument(service, plan);
    for (const [name, words, shape] of steadyLoads(attached)) await measure(name, words, shape);
    if (peak !== null) {
      for (const [name, factor] of [
        ['70 %', 0.7],
        ['over ×2', 2],
        ['over ×10', 10],
      ] as const) {
        const rate = Math.max(1, Math.round(peak.documentsPerSecond * factor));
        await measure(name, `${rate} receipts a second, open loop`, open(rate));
      }
    }
    return figures;
  } finally {
    await service.stop();
  }
}
