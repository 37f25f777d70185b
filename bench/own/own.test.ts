import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createEngine } from '#engine';
import { shareTemplate } from '#engine/light';
import { HOME } from '../../lab/home.ts';
import { startService } from '../../lab/service/service.ts';
import { bytesByKind } from './bytes.ts';
import type { OwnFigures, Parts } from './figures.ts';
import { keepWork, renderJob } from './jobs.ts';
import { chargedPath, nodeName } from './nodes.ts';
import { isOwn, parseOwnOptions } from './options.ts';
import { partsOf } from './parts.ts';
import { measurePublished } from './published.ts';
import { checkerOf, makeRows, readRows } from './rows.ts';
import { takeTurns } from './turns.ts';

const MAIN = join(HOME, 'bench', 'main.ts');
const SAMPLES = ['receipt', 'statement', 'contract', 'loan-offer'] as const;
const PLAN = {
  rounds: 12,
  roundMs: 15,
  warmUpMs: 1_000,
  loadWarmUpMs: 200,
  loadMs: 100,
  loadRounds: 1,
};
/**
 * The sum of the parts may differ from the whole by this share. Two starts of the same code differ by up
 * to 10 % by themselves, and by more where more programs run than there are cores.
 */
const TOLERANCE = (loadavg()[0] ?? 0) <= cpus().length ? 0.1 : 0.3;
/** Other programs may disturb a measurement, though both processes take turns. */
const TRIES_MAX = 4;

function sample(name: string): Buffer {
  return readFileSync(join(HOME, 'templates', `${name}.json`));
}

/** A template of 1,000 nodes, most of them paragraphs. */
function thousandNodes(): Buffer {
  const content = Array.from({ length: 1_000 }, (_, index) => {
    if (index % 10 === 3) return { columns: [{ text: `left ${index}` }, { text: '{{name}}' }] };
    if (index % 10 === 7) return { text: [{ text: `Bold ${index} `, bold: true }, '{{name}}'] };
    return { text: `Paragraph ${index}: the balance of {{name}} was checked by the branch.` };
  });
  const fields = [{ name: 'name', type: 'text', required: true }];
  const samples = [{ name: 'one', data: { name: 'Account 123456' } }];
  const file = { templateId: 'nodes', name: 'Nodes', fields, document: { content }, samples };
  return Buffer.from(JSON.stringify(file));
}

async function measureParts(template: Buffer): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-own-test-'));
  try {
    const file = JSON.parse(template.toString()) as { readonly templateId: string };
    const { check, fields } = await checkerOf(template, file.templateId, {});
    const { rows } = await makeRows({ ...file }, fields, check);
    keepWork({ template, templateId: file.templateId, rows: rows.slice(0, 16) }, folder);
    const { plain, watched } = await takeTurns(folder, {}, PLAN);
    return partsOf(watched, plain, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [name, template] of [
  ...SAMPLES.map((sampleName) => [sampleName, sample(sampleName)] as const),
  ['1,000 nodes', thousandNodes()] as const,
]) {
  t.test(`the parts of ${name} add up to the whole`, async (t) => {
    let parts = await measureParts(template);
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      if (Math.abs(parts.agreement - 1) <= TOLERANCE) break;
      t.comment(`${parts.agreement.toFixed(3)} of the whole, measured again`);
      parts = await measureParts(template);
    }
    t.ok(Math.abs(parts.agreement - 1) <= TOLERANCE, `${parts.agreement.toFixed(3)} of the whole`);
    const shares = parts.parts.reduce((sum, { share }) => sum + share, 0);
    t.ok(Math.abs(shares - 1) < 1e-9);
    t.ok(Math.abs(parts.sumMs / parts.wholeMs / parts.agreement - 1) < 1e-9);
    const painted = parts.parts.filter(({ paintMs }) => paintMs > 0);
    t.ok(painted.length > 5, 'nodes have their painting');
  });
}

t.test('the longest table is the most expensive node', async (t) => {
  const file = JSON.parse(sample('statement').toString()) as {
    templateId: string;
    samples: { data: { rows?: unknown } }[];
  };
  file.samples = [{ data: JSON.parse(sample('statement.2000').toString()) as object }];
  const { parts } = await measureParts(Buffer.from(JSON.stringify(file)));
  const most = parts.find(({ path }) => path !== null);
  t.equal(most?.name, 'table at content[2]');
  t.ok((most?.share ?? 0) > 0.25, `${most?.share} of the time`);
});

