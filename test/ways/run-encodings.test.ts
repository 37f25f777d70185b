import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { startTestService } from '../../lab/service/gateway.ts';
import { until } from '../../lab/process/waiting.ts';
import { command, type Sending, windows874 } from './service.ts';

/** The encodings of rows, by each way into a run. */

const CSV = 'customer,total\r\nสมชาย ใจดี,1.50\r\n"บริษัท ABC, จำกัด",2.25\r\n';
const NDJSON =
  '{"customer":"สมชาย ใจดี","total":"1.50"}\n{"customer":"บริษัท ABC, จำกัด","total":"2.25"}\n';
const NAMES = ['สมชาย ใจดี', 'บริษัท ABC, จำกัด'];
const LATIN = Buffer.from('customer,total\nA,1\nCafé,2\n', 'latin1');

interface Told {
  readonly runId: string;
  readonly state: string;
  readonly error?: string;
  readonly encoding?: string;
  readonly source: { readonly encoding: string | null } | null;
  readonly reasons: readonly { readonly actual: string }[];
}

interface Caller {
  readonly spool: string;
  readonly options: readonly string[];
  readonly make: (extra?: object) => Promise<string>;
  readonly put: (runId: string, type: string, rows: Uint8Array) => Promise<Told>;
  readonly finish: (runId: string) => Promise<Told>;
  readonly names: (runId: string) => Promise<readonly string[]>;
}

