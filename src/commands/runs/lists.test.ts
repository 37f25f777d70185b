import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Run } from '#client';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startTestService } from '../../../lab/service/gateway.ts';
import { until } from '../../../lab/process/waiting.ts';
import { run } from '../../cli.ts';

async function intaglio(
  words: readonly string[],
  onErr: (text: string) => void = () => undefined,
): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  const code = await run(['runs', ...words], {
    out: (text) => void (texts.out += Buffer.from(text).toString()),
    err: (text) => {
      texts.err += text;
      onErr(text);
    },
  });
  return { code, ...texts };
}

t.test('a run is found again, and followed from before its start', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const key = await service.key('bank', ['runs']);
  const caller = ['--url', service.url, '--key', key];
  t.match((await intaglio(['list', ...caller])).out, 'There are no runs.');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer', '--name', 'October'];
  const runId = (await intaglio([...create, ...caller])).out.trim();
  const [, line] = (await intaglio(['list', ...caller])).out.split('\n');
  t.match(line, new RegExp(`^${runId}  receiving  receipt .*  October$`));
  t.match(
    (await intaglio(['prints', runId, ...caller])).out,
    'it was made without --documents-per-print',
  );
  const file = join(service.folder, 'october.csv');
  writeFileSync(file, 'customer,total,do\nA,1.50,\nB,2.25,\nC,3.00,\n');
  await intaglio(['upload', runId, file, ...caller]);
  // The run is started only when watch has said that it waits for that.
  const said = Promise.withResolvers<string>();
  const watching = intaglio(['watch', runId, ...caller], said.resolve);
  const first = await Promise.race([said.promise, watching.then(({ out }) => out)]);
  t.match(first, `waiting for the start: runs start ${runId}`);
  // Only one command may run at a time in a process.
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const start = `${service.url}/v1/runs/${runId}/start`;
  t.equal((await fetch(start, { method: 'POST', headers, body: '{}' })).status, 200);
  t.match(await watching, { code: 0, out: /^done: 3 rows, 3 stored/ });
  const listed = (await intaglio(['list', '--json', '--limit', '1', ...caller])).out;
  t.match(JSON.parse(listed) as object, { runs: [{ runId, state: 'done' }] });
});

t.test('a dry run that ended before it is watched is shown, with an exit code', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const key = await service.key('bank', ['runs']);
  const caller = ['--url', service.url, '--key', key];
  const file = join(service.folder, 'october.csv');
  const check = async (rows: string) => {
    const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
    const runId = (await intaglio([...create, ...caller])).out.trim();
    writeFileSync(file, `customer,total,do\n${rows}`);
    await intaglio(['upload', runId, file, ...caller]);
    await intaglio(['start', runId, '--dry-run', ...caller]);
    await until(async () => {
      const found = await service.store.runs.find('bank', runId);
      return found.found && found.value.state === 'receiving';
    });
    // Before the start it waits, so it would wait for ever here.
    const said = Promise.withResolvers<{ code: number; out: string }>();
    const watching = intaglio(['watch', runId, ...caller], (text) => {
      if (text.includes('waiting')) said.resolve({ code: -1, out: text });
    });
    return Promise.race([watching, said.promise]);
  };
  t.match(await check('A,1.50,\nB,2.25,invalid\n'), {
    code: 1,
    out: /^checked: 2 rows, 0 stored .* 1 invalid, .* 1 pending\n +1 row is invalid, 50 % of all: correct or .*\n.*line 3/,
  });
  t.match(await check('A,1.50,\nB,2.25,\n'), { code: 0, out: /^checked: 2 rows, .* 2 pending$/m });
  await intaglio(['create', '--template', 'receipt', '--id-field', 'customer', ...caller]);
  const states = (await intaglio(['list', ...caller])).out.match(/(?:checked|receiving) +receipt/g);
  t.match(states, [/^receiving/, /^checked/, /^checked/], 'the list has the same word');
});