t.test('paths are charged to tables and lists as wholes', async (t) => {
  t.equal(chargedPath('document.content[4].table.body[0][1].stack[0]'), 'document.content[4]');
  t.equal(chargedPath('document.content[1].columns[0].ul[3]'), 'document.content[1].columns[0]');
  t.equal(chargedPath('document.content[1].stack[2]'), 'document.content[1].stack[2]');
  const template = { document: { content: ['Words', { stack: [{ qr: '{{a}}' }] }] } };
  t.equal(nodeName('document.content[0]', template), 'text at content[0]');
  t.equal(nodeName('document.content[1].stack[0]', template), 'QR code at content[1].stack[0]');
  t.equal(nodeName('document.footer', template), 'footer');
});

t.test('bytes of a file are those of its fonts, images, pages and the rest', async (t) => {
  const template = sample('receipt');
  const { samples } = JSON.parse(template.toString()) as { samples: { data: object }[] };
  const row = Buffer.from(JSON.stringify(samples[0]?.data));
  const result = await createEngine().render(renderJob(shareTemplate(template, 'receipt'), row));
  if (!result.ok) return t.fail(result.message);
  const { fonts, images, pages, other, total } = await bytesByKind(result.value.pdf);
  t.equal(total, result.value.pdf.length);
  t.equal(fonts + images + pages + other, total);
  t.ok(fonts > 10_000 && images > 1_000 && pages > 1_000 && other > 500);
});

t.test('invalid rows are named by their lines', async (t) => {
  const template = sample('receipt');
  const { samples } = JSON.parse(template.toString()) as { samples: { data: object }[] };
  const valid = JSON.stringify(samples[0]?.data);
  const { check } = await checkerOf(template, 'receipt', {});
  const rows = await readRows(`${valid}\n\n${valid}\n`, 'rows.ndjson', check);
  t.equal(rows.rows.length, 2);
  t.equal(rows.origin, '2 rows of rows.ndjson');
  const text = `${valid}\n{"receiptNo":"1"}\n[1]\nnot JSON`;
  await t.rejects(readRows(text, 'rows.ndjson', check), {
    message:
      /rows\.ndjson has invalid rows:\n {2}line 2: .+\n {2}line 3: is no JSON.+\n {2}line 4:/,
  });
  const csv = Array.from({ length: 9 }, (_, index) => `RC-${index};2026-11-21`).join('\n');
  await t.rejects(
    readRows(`receiptNo;issued\n${csv}\n`, 'rows.csv', check),
    { message: /^rows\.csv is not NDJSON: .+ no CSV$/ },
    'a CSV is refused once, and not line by line',
  );
  await t.rejects(readRows('\n', 'rows.ndjson', check), { message: /has no row/ });
});

t.test('rows are made from the contract where a template has no samples', async (t) => {
  const fields = [
    { name: 'name', type: 'text', required: true, validation: { minLength: 5 } },
    { name: 'sum', type: 'number', required: true, validation: { min: 5, max: 9 } },
    { name: 'day', type: 'date', required: true },
    { name: 'lines', type: 'table', required: true },
  ];
  const document = { content: ['{{name}} {{sum}} {{day}}'] };
  const file = { templateId: 'made', name: 'Made', fields, document };
  const made = await checkerOf(Buffer.from(JSON.stringify(file)), 'made', {});
  const { rows, origin } = await makeRows(file, made.fields, made.check);
  t.equal(origin, '256 rows made from the contract');
  t.not(Buffer.from(rows[0] ?? []).toString(), Buffer.from(rows[1] ?? []).toString());
  await t.rejects(
    makeRows(file, made.fields, async () => 'no value fits'),
    { message: /--data.*no value fits/ },
  );
});

t.test('the command line is checked', async (t) => {
  t.equal(isOwn(['engine', 'A']), false);
  t.equal(isOwn(['--template', 'x']), true);
  t.match(parseOwnOptions(['--template', 'x', '--http']), {
    template: 'x',
    http: true,
    data: null,
  });
  t.match(parseOwnOptions(['--template', 'x', '--url', 'http://h']), /belong together/);
  t.match(
    parseOwnOptions(['--template', 'x', '--url', 'https://h', '--key', 'k']),
    /http:\/\/ address.*no TLS/,
  );
  t.match(parseOwnOptions(['--template', 'x', '--rounds', '1']), /from 2 to/);
  t.match(parseOwnOptions(['--template', 'x', '--nosuch']), /Unknown option/);
});

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