async function callerOf(t: Test): Promise<Caller> {
  const spool = mkdtempSync(join(tmpdir(), 'intaglio-ways-'));
  t.teardown(() => rmSync(spool, { recursive: true }));
  mkdirSync(spool, { recursive: true });
  const service = await startTestService(t, { runs: true, store: { runSources: [spool] } });
  await service.publish('bank', 'receipt');
  const key = await service.key('bank', ['runs']);
  const call = async (path: string, init: Sending = {}): Promise<Response> =>
    fetch(`${service.url}/v1/runs${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...init.headers },
    });
  const told = async (path: string, init: Sending = {}): Promise<Told> =>
    (await (await call(path, init)).json()) as Told;
  return {
    spool,
    options: ['--url', service.url, '--key', key],
    make: async (extra = {}) => {
      const body = JSON.stringify({ templateId: 'receipt', idField: 'customer', ...extra });
      const { runId, error } = await told('', { method: 'POST', body });
      if (error !== undefined) throw new Error(error);
      return runId;
    },
    put: (runId, type, rows) =>
      told(`/${runId}/parts/1`, { method: 'PUT', body: rows, headers: { 'content-type': type } }),
    finish: async (runId) => {
      await told(`/${runId}/start`, { method: 'POST', body: '{}' });
      let run = await told(`/${runId}`);
      await until(async () => {
        run = await told(`/${runId}`);
        return run.state === 'done' || run.state === 'stopped';
      });
      return run;
    },
    names: async (runId) => {
      const text = await (await call(`/${runId}/manifest`)).text();
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { row: string }).row);
    },
  };
}

t.test('parts are recognised, or read as their charset says', async (t) => {
  const { make, put, finish, names } = await callerOf(t);
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['text/csv', Buffer.from(CSV), 'utf-8'],
    ['text/csv', windows874(CSV), 'windows-874'],
    ['text/csv; charset="Windows-874"', windows874(CSV), 'windows-874'],
    ['application/x-ndjson; charset=tis-620', windows874(NDJSON), 'windows-874'],
    ['application/x-ndjson', Buffer.from(`\uFEFF${NDJSON}`, 'utf16le'), 'utf-16le'],
    ['application/x-ndjson;charset=utf8', Buffer.from(NDJSON), 'utf-8'],
  ];
  for (const [type, rows, encoding] of cases) {
    const runId = await make();
    t.match(await put(runId, type, rows), { part: 1, encoding }, type);
    t.match(await put(runId, type, rows), { part: 1, encoding }, 'the same part again');
    t.equal((await finish(runId)).state, 'done');
    t.strictSame(await names(runId), NAMES, type);
  }
});

t.test('a part that is no text is refused with line and byte', async (t) => {
  const { make, put } = await callerOf(t);
  const runId = await make();
  const told = await put(runId, 'text/csv', LATIN);
  t.match(told.error, 'line 3, byte 4 is not UTF-8');
  t.match(told.error, 'charset=windows-874');
  t.notMatch(told.error, 'Caf');
  const named = await put(runId, 'text/csv; charset=windows-874', Buffer.from(CSV));
  t.match(named.error, /line 2, byte \d+ is not windows-874/);
  const strict = await put(runId, 'text/csv; charset=utf-8', windows874(CSV));
  t.match(strict.error, 'line 2, byte 1 is not UTF-8');
  const unknown = await put(runId, 'text/csv; charset=iso-8859-1', Buffer.from(CSV));
  t.match(unknown.error, 'charset must be utf-8 or windows-874');
  for (const type of ['text/csv', 'text/csv; charset=utf-8']) {
    const unmarked = await put(runId, type, Buffer.from(CSV, 'utf16le'));
    t.match(unmarked.error, /UTF-16 without a byte order mark\. Send the rows as UTF-8/, type);
  }
  // Thai takes three bytes in UTF-8.
  const long = windows874(`customer,total\n${'สมชาย,1\n'.repeat(1_500_000)}`);
  t.match((await put(runId, 'text/csv', long)).error, 'as UTF-8');
});

t.test('the file of a run is recognised, or read as the run says', async (t) => {
  const { spool, make, finish, names } = await callerOf(t);
  const path = join(spool, 'october.csv');
  for (const [bytes, encoding] of [
    [windows874(CSV), undefined],
    [windows874(CSV), 'windows-874'],
    [gzipSync(windows874(CSV)), undefined],
  ] as const) {
    writeFileSync(path, bytes);
    const runId = await make({ source: { path, encoding } });
    const run = await finish(runId);
    t.equal(run.state, 'done');
    t.equal(run.source?.encoding, 'windows-874');
    t.strictSame(await names(runId), NAMES);
  }
  writeFileSync(path, CSV);
  t.equal((await finish(await make({ source: { path } }))).source?.encoding, 'utf-8');
  writeFileSync(path, LATIN);
  const stopped = await finish(await make({ source: { path } }));
  t.equal(stopped.state, 'stopped');
  t.match(stopped.reasons[0]?.actual, 'line 3, byte 4 is not UTF-8');
  writeFileSync(path, Buffer.from(CSV, 'utf16le'));
  const [unmarked] = (await finish(await make({ source: { path } }))).reasons;
  t.match(unmarked?.actual, 'seems to be UTF-16 without a byte order mark');
  writeFileSync(path, windows874(CSV));
  const strict = await finish(await make({ source: { path, encoding: 'utf-8' } }));
  t.match(strict.reasons[0]?.actual, 'line 2, byte 1 is not UTF-8');
});

t.test('runs upload recognises the encoding of the whole file, and says so', async (t) => {
  const { spool, options, make, finish, names } = await callerOf(t);
  const file = join(spool, 'rows.csv');
  writeFileSync(file, windows874(CSV));
  const runId = await make();
  const { out, code, err } = await command('runs', 'upload', runId, file, ...options);
  t.equal(code, 0, err);
  t.match(out, '1 part uploaded; read as windows-874');
  const again = await command('runs', 'upload', runId, file, ...options, '--json');
  t.match(JSON.parse(again.out), { sent: 0, skipped: 1, encoding: 'windows-874' });
  t.equal((await finish(runId)).state, 'done');
  t.strictSame(await names(runId), NAMES);
  writeFileSync(file, LATIN);
  const refused = await command('runs', 'upload', await make(), file, ...options);
  t.equal(refused.code, 1);
  t.match(refused.err, /rows\.csv: line 3, byte 4 is not UTF-8/);
  const named = ['--encoding', 'windows-874'];
  writeFileSync(file, windows874('customer,total\nกข,1\n'));
  const asked = await command('runs', 'upload', await make(), file, ...options, ...named);
  t.match(asked.out, 'read as windows-874');
});

t.test('a CSV with another separator is named as such', async (t) => {
  const { make, put } = await callerOf(t);
  const told = await put(await make(), 'text/csv', Buffer.from('customer|total\nA|1\n'));
  t.match(told.error, 'the cells are separated by "|"; a comma, a semicolon or a tab is needed');
});
