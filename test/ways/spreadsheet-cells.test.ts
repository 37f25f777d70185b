import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startTestService } from '../../lab/service/gateway.ts';
import { REAL_POOL } from '../hostile/real-pool.ts';
import { command } from './service.ts';

/** As Excel saves it in many countries; one amount has a point where a comma is needed. */
const ROWS = 'customer;total;due\nA;1.250,50;31/12/2026\nB;12,5;1.2.2026\nC;12.50;2026-12-31\n';
const TEMPLATE = {
  fields: [
    { name: 'customer', type: 'text', required: true },
    { name: 'total', type: 'number', required: true },
    { name: 'due', type: 'date', required: true },
  ],
  document: { content: ['{{customer}} {{total}} {{due}}'] },
};
const FORMAT = ['--delimiter', ';', '--decimal', ',', '--date', 'd/m/y'];

async function sceneOf(t: Test) {
  const service = await startTestService(t, { runs: true, pool: REAL_POOL });
  await service.publish('bank', 'receipt', TEMPLATE);
  const key = await service.key('bank', ['runs', 'generate', 'templates:read']);
  const file = join(service.folder, 'excel.csv');
  writeFileSync(file, ROWS);
  return { service, file, caller: ['--url', service.url, '--key', key] };
}

t.test(
  'a run reads amounts with a decimal comma, and refuses those in another format',
  async (t) => {
    const { service, file, caller } = await sceneOf(t);
    const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
    const totals = ['--rows', '3', '--sum', 'total=1275.5'];
    const made = await command('runs', ...create, ...totals, ...FORMAT, ...caller);
    const runId = made.out.trim();
    t.match(runId, /^[0-9a-f-]{36}$/, made.err);
    await command('runs', 'upload', runId, file, ...caller);
    t.equal((await command('runs', 'start', runId, ...caller)).code, 0);
    const stopped = await command('runs', 'watch', runId, ...caller);
    t.match(stopped.out, 'line 4 (C) invalid: total: number expected');
    t.match(stopped.out, 'write amounts as 1250,50 or 1.250,50');
    t.notMatch(stopped.out, 'give --decimal');
    const listed = await command('runs', 'exceptions', runId, ...caller);
    t.match(listed.out, 'write amounts as 1250,50 or 1.250,50');
    // A correction has the cells of its row, so it is read in the format of the file, too.
    t.equal((await command('runs', 'correct', runId, '4', 'total=12,50', ...caller)).code, 0);
    t.equal((await command('runs', 'start', runId, ...caller)).code, 0);
    t.match(await command('runs', 'watch', runId, ...caller), {
      code: 0,
      out: /^done: 3 rows, 3/,
    });
    const told = await service.store.runs.find('bank', runId);
    t.match(told, { value: { spec: { csv: { delimiter: ';', decimal: ',', date: 'd/m/y' } } } });
  },
);

t.test('commands ask for dates in the format of the file', async (t) => {
  const { service, file, caller } = await sceneOf(t);
  writeFileSync(file, 'customer;total;due\nA;1,50;31/2/2569\nB;1,50;30/2/2569\nC;1,50;1/2/2569\n');
  const format = [...FORMAT, '--calendar', 'buddhist'];
  const create = ['create', '--template', 'receipt', '--id-field', 'customer', ...format];
  const runId = (await command('runs', ...create, ...caller)).out.trim();
  await command('runs', 'upload', runId, file, ...caller);
  await command('runs', 'start', runId, ...caller);
  const asked =
    'due: date expected as 31/12/2569, with the full year of the Buddhist Era, and a day';
  const watched = await command('runs', 'watch', runId, ...caller);
  t.match(watched.out, `2 rows invalid: ${asked}`);
  t.notMatch(watched.out, 'YYYY');
  const listed = await command('runs', 'exceptions', runId, ...caller);
  t.match(listed.out, `line 2 (A) invalid: ${asked}`);
  t.notMatch(listed.out, 'YYYY');
  const listedJson = await command('runs', 'exceptions', runId, '--json', ...caller);
  t.match(
    listedJson.out,
    '"reason":"date expected as YYYY-MM-DD"',
    'programs compare the reasons of JSON',
  );
  const out = join(service.folder, 'out');
  const batch = ['batch', file, '--out', out, '--template', 'receipt', ...format];
  const made = await command(...batch, ...caller);
  t.match(made.err, `record 1 (line 2): ${asked} that exists (invalid_data)`);
  t.notMatch(made.err, 'YYYY');
});