t.test('rows that are invalid for the same reason share a line', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'comma.csv');
  const rows = Array.from({ length: 50 }, (_, index) => `R-${index};1,50;invalid\n`).join('');
  writeFileSync(file, `customer;total;do\n${rows}`);
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio([...create, ...caller])).out.trim();
  await intaglio(['upload', runId, file, ...caller]);
  await intaglio(['start', runId, ...caller]);
  const { out } = await intaglio(['watch', runId, ...caller]);
  const [, why, command, after, ...lines] = out.trim().split('\n');
  t.match(why, / 50 rows are invalid: .*: leave it as it is and make a new run:$/);
  t.match(command, /runs create --template receipt .*--id-field customer .*--decimal ,$/);
  t.match(after, `upload the file to that, and cancel this one: ./intaglio runs cancel ${runId}`);
  t.notMatch(out, /withdraw|--invalid-share-max/, 'no row is at fault');
  t.match(lines[0], /^ {2}all 50 rows invalid: total: number expected: line 2 \(R-0\), line 3 /);
  t.match(lines[0], /line 11 \(R-9\), …$/);
  t.equal(lines.length, 1, 'and no advice to write cells otherwise');
});

t.test('a mistyped cell does not hide the format of the file', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'groups.csv');
  const rows = Array.from({ length: 50 }, (_, index) => {
    return `R-${index};${index === 31 ? '1,2O5.00' : '9,782.60'};invalid\n`;
  });
  writeFileSync(file, `customer;total;do\n${rows.join('')}`);
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio([...create, ...caller])).out.trim();
  await intaglio(['upload', runId, file, ...caller]);
  await intaglio(['start', runId, '--dry-run', ...caller]);
  await until(async () => {
    const found = await service.store.runs.find('bank', runId);
    return found.found && found.value.state === 'receiving';
  });
  const report = ['report', runId, '--out', join(service.folder, 'report')] as const;
  for (const words of [['watch', runId], report] as const) {
    const { out } = await intaglio([...words, ...caller]);
    t.match(out, /runs create --template receipt .*--decimal \.\n/, words[0]);
    t.match(out, 'after that, 1 row stays faulty');
    t.match(out, '\n    line 33 (R-31): total: number expected\n');
    t.notMatch(out, /--decimal ,|withdraw|--invalid-share-max/);
  }
  const skipping = [...create, '--on-invalid', 'skip'];
  const other = (await intaglio([...skipping, ...caller])).out.trim();
  await intaglio(['upload', other, file, ...caller]);
  await intaglio(['start', other, ...caller]);
  const { out } = await intaglio(['watch', other, ...caller]);
  t.match(
    out,
    /^ {2}50 rows are invalid: .*\n.*--on-invalid skip .*--decimal \.\n/m,
    'a share too large',
  );
});

t.test('an upload to a cancelled run does not pass for a success', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio([...create, ...caller])).out.trim();
  const file = join(service.folder, 'rows.csv');
  writeFileSync(file, 'customer,total,do\nA,1.50,\n');
  t.equal((await intaglio(['upload', runId, file, ...caller])).code, 0);
  t.match((await intaglio(['upload', runId, file, ...caller])).out, '1 were there before');
  await intaglio(['start', runId, '--dry-run', ...caller]);
  t.match((await intaglio(['watch', runId, ...caller])).out, /^checked: 1 row, .*, 1 pending$/m);
  // Nothing waits in a cancelled run.
  const cancelled = await intaglio(['cancel', runId, ...caller]);
  t.match(cancelled.out, /^cancelled: 1 row, 0 stored .*, 1 not made$/m);
  t.match((await intaglio(['watch', runId, ...caller])).out, /^cancelled: 1 row, .*, 1 not made$/m);
  const again = await intaglio(['upload', runId, file, ...caller]);
  t.equal(again.code, 1);
  t.match(again.err, /it is cancelled and makes no document of them: make a new run/);
});

t.test('an upload to a cancelled run with documents does not lead to second ones', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const create = ['create', '--template', 'receipt', '--id-field', 'customer', '--rows', '1'];
  const runId = (await intaglio([...create, ...caller])).out.trim();
  const file = join(service.folder, 'rows.csv');
  writeFileSync(file, 'customer,total,do\nA,1.50,\n');
  await intaglio(['upload', runId, file, ...caller]);
  await intaglio(['start', runId, ...caller]);
  t.equal((await intaglio(['watch', runId, ...caller])).code, 0);
  const further = join(service.folder, 'further.csv');
  writeFileSync(further, 'customer,total,do\nB,1.50,\n');
  await intaglio(['upload', runId, further, ...caller]);
  await intaglio(['start', runId, ...caller]);
  const stopped = await intaglio(['watch', runId, ...caller]);
  t.match(stopped.out, `Cancel: ./intaglio runs cancel ${runId}`);
  await intaglio(['cancel', runId, ...caller]);
  const again = await intaglio(['upload', runId, further, ...caller]);
  t.equal(again.code, 1);
  t.match(
    again.err,
    /makes no further document: it has stored 1 document, valid until expiry, and a new/,
  );
});