t.test('what cannot be measured is said in a line', async (t) => {
  const folder = t.testdir({ 'broken.json': '{', 'faulty.json': '{"templateId":"x"}' });
  const cases = [
    ['nosuch.json', /cannot read nosuch\.json: there is no such file/],
    [join(folder, 'broken.json'), /The template has a fault/],
    [join(folder, 'faulty.json'), /The template has a fault/],
  ] as const;
  for (const [template, message] of cases) {
    const { status, stderr } = bench('--template', template);
    t.equal(status, 1, template);
    t.match(stderr, message);
    t.notMatch(stderr, /\n {4}at /, 'no stack trace');
  }
  const data = bench('--template', join(HOME, 'templates/receipt.json'), '--data', 'nosuch.ndjson');
  t.match(data.stderr, /cannot read nosuch\.ndjson: there is no such file/);
  t.equal(bench('--template').status, 2);
});

t.test('a template is measured to the end, through a service, too', async (t) => {
  const json = join(t.testdir(), 'figures.json');
  const template = join(HOME, 'templates', 'receipt.json');
  const { status, stdout, stderr } = bench(
    '--template',
    template,
    '--smoke',
    '--http',
    '--json',
    json,
  );
  t.equal(status, 0, stderr);
  t.match(stdout, /takes \d.* % of the CPU time/);
  const figures = JSON.parse(readFileSync(json, 'utf8')) as OwnFigures;
  // So short a measurement ends before all processes are equally warm.
  const isWithheld = figures.forecastWithheld !== null;
  t.match(stdout, isWithheld ? /Forecast withheld: / : /Forecast: a service that has these cores/);
  t.equal(figures.forecasts.length === 0, isWithheld);
  t.equal(figures.schema, 1);
  t.ok(figures.threads.length >= 2);
  t.equal(figures.service.length, 2);
  // A difference of two short measurements, which on a busy machine may even be below zero.
  const http = figures.httpCpuMs.median;
  t.ok(Math.abs(http) > 0 && Math.abs(http) < 1_000, `the cost of HTTP is measured: ${http} ms`);
  const cold = figures.first.cpuMs + figures.coldCpuMs;
  t.ok(cold > figures.warmCpuMs.median, 'the first documents take longer');
});

t.test('a published template is measured with the examples of its schema', async (t) => {
  const service = await startService([], { scopes: ['templates:read'] });
  t.teardown(() => service.stop());
  const keyWith = async (...options: readonly string[]): Promise<string> => {
    const added = await service.command(
      'keys',
      'add',
      '--team',
      'bench',
      '--name',
      'x',
      ...options,
    );
    // The command's own output.
    return (added as { readonly apiKey: string }).apiKey;
  };
  const published = { templateId: 'receipt', url: service.url, key: service.keys[0] };
  const figures = await measurePublished(published, null, PLAN);
  t.equal(figures.data, '256 rows made from the samples of the template');
  t.equal(figures.service.length, 2);
  await t.rejects(measurePublished({ ...published, key: 'wrong' }, null, PLAN), {
    message: /answered 401: X-Api-Key is missing or not valid$/,
  });
  const row = { text: '{"receiptNo":"R-1"}', name: 'rows' };
  await t.rejects(measurePublished(published, row, PLAN), {
    message: /rows has invalid rows:\n {2}line 1: data does not match [^;]+; [a-zA-Z]+: required;/,
  });
  const scope = ['--scope', 'generate'];
  const narrow = { ...published, key: await keyWith(...scope, '--rate-limit', '100000') };
  await t.rejects(measurePublished(narrow, null, PLAN), {
    message: /lacks the scope templates:read: rows can be made with it, or given by --data/,
  });
  const both = [...scope, '--scope', 'templates:read'];
  const slow = { ...published, key: await keyWith(...both, '--rate-limit', '300') };
  await t.rejects(measurePublished(slow, null, PLAN), {
    message: /requests were answered 429: the limit of the key would be measured/,
  });
});