t.test('a file of corrections has commas, and the cells of the file', async (t) => {
  const { service, file, caller } = await sceneOf(t);
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await command('runs', ...create, ...FORMAT, ...caller)).out.trim();
  await command('runs', 'upload', runId, file, ...caller);
  t.equal((await command('runs', 'start', runId, ...caller)).code, 0);
  await command('runs', 'watch', runId, ...caller);
  const out = join(service.folder, 'report');
  await command('runs', 'report', runId, '--out', out, ...caller);
  const invalid = join(out, 'invalid.csv');
  const faulty = readFileSync(invalid, 'utf8');
  t.match(faulty, /^1,4,.*total: number expected.*,C,12\.50,2026-12-31$/m);
  writeFileSync(invalid, faulty.replace(',C,12.50', ',C,"12,50"'));
  await command('runs', 'upload', runId, invalid, ...caller);
  t.equal((await command('runs', 'start', runId, ...caller)).code, 0);
  t.match(await command('runs', 'watch', runId, ...caller), { code: 0, out: /^done: 3 rows/ });
});

t.test('batch reads the same file, and copies failed records as they are', async (t) => {
  const { service, file, caller } = await sceneOf(t);
  const out = join(service.folder, 'out');
  const call = ['batch', file, '--template', 'receipt', '--out', out, ...caller];
  const { code, out: said, err } = await command(...call, ...FORMAT);
  t.equal(code, 1, err);
  t.match(said, '2 made, 1 failed');
  t.match(err, 'record 3 (line 4): total: number expected (invalid_data)');
  t.match(err, 'total: write amounts as 1250,50 or 1.250,50');
  t.equal(
    readFileSync(join(out, 'failed.csv'), 'utf8'),
    'customer;total;due\nC;12.50;2026-12-31\n',
  );
  t.match(await command(...call, '--calendar', 'buddhist'), { code: 2, err: /needs --date/ });
  t.match(await command(...call, '--decimal', ';'), { code: 2, err: /Allowed choices are/ });
  const json = join(service.folder, 'rows.ndjson');
  writeFileSync(json, '{"customer":"A","total":"1,5"}\n');
  t.match(await command('batch', json, ...call.slice(2), '--decimal', ','), {
    code: 2,
    err: /belong to CSV/,
  });
});

t.test('batch tells an unknown template, a wrong key and a missing scope apart', async (t) => {
  const { service, file, caller } = await sceneOf(t);
  const out = join(service.folder, 'out');
  const call = ['batch', file, '--out', out, '--url', service.url, ...FORMAT];
  const key = caller[3] ?? '';
  t.match(await command(...call, '--template', 'recipt', '--key', key), {
    code: 1,
    err: /has no published template "recipt" \(not_found\), and nothing was made: check --template/,
  });
  t.match(await command(...call, '--template', 'receipt', '--version', '9', '--key', key), {
    code: 1,
    err: /has no version 9 of a template "receipt" \(not_found\).*check --template and --version/,
  });
  t.match(await command(...call, '--template', 'receipt', '--key', `${key}x`), {
    code: 1,
    err: /does not accept the API key \(unauthenticated\).*check --key or INTAGLIO_API_KEY/,
  });
  const narrow = await service.key('bank', ['generate']);
  t.match(await command(...call, '--template', 'receipt', '--key', narrow), {
    code: 1,
    err: /give the key the scope templates:read/,
  });
  t.notOk(existsSync(out), 'no folder is made');
  const plain = ['batch', file, '--out', out, '--template', 'receipt'];
  for (const url of ['localhost:8080', 'ftp://bank.example']) {
    const ways = { code: 2, err: /does not begin with http:/ };
    t.match(await command(...plain, '--url', url, '--key', key), ways, url);
    t.match(await command('runs', 'list', '--url', url, '--key', key), ways, url);
  }
  for (const wrong of ['ik_กข', `${key} x`]) {
    const ways = { code: 2, err: /the API key has a blank or a character that no key has/ };
    t.match(await command(...plain, '--url', service.url, '--key', wrong), ways);
  }
  const options = join(service.folder, 'options.json');
  for (const text of ['[]', '"x"', 'null']) {
    writeFileSync(options, text);
    t.match(await command(...plain, '--options', options, '--url', service.url, '--key', key), {
      code: 1,
      err: /options\.json is no JSON object/,
    });
  }
});

t.test('the API refuses a format that it does not know', async (t) => {
  const { service } = await sceneOf(t);
  const headers = {
    'x-api-key': await service.key('bank', ['runs']),
    'content-type': 'application/json',
  };
  const create = async (csv: object): Promise<unknown> => {
    const body = JSON.stringify({ templateId: 'receipt', idField: 'customer', csv });
    const response = await fetch(`${service.url}/v1/runs`, { method: 'POST', headers, body });
    return { status: response.status, ...((await response.json()) as object) };
  };
  t.match(await create({ decimal: ';' }), { status: 400, error: /csv.decimal/ });
  t.match(await create({ calendar: 'buddhist' }), { status: 400, error: /csv.calendar needs/ });
  t.match(await create({ comma: true }), { status: 400, error: /comma/ });
  t.match(await create({ date: 'd/m/y', calendar: 'buddhist' }), {
    status: 201,
    csv: { date: 'd/m/y', calendar: 'buddhist' },
  });
});
