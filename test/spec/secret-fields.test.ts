import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Test } from 'tap';
import { post } from '../../lab/service/gateway.ts';
import { callerOf } from '../fixtures/runs/caller.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/**
 * Secret fields, searched for in everything that the service writes and answers. Each way in has its
 * own value, so that a failure tells which way the value came.
 */

const RENDERER = new URL('../../src/workers/render.ts', import.meta.url);
const MASK = 'XXXX-XXXX-XXXX-XXXX-xx';
const FIELDS = [
  { name: 'customer', type: 'text', required: true },
  { name: 'total', type: 'number', required: false },
  { name: 'card', type: 'text', required: true, secret: true, format: { mask: MASK } },
  { name: 'born', type: 'date', required: false, secret: true },
];
const DOCUMENT = { content: ['{{customer}} {{total}} {{card}}'], compress: false };

/** 18 letters and digits, as the mask asks for; the last two are printed. */
const card = (place: string): string => `CANARY${place.padEnd(10, '7')}42`;
const SECRET = /CANARY[A-Z]+7/;
const BORN = '1904-02-29';

const row = (id: string, place: string, more: object = {}): string =>
  `${JSON.stringify({ customer: id, total: '1.05', card: card(place), born: BORN, ...more })}\n`;

/** The rows of a database as text. */
async function dumpOf({ databaseUrl, folder }: StorePlace): Promise<string> {
  if (databaseUrl.startsWith('sqlite:')) return filesIn(folder, 'intaglio.db');
  const connection = await createConnection(databaseUrl);
  const texts: string[] = [];
  const [tables] = await connection.query<RowDataPacket[]>('show tables');
  for (const table of tables.flatMap((row) => Object.values(row).map(String))) {
    const [rows] = await connection.query<RowDataPacket[]>(`select * from ${table}`);
    const values = rows.flatMap((row) => Object.values(row) as unknown[]);
    texts.push(...values.map((value) => (Buffer.isBuffer(value) ? plain(value) : String(value))));
  }
  await connection.end();
  return texts.join('\n');
}

/** All files whose names begin so, as text; streams of PDFs inflated, too. */
function filesIn(folder: string, begin: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.startsWith(begin))
    .map((entry) => plain(readFileSync(join(entry.parentPath, entry.name))))
    .join('\n');
}

function plain(bytes: Buffer): string {
  const texts = [bytes.toString('latin1'), bytes.toString('utf16le')];
  for (let at = bytes.indexOf('stream\n'); at !== -1; at = bytes.indexOf('stream\n', at + 1)) {
    try {
      texts.push(inflateSync(bytes.subarray(at + 7)).toString('latin1'));
    } catch (error) {
      // Not every stream is compressed.
      if (!(error instanceof Error)) throw error;
    }
  }
  return texts.join('\n');
}

function hasNoSecret(t: Test, text: string, place: string): void {
  t.equal(SECRET.exec(text)?.[0] ?? '', '', place);
  t.notOk(text.includes(BORN), `${place}: the date`);
}

await overDialects('no value of a secret field is shown or kept', async (t, newPlace) => {
  const place = await newPlace();
  await place.open(t);
  const caller = await callerOf(t, {
    logLevel: 'trace',
    store: { databaseUrl: place.databaseUrl, filesUrl: `file:${join(place.folder, 'files')}` },
    pool: {
      module: RENDERER,
      settings: { templateCacheMb: 16, fontsDir: null },
      memoryMb: 512,
    },
  });
  const { service, make, put, act, reach, get } = caller;
  const { url } = service;
  await service.publish('bank', 'receipt', { fields: FIELDS, document: DOCUMENT });
  const apiKey = await service.key('bank', ['generate', 'runs', 'documents:read']);
  const answers: string[] = [];
  const keep = async (answer: Response): Promise<number> => {
    const bytes = Buffer.from(await answer.arrayBuffer());
    answers.push(JSON.stringify([...answer.headers]), plain(bytes));
    return answer.status;
  };
  const generate = async (data: object, more: object = {}): Promise<number> => {
    const body = { templateId: 'receipt', mode: 'sync', data, ...more };
    return keep(await post(`${url}/v1/generate`, { 'x-api-key': apiKey }, body));
  };

  await t.test('sync, async and preview', async (t) => {
    const customer = 'Anong';
    t.equal(await generate({ customer, card: card('SYNC'), born: BORN }), 200);
    t.equal(await generate({ customer, card: card('ASYNC'), born: BORN }, { mode: 'async' }), 201);
    t.equal(await generate({ customer, card: `${card('LONG')}1`, born: BORN }), 400);
    t.equal(await generate({ customer, card: card('DATE'), born: '1904-02-30' }), 400);
    await service.draft('bank', 'receipt', { fields: FIELDS, document: DOCUMENT });
    const cookie = await service.session('bank', 'Editor');
    const headers = { cookie, origin: url, 'sec-fetch-site': 'same-origin' };
    const data = { customer, card: card('PREVIEW'), born: BORN };
    const body = { templateId: 'receipt', draft: true, mode: 'sync', data };
    t.equal(await keep(await post(`${url}/v1/generate`, headers, body)), 200);
    t.match(answers.join('\n'), /42/, 'the last digits are printed');
  });

  await t.test('a run: valid, invalid and corrected rows', async (t) => {
    const run = await make({});
    const rows = [
      row('C1', 'VALID'),
      row('C2', 'INVALID', { total: 'x' }),
      row('C3', 'BROKEN').replace('}\n', '\n'),
      row('C4', 'NAME', { total: 'x', Card: card('WRONGNAME') }),
    ].join('');
    t.equal(await keep(await put(run, 1, rows)), 201);
    await act(run, 'start');
    await reach(run, 'stopped');
    for (const path of ['', '/exceptions', '/exceptions?format=csv', '/exceptions?format=ndjson']) {
      t.equal(await keep(await get(run + path)), 200);
    }
    const csv = await (await get(`${run}/exceptions?format=csv`)).text();
    t.match(csv, /total: number expected.*secret value left out: write it again/);
    const uploaded = { 'content-type': 'text/csv' };
    t.equal((await put(run, 2, csv.replaceAll(',x,', ',1.05,'), uploaded)).status, 201);
    await act(run, 'start');
    await reach(run, 'stopped');
    const left = await (await get(`${run}/exceptions`)).text();
    t.match(left, /secret value expected: lists leave it out/, 'what stands there is no value');
    const corrected = (line: number): string =>
      row(`C${line}`, 'CORRECTED', { '#part': 1, '#line': line });
    t.equal((await put(run, 3, [2, 3, 4].map(corrected).join(''))).status, 201);
    await act(run, 'start');
    const done = await reach(run, 'done');
    t.equal(done.counts['stored'], 4);
    for (const path of ['', '/manifest', '/manifest?format=csv', '/zip', '/parts']) {
      await keep(await get(run + path));
    }
    await keep(await get(`${url}/v1/runs`));
    await service.store.documents.sweep(Date.now() + 1_000);
  });

  await t.test('a secret field is no id of rows', async (t) => {
    await t.rejects(make({ idField: 'card' }), /idField: the field is secret/);
  });

  for (const text of answers) {
    hasNoSecret(t, text, 'answers');
  }
  const logs = service.logged.join('\n');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const audit = JSON.stringify(await service.audit());
  const database = await dumpOf(place);
  const files = filesIn(join(place.folder, 'files'), '');
  for (const [name, text] of Object.entries({ logs, metrics, audit, database, files })) {
    t.ok(text.length > 0, `${name} were searched`);
    hasNoSecret(t, text, name);
  }
});
