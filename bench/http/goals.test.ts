import t from 'tap';
import type { HttpFigure } from './figures.ts';
import { judgeGoals } from './goals.ts';

function figure(part: Partial<HttpFigure>): HttpFigure {
  return {
    name: 'over ×10',
    load: '',
    durationS: 1,
    rounds: 1,
    documentsPerSecond: 1,
    ofPeak: 0.61,
    p50Ms: 1,
    p95Ms: 1,
    p99Ms: 1,
    writtenP50Ms: 1,
    writtenP99Ms: 1,
    statuses: { '200': 3 },
    refusalP50Ms: 4,
    refusalWrittenP50Ms: 4,
    cpuMsPerRequest: 1,
    generatorCores: 1,
    offer: null,
    rssMb: 1,
    company: null,
    each: [],
    ...part,
  };
}

function met(part: Partial<HttpFigure>): boolean[] {
  return judgeGoals(figure(part)).map(({ isMet }) => isMet);
}

t.test('an overload is judged by what it delivers and how fast it refuses', async (t) => {
  t.strictSame(met({}), [true, true]);
  t.strictSame(met({ ofPeak: 0.59 }), [false, true]);
  t.strictSame(met({ refusalP50Ms: 5.1 }), [true, false]);
  t.strictSame(met({ name: 'over ×2', ofPeak: 0.89 }), [false, true]);
  t.strictSame(met({ name: 'over ×2', ofPeak: 0.9, refusalP50Ms: null }), [true, true]);
});

t.test('the second key must get a document for every request', async (t) => {
  const name = 'over ×10, other key';
  t.strictSame(met({ name }), [true]);
  for (const wrong of [{ '200': 3, '503': 1 }, { '200': 3, unsent: 1 }, {}]) {
    t.strictSame(met({ name, statuses: wrong }), [false], JSON.stringify(wrong));
  }
});

t.test('the p99 has a bound below saturation; other lines have no goal', async (t) => {
  t.strictSame(met({ name: '70 %', p99Ms: 50 }), [true]);
  t.strictSame(met({ name: '70 %', p99Ms: 51 }), [false]);
  t.strictSame(met({ name: 'sync' }), []);
});
