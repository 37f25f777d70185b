import t from 'tap';

import { readExposition, type MetricFamily } from '../../../test/fixtures/exposition.ts';
import { noPool, post, startTestService } from '../../../lab/service/gateway.ts';
import { ERRORS } from '../../errors.ts';
import { StorageUnavailable } from '../../store/store.ts';
import { Counters, Histograms } from './exposition.ts';
import { Metrics, type MetricsSources } from './metrics.ts';

const NONE = { hits: 0, misses: 0, count: 0 };
const SOURCES: MetricsSources = {
  pool: noPool,
  templates: { ...NONE, bytes: 0 },
  keys: NONE,
  keyRefusals: new Counters('intaglio_key_refusals_total', 'Refusals.', ['key', 'code']),
  active: () => 0,
  connections: { connections: 0, refusedConnections: 0 },
  bodyBytes: () => 0,
  slow: { size: 0, heldBytes: 0 },
  attachmentBytes: () => 0,
  certificates: { tls: () => Number.NaN, signer: () => Number.NaN },
  probeStore: () => Promise.resolve(),
  runFigures: () => null,
  queueFigures: () => null,
  localCalls: () => 0,
  storeFigures: () => ({
    unremovableFiles: 0,
    damagedDocuments: 0,
    missingDocuments: 0,
    damagedRuns: [],
    isClockDoubted: false,
    missingKeys: [],
    damagedTables: [],
    foreignFiles: null,
    fileWarnings: [],
    seals: { missing: 0, unsealedFromMs: 0 },
    stored: null,
    disks: [],
  }),
  ageMsMax: 0,
};
const TIMES = { contractMs: 0.04, templateMs: 0.01, layoutMs: 0.3, pdfMs: 0.2, postMs: 20_000 };

type Families = ReadonlyMap<string, MetricFamily>;

/** Value of a sample by its name with labels. */
function valueOf(families: Families, sample: string): number | undefined {
  for (const { samples } of families.values()) {
    const value = samples.get(sample);
    if (value !== undefined) return value;
  }
  return undefined;
}

