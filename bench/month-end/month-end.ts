import { processCpuMs } from '../../lab/process/cpu.ts';
import { findProgram } from '../../lab/process/programs.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { generateRequest } from '../../lab/load/requests.ts';
import { Fleet } from '../../lab/load/wire.ts';
import { type Service, startService } from '../../lab/service/service.ts';
import { TEAM } from '../../lab/service/set-up.ts';
import { makeSigner } from '../../lab/signer.ts';
import { MissingTool } from '../harness/tools.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';
import { RunClient } from '../suites/run-client.ts';
import { checkKinds } from './check.ts';
import { dataOf, monthEndTemplate, TEMPLATE_ID } from './shape.ts';

/** The times are extrapolated to this many statements, a month of a large bank. */
const MONTH_DOCUMENTS = 1_500_000;
const CALLERS = 16;
/** Distinct documents of the load over HTTP, which repeat after that. */
const DISTINCT = 1_000;
/** The first documents meet cold caches and code that is not compiled yet. */
const WARM_DOCUMENTS = 400;
const RUN_CONNECTIONS = 2;

const HEAD = [
  'statements',
  'documents',
  's',
  'documents/s',
  'CPU ms of the service',
  'KB',
  'hours for 1,500,000 (extrapolated)',
] as const;

interface Rate {
  readonly seconds: number;
  readonly documentsPerSecond: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

/**
 * Measures shape Z, signed with P-256 and archived: sync over HTTP by 16 callers, then as a run.
 * Throws `MissingTool` without OpenSSL, which makes the signer's key.
 */
export async function measureMonthEnd(
  documents: number,
  note: (text: string) => void,
): Promise<NamedTable> {
  if (findProgram('openssl') === null) throw new MissingTool('month-end', 'openssl', 'openssl');
  const { path: folder, remove } = temporaryFolder('intaglio-month-end-');
  try {
    const settings = { INTAGLIO_SIGNERS_FILE: makeSigner(folder, TEAM, 'P-256') };
    const templates = [monthEndTemplate()];
    const service = await startService([], { settings, templates, scopes: ['runs'] });
    try {
      for (const line of await checkKinds(folder, (body) => makeOne(service, body))) note(line);
      await loadSync(service, Math.min(documents, WARM_DOCUMENTS));
      const sync = await loadSync(service, documents);
      const run = await measureRun(service, documents);
      return {
        name: 'monthEnd',
        title: 'Z: statements of 1, 3 and 50 pages, PDF/A-2a and PDF/UA-1, signed with P-256',
        head: [...HEAD],
        rows: [
          rowOf(`sync over HTTP, ${CALLERS} callers on the same machine`, documents, sync),
          rowOf('a run, with its upload', documents, run),
        ],
      };
    } finally {
      await service.stop();
    }
  } finally {
    remove();
  }
}

function rowOf(name: string, documents: number, rate: Rate): string[] {
  const { seconds, documentsPerSecond, cpuMs, bytes } = rate;
  return [
    name,
    documents.toLocaleString('en'),
    seconds.toFixed(0),
    documentsPerSecond.toFixed(0),
    figure(cpuMs),
    (bytes / 1024).toFixed(0),
    (MONTH_DOCUMENTS / documentsPerSecond / 3_600).toFixed(2),
  ];
}

async function makeOne({ url, keys }: Service, body: string): Promise<Uint8Array> {
  const response = await fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': keys[0], 'content-type': 'application/json' },
    body,
  });
  if (!response.ok)
    throw new Error(`generate answered ${response.status}: ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Callers that wait for each document before they ask for the next one. */
async function loadSync({ url, keys, pid }: Service, documents: number): Promise<Rate> {
  const requests = Array.from({ length: Math.min(DISTINCT, documents) }, (_, index) => {
    const body = { templateId: TEMPLATE_ID, mode: 'sync', data: dataOf(index) };
    return generateRequest(url, keys[0], JSON.stringify(body));
  });
  let sent = 0;
  let bytes = 0;
  const refused = new Set<number>();
  const cpuBefore = processCpuMs(pid);
  const startMs = performance.now();
  const fleet = new Fleet(url, CALLERS, (_, status, length) => {
    if (status === 200) bytes += length;
    else refused.add(status);
    sendNext();
  });
  const sendNext = (): void => {
    const request = requests[sent % requests.length];
    if (sent >= documents || request === undefined) return;
    sent += 1;
    fleet.send(request, performance.now(), true);
  };
  for (let caller = 0; caller < CALLERS; caller++) sendNext();
  await fleet.done();
  fleet.close();
  const seconds = (performance.now() - startMs) / 1_000;
  if (refused.size > 0) throw new Error(`requests were answered ${[...refused].join(', ')}`);
  return rateOf(documents, seconds, processCpuMs(pid) - cpuBefore, bytes);
}

async function measureRun(service: Service, documents: number): Promise<Rate> {
  const client = new RunClient(service, RUN_CONNECTIONS);
  try {
    const content = { templateId: TEMPLATE_ID, options: { signature: true }, dataOf };
    const runId = await client.create(documents, content);
    const cpuBefore = processCpuMs(service.pid);
    const uploadMs = await client.upload(runId, documents, content);
    const { seconds, bytes } = await client.finish(runId);
    const cpuMs = processCpuMs(service.pid) - cpuBefore;
    return rateOf(documents, seconds + uploadMs / 1_000, cpuMs, bytes);
  } finally {
    await client.close();
  }
}

function rateOf(documents: number, seconds: number, cpuMs: number, bytes: number): Rate {
  return {
    seconds,
    documentsPerSecond: documents / seconds,
    cpuMs: cpuMs / documents,
    bytes: bytes / documents,
  };
}
