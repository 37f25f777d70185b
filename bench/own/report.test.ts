import t from 'tap';
import type { Machine } from '../../lab/machine.ts';
import type { Spread } from '../../lab/stats.ts';
import type { OwnFigures, ServiceRate, ThreadRate } from './figures.ts';
import { forecastsOf, withheldBy } from './forecast.ts';
import { formatOwn } from './report.ts';

const MACHINE: Machine = {
  cpu: 'a processor',
  cores: 2,
  memoryGb: 4,
  kernel: '6',
  node: '22',
  loadBefore: 0,
  busy: false,
  at: '2026-11-29T00:00:00Z',
  commit: 'abc',
  modified: false,
};

function spreadOf(value: number): Spread {
  return { min: value, median: value, max: value, rounds: 1 };
}

function rate(threads: number, cpuMs: number): ThreadRate {
  const documentsPerSecond = spreadOf((threads * 1000) / cpuMs);
  return { threads, documentsPerSecond, cpuMs: spreadOf(cpuMs), rssMb: 100 };
}

t.test(
  'a forecast follows from the CPU of a document and widens beyond this machine',
  async (t) => {
    const forecasts = forecastsOf([rate(1, 0.8), rate(2, 0.83)], spreadOf(0.25), 0);
    t.strictSame(
      forecasts.slice(0, 2).map(({ documentsPerSecond }) => Math.round(documentsPerSecond)),
      [838, 1627],
    );
    const widths = forecasts.map(({ low, high }) => high / low);
    for (const [index, width] of widths.entries())
      if (index > 1) t.ok(width > (widths[index - 1] ?? 0));
  },
);

/** Figures of a document of 0.38 ms in a process and `poolMs` in pools. */
function figuresWith(poolMs: readonly [number, number]): OwnFigures {
  const threads = [rate(1, poolMs[0]), rate(2, poolMs[1])];
  const forecastWithheld = withheldBy(threads, 0.38);
  const httpCpuMs = spreadOf(0.25);
  return {
    schema: 1,
    template: 'receipt.json',
    data: '2 rows',
    pages: 1,
    first: { wallMs: 200, loadCpuMs: 100, cpuMs: 20 },
    coldCpuMs: 3,
    warmCpuMs: spreadOf(0.38),
    rssMb: 100,
    bytes: { fonts: 1, images: 1, pages: 1, other: 1, total: 4 },
    parts: { parts: [], sumMs: 0.691, wholeMs: 0.664, agreement: 0.691 / 0.664 },
    threads,
    httpCpuMs,
    forecasts: forecastWithheld === null ? forecastsOf(threads, httpCpuMs, 4) : [],
    forecastWithheld,
    service: [],
  };
}

/** The busiest load of a service, beside a pool that took `poolCpuMs` for a document. */
function serviceBeside(poolCpuMs: number): ServiceRate {
  const times = { documentsPerSecond: 2_000, p50Ms: 5, p99Ms: 9 };
  const cpu = { cpuMs: 0.705, cores: 1.4, onAllCores: 2_836, poolCpuMs };
  return { callers: 16, machineCores: 2, ...times, ...cpu };
}

t.test('the report names the sum of the parts and the document that it is compared with', (t) => {
  const text = formatOwn(figuresWith([0.42, 0.45]), MACHINE);
  t.match(
    text,
    /add up to 0\.691 ms, 104 % of the 0\.664 ms that a document took while they were measured/,
  );
  t.end();
});

t.test('a forecast is withheld when a pool and a warm document disagree', (t) => {
  t.equal(withheldBy([rate(1, 0.42), rate(2, 0.8)], 0.38), null);
  // A document of one word, to which the way between threads adds more than it costs.
  t.equal(withheldBy([rate(1, 0.12)], 0.03), null);
  t.match(withheldBy([rate(1, 0.42), rate(2, 3.17)], 0.38), {
    warmCpuMs: 0.38,
    pools: [{ threads: 2, cpuMs: 3.17, ratio: 3.17 / 0.38 }],
  });
  t.match(withheldBy([rate(1, 0.4)], 1), { pools: [{ threads: 1, ratio: 2.5 }] });
  const firm = formatOwn(figuresWith([0.42, 0.45]), MACHINE);
  t.match(firm, /Forecast: a service that has these cores for itself/);
  t.notMatch(firm, /withheld/);
  const text = formatOwn(figuresWith([0.42, 3.17]), MACHINE);
  t.notMatch(text, /Forecast: a service/);
  t.match(
    text,
    /Forecast withheld: a document took 0\.380 ms CPU warm, but 3\.17 ms CPU in the pool of 2 \(× 8\.3\): .*quiet machine/,
  );
  t.end();
});

t.test('a service is not compared with a forecast from a pool that was not warm', (t) => {
  const figures = figuresWith([0.42, 0.45]);
  const near = formatOwn({ ...figures, service: [serviceBeside(0.5)] }, MACHINE);
  t.match(near, /The forecast for 2 cores, made anew/);
  const far = formatOwn({ ...figures, service: [serviceBeside(3.17)] }, MACHINE);
  t.notMatch(far, /made anew/);
  t.match(far, /not compared with a forecast: the pool beside it took 3\.17 ms .* 0\.380/);
  t.end();
});
