import t from 'tap';

import type { Verdict } from './advice.ts';
import { planLine, type Report } from './measure.ts';
import { describe, describeStopped, toJson } from './report.ts';

const slice = {
  documentsPerSecond: 1_234.5,
  least: 1_190,
  most: 1_260.2,
  p50Ms: 9.04,
  p99Ms: 21.3,
};

const ADVICE = { threads: 2, queueMax: 2_048, memoryMb: 256 };

function reportOf(verdict: Verdict, ratio: number): Report {
  return {
    settings: verdict === 'better' ? ADVICE : null,
    advice: ADVICE,
    candidates: [
      { threads: 1, share: 0.6, ...slice, documentsPerSecond: 740, least: 712, most: 745 },
      { threads: 2, share: 1, ...slice },
    ],
    noise: 0.012,
    peakHeapMb: 54.4,
    advised: slice,
    defaults: slice,
    comparison: { ratio, ratioMin: ratio - 0.02, ratioMax: ratio + 0.02, verdict },
    isWarm: true,
    senderCores: 0.14,
  };
}

const TEMPLATE = { name: 'a', source: new Uint8Array(0), fields: [], samples: [] };
const WORKLOAD = { origin: 'published templates', templates: [TEMPLATE] };

function linesOf(report: Report): readonly string[] {
  return describe(report, WORKLOAD, 2, 51, ['the machine is busy']).split('\n');
}

t.test('settings are lines to paste, everything else is a comment', async (t) => {
  const lines = linesOf(reportOf('better', 1.2));
  t.strictSame(
    lines.filter((line) => !line.startsWith('#')),
    ['INTAGLIO_POOL_THREADS=2', 'INTAGLIO_POOL_QUEUE_MAX=2048', 'INTAGLIO_WORKER_MEMORY_MB=256'],
  );
  const text = lines.join('\n');
  t.match(text, /published templates\), 2 cores, 51 s/);
  t.match(text, /^# the machine is busy$/m, 'the warning is pasted, too');
  t.match(text, /^# the advice  /m);
  t.match(text, /threads: 1 +740 +712 to 745 +9\.0 +21\.3/, 'with the spread of its rounds');
  t.match(
    text,
    /The advice is faster than the defaults: 1\.20 times the documents\/s of the defaults \(median.*1\.18 to 1\.22\)/,
  );
});

t.test('nothing is advised when no setting was better beyond the noise', async (t) => {
  for (const [verdict, ratio, said] of [
    [
      'as good',
      1.004,
      'No setting was better beyond the noise, so none is advised: the best made 1.00',
    ],
    [
      'worse',
      0.9,
      'No setting was better, the defaults are faster: the best other one made 0.90 times',
    ],
    [
      'unclear',
      2.71,
      /too much to tell, so no setting is advised: in single rounds the best made 2\.69 to 2\.73 times/,
    ],
  ] as const) {
    t.match(linesOf(reportOf(verdict, ratio)).join('\n'), /^# the best of them  /m);
    t.notMatch(linesOf(reportOf(verdict, ratio)).join('\n'), /the advice/i);
    const lines = linesOf(reportOf(verdict, ratio));
    t.ok(
      lines.every((line) => line.startsWith('#')),
      verdict,
    );
    t.match(lines.join('\n'), said);
    t.strictSame(Object(toJson(reportOf(verdict, ratio), 2, [])).settings, {}, verdict);
  }
});

t.test('a measurement of services that were not warm says so', async (t) => {
  const cold = /^# the services still became faster .*more --seconds$/m;
  t.notMatch(linesOf(reportOf('better', 1.2)).join('\n'), cold);
  t.match(linesOf({ ...reportOf('better', 1.2), isWarm: false }).join('\n'), cold);
});

t.test('JSON has the settings as numbers', async (t) => {
  t.match(toJson(reportOf('better', 1.2), 2, ['the machine is busy']), {
    settings: {
      INTAGLIO_POOL_THREADS: 2,
      INTAGLIO_POOL_QUEUE_MAX: 2_048,
      INTAGLIO_WORKER_MEMORY_MB: 256,
    },
    warnings: ['the machine is busy'],
    verdict: 'better',
    ratio: 1.2,
    cores: 2,
    candidates: [{ threads: 1 }, { threads: 2 }],
  });
});

t.test('what is measured is said with its time, also when starting took most of it', async (t) => {
  t.equal(
    planLine(32, 3_000, 41_234),
    'the services started in 3.0 s; measuring 32 requests for 41.2 s more',
  );
  t.match(planLine(32, 31_000, 0), /started in 31\.0 s, which leaves too little of --seconds/);
  t.match(planLine(32, 20_000, 400), /takes longer than --seconds; give more/);
});

t.test('a measurement that was stopped shows its rounds and advises nothing', async (t) => {
  const lines = describeStopped([['threads: 2', slice]], WORKLOAD, 2, 12).split('\n');
  t.ok(lines.every((line) => line.startsWith('#')));
  t.match(lines[2], /^# threads: 2 +1235 +1190 to 1260 +9\.0 +21\.3$/);
  t.equal(lines.at(-1), '# stopped: no advice');
});