async function scrape(url: string): Promise<Families> {
  const reply = await fetch(`${url}/metrics`);
  t.match(reply.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  return readExposition(await reply.text());
}

t.test('no gauge has the name of a counter', async (t) => {
  const text = await new Metrics(SOURCES).text();
  t.notMatch(text, /^# TYPE \S+_total gauge$/m);
  t.match(text, /^nodejs_active_resources\{/m, 'what they told is told by type');
});

t.test('capacity has samples as far as it is known', async (t) => {
  const figures = SOURCES.storeFigures();
  const unknown = await new Metrics(SOURCES).text();
  t.notMatch(unknown, /^intaglio_(?:stored|disk)_/m);
  const stored = { document: { files: 3, bytes: 700 }, run: { files: 1, bytes: 90 } };
  const space = { freeBytes: 5, totalBytes: 10, leftSeconds: Number.NaN };
  const known = { ...figures, stored, disks: [{ use: 'files' as const, ...space }] };
  const text = await new Metrics({ ...SOURCES, storeFigures: () => known }).text();
  const samples = text.split('\n').filter((line) => /^intaglio_(?:stored|disk)_/.test(line));
  t.strictSame(samples, [
    'intaglio_stored_files{kind="document"} 3',
    'intaglio_stored_files{kind="run"} 1',
    'intaglio_stored_bytes{kind="document"} 700',
    'intaglio_stored_bytes{kind="run"} 90',
    'intaglio_disk_free_bytes{use="files"} 5',
    'intaglio_disk_bytes{use="files"} 10',
  ]);
});

t.test(
  'certificates have the second of their expiry, and no sample without a certificate',
  async (t) => {
    const certificates = { tls: () => 1_800_000_000_000, signer: () => Number.NaN };
    const text = await new Metrics({ ...SOURCES, certificates }).text();
    const family = readExposition(text).get('intaglio_certificate_expiry_timestamp_seconds');
    t.strictSame(
      [...(family?.samples ?? [])],
      [['intaglio_certificate_expiry_timestamp_seconds{certificate="tls"}', 1_800_000_000]],
    );
  },
);

t.test('scrapes within a second share one text', async (t) => {
  let made = 0;
  const active = (): number => (made += 1);
  const metrics = new Metrics({ ...SOURCES, active, ageMsMax: undefined });
  const first = await metrics.text(5_000);
  t.equal(await metrics.text(5_999), first);
  t.equal(made, 1);
  t.not(await metrics.text(6_000), first);
  t.equal(made, 2);
});

t.test('every family has help and type, and counters are named as such', async (t) => {
  const families = readExposition(await new Metrics(SOURCES).text());
  t.ok(families.size > 40);
  for (const [name, { type, help }] of families) {
    t.match(type, /^(?:counter|gauge|histogram|summary)$/, name);
    t.not(help, '', name);
    if (name.startsWith('intaglio_')) {
      t.equal(name.endsWith('_total'), type === 'counter', name);
      // A point in time is not a duration.
      const isDuration = /(?<!_timestamp)_seconds$/.test(name);
      t.equal(isDuration, type === 'histogram', name);
    }
  }
});

t.test('buckets of times are cumulative', async (t) => {
  const metrics = new Metrics(SOURCES);
  for (let i = 0; i < 3; i += 1) metrics.delivered(2, 1_000, TIMES, 0.07);
  const families = readExposition(await metrics.text());
  const of = (name: string): number | undefined => valueOf(families, `intaglio_${name}`);
  t.equal(of('pages_total'), 6);
  t.equal(of('pdf_bytes_total'), 3_000);
  t.equal(of('stage_seconds_bucket{stage="queue",le="0.00005"}'), 0);
  t.equal(of('stage_seconds_bucket{stage="queue",le="0.0001"}'), 3);
  t.equal(of('stage_seconds_bucket{stage="queue",le="10"}'), 3);
  t.equal(of('stage_seconds_bucket{stage="post",le="10"}'), 0, 'over the last bound');
  t.equal(of('stage_seconds_bucket{stage="post",le="+Inf"}'), 3);
  t.equal(of('stage_seconds_count{stage="post"}'), 3);
  t.equal(of('stage_seconds_sum{stage="post"}'), 60);
  t.equal(of('stage_seconds_count{stage="protect"}'), 0, 'there before its first event');
});

t.test('the bound of a bucket is inclusive', async (t) => {
  const histograms = new Histograms('h', 'help', 'l', [1, 2]);
  for (const seconds of [1, 1.5, 2, 2.5]) histograms.of('a').observe(seconds);
  const samples = readExposition(histograms.text()).get('h')?.samples;
  t.strictSame(
    [...(samples ?? [])],
    [
      ['h_bucket{l="a",le="1"}', 1],
      ['h_bucket{l="a",le="2"}', 3],
      ['h_bucket{l="a",le="+Inf"}', 4],
      ['h_sum{l="a"}', 7],
      ['h_count{l="a"}', 4],
    ],
  );
});

t.test('label values are escaped', async (t) => {
  const counters = new Counters('c_total', 'a\nb\\c', ['l']);
  counters.of('a"b\\c\nd').add(2);
  t.equal(
    counters.text(),
    '# HELP c_total a\\nb\\\\c\n# TYPE c_total counter\nc_total{l="a\\"b\\\\c\\nd"} 2\n',
  );
});

t.test('every error code has a counter from the start', async (t) => {
  const metrics = new Metrics(SOURCES);
  metrics.refused('overloaded');
  const families = readExposition(await metrics.text());
  for (const code of Object.keys(ERRORS)) {
    const expected = code === 'overloaded' ? 1 : 0;
    t.equal(valueOf(families, `intaglio_refusals_total{code="${code}"}`), expected);
  }
});

async function up(probeStore: () => Promise<void>): Promise<number | undefined> {
  const metrics = new Metrics({ ...SOURCES, probeStore });
  return valueOf(readExposition(await metrics.text()), 'intaglio_store_up');
}

t.test('store_up shows whether the store can serve; a bug rejects', async (t) => {
  t.equal(await up(() => Promise.resolve()), 1);
  t.equal(await up(() => Promise.reject(new StorageUnavailable('away'))), 0);
  await t.rejects(up(() => Promise.reject(new TypeError('a bug'))));
});

t.test('a service counts its answers, refusals, caches and documents', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const before = await scrape(service.url);
  const send = async (templateId: string): Promise<void> => {
    const body = { templateId, mode: 'sync', data: { customer: 'c' } };
    await (await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body)).arrayBuffer();
  };
  for (let i = 0; i < 3; i += 1) await send('receipt');
  await send('unknown');
  await post(`${service.url}/v1/generate`, { 'x-api-key': 'ik_wrong' }, {});
  const after = await scrape(service.url);
  const grown = (sample: string): number =>
    (valueOf(after, `intaglio_${sample}`) ?? 0) - (valueOf(before, `intaglio_${sample}`) ?? 0);
  t.equal(grown('http_requests_total{route="POST /v1/generate",status="200"}'), 3);
  t.equal(grown('http_requests_total{route="POST /v1/generate",status="404"}'), 1);
  t.equal(grown('http_requests_total{route="POST /v1/generate",status="401"}'), 1);
  t.equal(grown('http_request_seconds_count{route="POST /v1/generate"}'), 5);
  t.equal(grown('refusals_total{code="unauthenticated"}'), 1);
  t.equal(grown('refusals_total{code="not_found"}'), 1);
  t.equal(grown('stage_seconds_count{stage="layout"}'), 3);
  t.equal(grown('stage_seconds_count{stage="store"}'), 3);
  t.equal(grown('cache_hits_total{cache="templates"}'), 2);
  t.equal(grown('cache_misses_total{cache="templates"}'), 2);
  t.equal(grown('cache_entries{cache="templates"}'), 1);
  t.ok(grown('cache_bytes{cache="templates"}') > 100);
  t.equal(grown('cache_hits_total{cache="keys"}'), 3);
  t.equal(grown('cache_misses_total{cache="keys"}'), 2);
  t.equal(grown('cache_entries{cache="keys"}'), 2);
  t.equal(grown('pool_completed_total'), 3);
  t.equal(valueOf(after, 'intaglio_http_active'), 1, 'the scrape itself');
  t.equal(valueOf(after, 'intaglio_store_up'), 1);
});

t.test('what people are still writing is not counted among the refusals', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const editor = { cookie: await service.session('bank', 'Editor') };
  const viewer = { cookie: await service.session('bank', 'Viewer') };
  const key = { 'x-api-key': await service.key('bank', ['generate']) };
  const before = await scrape(service.url);
  const send = async (
    path: string,
    who: Readonly<Record<string, string>>,
    body: string,
    method = 'POST',
  ): Promise<number> => {
    const headers = { ...who, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/v1/${path}`, { method, headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const whole = JSON.stringify({ templateId: 'new', name: 'New', fields: [] });
  t.equal(await send('templates/new/draft', editor, whole, 'PUT'), 200);
  t.equal(await send('templates/new/draft', editor, whole.slice(0, 20), 'PUT'), 400);
  const preview = { templateId: 'new', mode: 'sync', draft: true, data: { do: 'invalid' } };
  t.equal(await send('previews', editor, JSON.stringify(preview)), 400);
  const unmade = JSON.stringify({ ...preview, data: { do: 'template' } });
  t.equal(await send('previews', editor, unmade), 422);
  // These are faults of callers: who may not save, and who asks for a document.
  t.equal(await send('templates/new/draft', viewer, whole.slice(0, 20), 'PUT'), 403);
  t.equal(await send('generate', key, '{"templateId"'), 400);
  t.equal(await send('generate', editor, '{"templateId"'), 400);
  const after = await scrape(service.url);
  const grown = (sample: string): number =>
    (valueOf(after, `intaglio_${sample}`) ?? 0) - (valueOf(before, `intaglio_${sample}`) ?? 0);
  t.equal(grown('draft_refusals_total{code="bad_request"}'), 1);
  t.equal(grown('draft_refusals_total{code="invalid_data"}'), 1);
  t.equal(grown('draft_refusals_total{code="render_failed"}'), 1);
  t.equal(grown('refusals_total{code="render_failed"}'), 0);
  t.equal(grown('refusals_total{code="bad_request"}'), 2);
  t.equal(grown('refusals_total{code="invalid_data"}'), 0);
  t.equal(grown('refusals_total{code="forbidden"}'), 1);
});
