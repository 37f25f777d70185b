import t from 'tap';

import type { Verdict } from './advice.ts';
import { planLine, type Report } from './measure.ts';
import { describe, toJson } from './report.ts';

const slice = { documentsPerSecond: 1_234.5, p50Ms: 9.04, p99Ms: 21.3 };

function reportOf(verdict: Verdict, ratio: number): Report {
  return {
    settings: { threads: 2, queueMax: 2_048, memoryMb: 256 },
    advice: { threads: 1, queueMax: 1_024, memoryMb: 256 },
    candidates: [
      { threads: 1, share: 0.6, ...slice, documentsPerSecond: 740 },
      { threads: 2, share: 1, ...slice },
    ],
    noise: 0.012,
    peakHeapMb: 54.4,
    advised: slice,
    defaults: slice,
    comparison: { ratio, noise: 0.02, verdict },
    senderCores: 0.14,
  };
}

const TEMPLATE = { name: 'a', source: new Uint8Array(0), fields: [], samples: [] };
const WORKLOAD = { origin: 'published templates', templates: [TEMPLATE] };

t.test('settings are lines to paste, everything else is a comment', async (t) => {
  const text = describe(reportOf('as good', 1.004), WORKLOAD, 2, 51, ['the machine is busy']);
  const lines = text.split('\n');
  t.strictSame(
    lines.filter((line) => !line.startsWith('#')),
    ['INTAGLIO_POOL_THREADS=2', 'INTAGLIO_POOL_QUEUE_MAX=2048', 'INTAGLIO_WORKER_MEMORY_MB=256'],
  );
  t.match(text, /published templates\), 2 cores, 51 s/);
  t.match(text, /^# the machine is busy$/m, 'the warning is pasted, too');
  t.match(text, /threads: 1 +740 +9\.0 +21\.3/);
  t.match(
    text,
    'The defaults are as good, and below: the advice makes 1.00 times their documents/s, ± 2 %,',
  );
});

function conclusion(verdict: Verdict, ratio: number): string {
  return describe(reportOf(verdict, ratio), WORKLOAD, 2, 51, ['the machine is busy']);
}

t.test('says whether the advice is faster', async (t) => {
  t.match(conclusion('better', 1.2), 'The advice is faster than the defaults: 1.20 times');
  t.match(
    conclusion('worse', 0.9),
    'The defaults are faster, and below: the advice makes 0.90 times',
  );
  t.match(
    conclusion('unclear', 2.71),
    'The rounds differ too much to tell; the defaults are below',
  );
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