/** The index of a print file with one document. */
function indexOf(print: number): string {
  return `${JSON.stringify({ row: `R-${print}`, documentId: 'd', fromPage: 1, toPage: 1 })}\n`;
}

/** Serves these print files, of which the first list has one on each page. */
async function servePrints(
  t: Test,
  files: readonly string[],
  digests = files,
  state: Run['state'] = 'done',
): Promise<string[]> {
  const run = { runId: 'r', state, documentsPerPrint: 1, dryRun: false, counts: {}, parts: [] };
  const prints = files.map((file, index) => ({
    number: index + 1,
    documents: 1,
    pages: 1,
    bytes: file.length,
    sha256: hash('sha256', digests[index] ?? '', 'hex'),
  }));
  const server = createServer(({ url = '' }, response) => {
    const isRun = url.endsWith('/r');
    const [, list, number, index] = /prints(?:\?(.*)|\/(\d+)(\/index)?)$/.exec(url) ?? [];
    const after = Number(new URLSearchParams(list).get('after') ?? 0);
    const next = after + 1 < prints.length ? String(after + 1) : null;
    const page = JSON.stringify({ prints: prints.slice(after, after + 1), next });
    const content = index === undefined ? files[Number(number) - 1] : indexOf(Number(number));
    const type = index === undefined ? 'application/pdf' : 'application/x-ndjson';
    response.setHeader('content-type', number === undefined ? 'application/json' : type);
    const described = isRun ? JSON.stringify(run) : page;
    response.end(number === undefined ? described : content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return ['--url', `http://127.0.0.1:${port}`, '--key', 'ik_x'];
}

const fileOf = (text: string): string => `%PDF-${text}%%EOF`;

t.test('print files are fetched with their indexes, and whole ones are kept', async (t) => {
  const out = t.testdir();
  const caller = await servePrints(t, ['first', 'second'].map(fileOf));
  const [one, two] = [join(out, 'print-00001.pdf'), join(out, 'print-00002.pdf')];
  const fetched = await intaglio(['prints', 'r', '--out', out, ...caller]);
  t.equal(fetched.code, 0, fetched.err);
  t.match(fetched.out.split('\n')[2], /^2 +1 +1 +16 +.*print-00002\.pdf$/);
  t.equal(readFileSync(two, 'utf8'), fileOf('second'));
  t.equal(readFileSync(join(out, 'print-00002.ndjson'), 'utf8'), indexOf(2));
  writeFileSync(two, 'cut');
  const { mtimeMs } = statSync(one);
  t.equal((await intaglio(['prints', 'r', '--out', out, ...caller])).code, 0);
  t.equal(statSync(one).mtimeMs, mtimeMs);
  t.equal(readFileSync(two, 'utf8'), fileOf('second'));
  const listed = await intaglio(['prints', 'r', '--json', ...caller]);
  t.match(JSON.parse(listed.out) as object, { prints: [{ number: 1 }, { number: 2, bytes: 16 }] });
});

t.test('print files of a run that has not ended do not pass for all', async (t) => {
  const out = t.testdir();
  const caller = await servePrints(t, [fileOf('first')], [fileOf('first')], 'running');
  const fetched = await intaglio(['prints', 'r', '--out', out, ...caller]);
  t.equal(fetched.code, 1);
  t.match(fetched.err, /run r is running, so these may not be all of its print files: wait for/);
  t.equal(readFileSync(join(out, 'print-00001.pdf'), 'utf8'), fileOf('first'));
  const listed = await intaglio(['prints', 'r', ...caller]);
  t.equal(listed.code, 0);
  t.match(listed.err, /may not be all/);
});

t.test('a print file with another digest is not kept', async (t) => {
  const out = t.testdir();
  const caller = await servePrints(t, [fileOf('four')], ['rest']);
  const { code, err } = await intaglio(['prints', 'r', '--out', out, ...caller]);
  t.equal(code, 1);
  t.match(err, /print file 1 does not have its 14 bytes and digest/);
  t.throws(() => statSync(join(out, 'print-00001.pdf')));
  t.throws(() => statSync(join(out, 'print-00001.pdf.part')));
});
