import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findProgram } from '../../lab/process/programs.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { startService, type Service } from '../../lab/service/service.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { NamedTable } from '../report/report.ts';
import { RunClient, type RunContent } from './run-client.ts';

const STATEMENT_ROWS = 30;
const CONNECTIONS = 4;
/** The objects that two documents have in common are taken for those that all share. */
const SAMPLES = 2;

/** Arguments of each reader; the file name is added last. */
const READERS = [['qpdf', '--check'], ['mutool', 'info'], ['pdfinfo']] as const;

/** Measures a run of statements that ends in one merged print file. */
export async function measurePrints(documents: number): Promise<readonly NamedTable[]> {
  const service = await startService(['B'], { scopes: ['runs'] });
  const client = new RunClient(service, CONNECTIONS);
  const { path: folder, remove } = temporaryFolder('intaglio-bench-prints-');
  try {
    const runId = await client.make(documents, statements(documents));
    let rssMbMax = 0;
    const { bytes } = await client.finish(runId, () => {
      rssMbMax = Math.max(rssMbMax, Math.round(service.rssMb()));
    });
    const file = join(folder, 'print.pdf');
    await pipeline(await client.get(`/v1/runs/${runId}/prints/1`), createWriteStream(file));
    const shared = await sharedBytes(service, client, runId);
    const printed = statSync(file).size;
    // Shared objects need to be in the file once only; all others once per document.
    const leastBytes = bytes - (documents - 1) * shared;
    const opened = READERS.map(([program, ...options]) => {
      if (findProgram(program) === null) return `${program} is not installed`;
      const { status } = spawnSync(program, [...options, file], { stdio: 'ignore' });
      return `${program} ${status === 0 ? 'opens it' : `ends with ${status}`}`;
    });
    return [
      {
        name: 'prints',
        title: `A print file of ${documents.toLocaleString('en')} statements, and who opens it`,
        head: [
          'statements',
          'MB',
          '× shared parts once and all others',
          'MB of the service at most',
          'opened',
        ],
        rows: [
          [
            documents.toLocaleString('en'),
            (printed / 1e6).toFixed(1),
            (printed / leastBytes).toFixed(3),
            String(rssMbMax),
            opened.join(', '),
          ],
        ],
      },
    ];
  } finally {
    remove();
    await client.close();
    await service.stop();
  }
}

/** A run of statements that are printed into one file. */
function statements(documentsPerPrint: number): RunContent {
  return {
    templateId: String(SHAPES.B.template['templateId']),
    documentsPerPrint,
    dataOf: (seed) => SHAPES.B.document(seed, { cold: false, rows: STATEMENT_ROWS }).data,
  };
}

/** Bytes of the objects that all documents share: fonts, images, static content. */
async function sharedBytes(
  { url: origin }: Service,
  client: RunClient,
  runId: string,
): Promise<number> {
  const manifest = await client.get(`/v1/runs/${runId}/manifest`);
  const lines = (await manifest.text()).split('\n').slice(0, SAMPLES);
  const [first, second] = await Promise.all(
    lines.map(async (line) => {
      // As docs/runs.md describes a line.
      const { documentId } = JSON.parse(line) as { documentId: string };
      const record = await client.get(`/v1/documents/${documentId}`);
      const { url } = (await record.json()) as { url: string };
      const pdf = await client.get(url.slice(origin.length));
      return objectLengths(new Uint8Array(await pdf.arrayBuffer()));
    }),
  );
  let bytes = 0;
  for (const [digest, length] of first ?? []) if (second?.has(digest) === true) bytes += length;
  return bytes;
}

/** The lengths of a file's objects by their digests. */
function objectLengths(pdf: Uint8Array): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const [, body = ''] of Buffer.from(pdf).toString('latin1').matchAll(OBJECT)) {
    lengths.set(hash('sha256', Buffer.from(body, 'latin1'), 'hex'), body.length);
  }
  return lengths;
}

/** An object as the service writes it, without its number. */
const OBJECT = /^\d+ 0 obj\n(.*?)\nendobj$/gms;
