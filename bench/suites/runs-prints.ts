import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { PdfSource, SourceError } from '../../src/workers/pdf/copy/pdf-source.ts';
import { startService, type Service } from '../http/service.ts';
import { SHAPES } from '../shapes/index.ts';
import { describeRun, makeRun } from './runs.ts';

const STATEMENT_ROWS = 30;
const POLL_MS = 200;
/** Documents of the run that are compared to find the objects that all of them share. */
const SAMPLES = 2;

/** Arguments of each reader; the file name is added last. */
const READERS = [['qpdf', '--check'], ['mutool', 'info'], ['pdfinfo']] as const;

/** Measures a run of statements that ends in one merged print file; returns lines to print. */
export async function measurePrints(documents: number): Promise<readonly string[]> {
  const service = await startService(['B'], { scopes: ['runs'] });
  const client = new Pool(service.url, { connections: 4 });
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-prints-'));
  try {
    const { runId, bytes, rssMb } = await run(service, client, documents);
    const file = join(folder, 'print.pdf');
    await download(service, client, `/v1/runs/${runId}/prints/1`, file);
    const shared = await sharedBytes(service, client, runId);
    const printed = statSync(file).size;
    // The shared objects count once; everything else counts once per document.
    const bound = bytes - (documents - 1) * shared;
    const opened = READERS.map(([program, ...options]) => {
      const { status } = spawnSync(program, [...options, file], { stdio: 'ignore' });
      return `${program} ${status === 0 ? 'opens it' : `ends with ${status}`}`;
    });
    return [
      `print file of ${documents} statements: ${printed} bytes, ${(printed / bound).toFixed(3)} × ` +
        `of one document's shared parts (${shared}) and all others' own; ${opened.join(', ')}; ` +
        `memory of the service at most ${rssMb} MB`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await client.close();
    await service.stop();
  }
}

function statementData(seed: number): object {
  return SHAPES.B.document(seed, { cold: false, rows: STATEMENT_ROWS }).data;
}

async function run(
  service: Service,
  client: Pool,
  documents: number,
): Promise<{ readonly runId: string; readonly bytes: number; readonly rssMb: number }> {
  const templateId = String(SHAPES.B.template['templateId']);
  const spec = { templateId, documentsPerPrint: documents, dataOf: statementData };
  const runId = await makeRun(service, client, documents, spec);
  let rssMb = 0;
  let told = await describeRun(service, client, 'POST', `/v1/runs/${runId}/start`);
  while (told.state === 'checking' || told.state === 'running') {
    await pause(POLL_MS);
    rssMb = Math.max(rssMb, Math.round(service.rssMb()));
    told = await describeRun(service, client, 'GET', `/v1/runs/${runId}`);
  }
  if (told.state !== 'done') throw new Error(`the run ended ${told.state}`);
  return { runId, bytes: told.counts.bytes, rssMb };
}

/** Bytes of the objects of a document that another one has, too: fonts, images, static content. */
async function sharedBytes(service: Service, client: Pool, runId: string): Promise<number> {
  const manifest = await get(service, client, `/v1/runs/${runId}/manifest`);
  const lines = (await manifest.text()).split('\n').slice(0, SAMPLES);
  const [first, second] = await Promise.all(
    lines.map(async (line) => {
      // As docs/runs.md describes a line.
      const { documentId } = JSON.parse(line) as { documentId: string };
      const record = await get(service, client, `/v1/documents/${documentId}`);
      const { url } = (await record.json()) as { url: string };
      const pdf = await get(service, client, url.slice(service.url.length));
      return objectsOf(new Uint8Array(await pdf.arrayBuffer()));
    }),
  );
  let bytes = 0;
  for (const [digest, length] of first ?? []) if (second?.has(digest) === true) bytes += length;
  return bytes;
}

/** Lengths of all objects by digest. */
function objectsOf(pdf: Uint8Array): ReadonlyMap<string, number> {
  const source = new PdfSource(pdf);
  const found = new Map<string, number>();
  for (let number = 1; ; number++) {
    try {
      const body = source.body(number);
      found.set(hash('sha256', body, 'hex'), body.byteLength);
    } catch (error) {
      if (error instanceof SourceError) return found;
      throw error;
    }
  }
}

async function get({ keys }: Service, client: Pool, path: string) {
  const reply = await client.request({ method: 'GET', path, headers: { 'x-api-key': keys[0] } });
  if (reply.statusCode !== 200) throw new Error(`${path} answered ${reply.statusCode}`);
  return reply.body;
}

async function download(service: Service, client: Pool, path: string, file: string): Promise<void> {
  await pipeline(await get(service, client, path), createWriteStream(file));
}
