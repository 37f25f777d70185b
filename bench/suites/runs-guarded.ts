import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { descendantsCpuMs, processCpuMs } from '../../lab/process/cpu.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { startService, type Service } from '../../lab/service/service.ts';
import { TEAM } from '../../lab/service/set-up.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import { createProtector } from '../../src/protect/protector.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';
import { RunClient, type RunContent } from './run-client.ts';

const CONNECTIONS = 4;
/** Documents by which the cost of one step alone is measured, after as many to warm up. */
const ALONE = 1_000;
/** Documents of the run that warms the service up. */
const WARM = 500;

/** CPU in ms a document, each step by itself. */
interface Costs {
  readonly engine: number;
  /** What the engine takes more for PDF/A-2a. */
  readonly archive: number;
  readonly protect: number;
  readonly sign: number;
}

interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/**
 * Measures runs of receipts as they are, with passwords and with signatures, beside what their steps
 * cost alone.
 */
export async function measureGuarded(documents: number): Promise<readonly NamedTable[]> {
  const { path: folder, remove } = temporaryFolder('intaglio-bench-guarded-');
  const signersFile = writeSigner(folder);
  const settings = {
    INTAGLIO_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    INTAGLIO_SIGNERS_FILE: signersFile,
  };
  const service = await startService(['A'], { settings, scopes: ['runs'] });
  const client = new RunClient(service, CONNECTIONS);
  try {
    await measureRun(service, client, WARM, {});
    const plain = await measureRun(service, client, documents, {});
    const password = { userPassword: `{{${PASSWORD_FIELD}}}` };
    const secured = await measureRun(service, client, documents, { protection: password });
    const signed = await measureRun(service, client, documents, { signature: true });
    const alone = await measureAlone(signersFile);
    return [
      {
        name: 'guarded',
        title: `Runs of ${documents.toLocaleString('en')} receipts`,
        head: ['a run of receipts', 'documents/s', 'CPU ms with helpers', '× its steps alone'],
        rows: [
          rowOf('as they are', plain, alone.engine),
          rowOf('with passwords', secured, alone.engine + alone.protect),
          rowOf('signed with P-256', signed, alone.engine + alone.sign),
        ],
      },
      {
        name: 'alone',
        title: 'What each step of a receipt costs alone, one document after the other',
        head: ['CPU ms of a receipt', 'engine', 'PDF/A-2a', 'password (qpdf)', 'signature (P-256)'],
        rows: [['alone', ...[alone.engine, alone.archive, alone.protect, alone.sign].map(figure)]],
      },
    ];
  } finally {
    await client.close();
    await service.stop();
    remove();
  }
}

/** A field of the receipt that makes a password. */
const PASSWORD_FIELD = 'receiptNumber';

/** The last cell: its documents a second over what its steps alone would give on all cores. */
function rowOf(name: string, { perSecond, cpuMs }: Rate, aloneMs: number): string[] {
  const possible = (availableParallelism() * 1_000) / aloneMs;
  return [name, perSecond.toFixed(0), figure(cpuMs), figure(perSecond / possible)];
}

function data(seed: number): object {
  return SHAPES.A.document(seed, { cold: false }).data;
}

function contentOf(options: NonNullable<RunContent['options']>): RunContent {
  const { template } = SHAPES.A;
  const templateId = String(template['templateId']);
  return { templateId, options, dataOf: data };
}

async function measureRun(
  { pid }: Service,
  client: RunClient,
  documents: number,
  options: NonNullable<RunContent['options']>,
): Promise<Rate> {
  const runId = await client.make(documents, contentOf(options));
  const cpuMs = processCpuMs(pid) + descendantsCpuMs(pid);
  const { seconds } = await client.finish(runId);
  const spentMs = processCpuMs(pid) + descendantsCpuMs(pid) - cpuMs;
  return { perSecond: documents / seconds, cpuMs: spentMs / documents };
}

/** Has each step done by itself, one document after the other. */
async function measureAlone(signersFile: string): Promise<Costs> {
  const template = shareTemplate(JSON.stringify(SHAPES.A.template));
  const archive = shareTemplate(JSON.stringify(archivedReceipt()));
  const { pdf } = await render(template, data(0));
  const protector = createProtector({ qpdf: 'qpdf', timeoutMs: 60_000, concurrencyMax: 1 });
  const passwords = { userPassword: 'secret', ownerPassword: 'secret', permissions: {} };
  const signing = createSigning(await readSigners(signersFile), pino({ level: 'silent' }));
  const signature = { isAsked: true, ...signing.offerFor(TEAM) };
  const toSign = await render(template, data(0), { signature });
  try {
    // The helper's CPU counts: it is a child of this process.
    const engine = await cpuOf((seed) => render(template, data(seed)));
    const archived = await cpuOf((seed) => render(archive, data(seed)));
    const protect = await cpuOf(() => protector.protect(new Uint8Array(pdf), passwords));
    const sign = await cpuOf(() => {
      if (toSign.signature === undefined) throw new Error('no place for a signature');
      return signing.sign(TEAM, new Uint8Array(toSign.pdf), toSign.signature);
    });
    return { engine, archive: archived - engine, protect, sign };
  } finally {
    await protector.close();
  }
}

/** The receipt as a document for the archive: its parts are tagged, its pictures decorate. */
function archivedReceipt(): object {
  const source = JSON.stringify({ ...SHAPES.A.template, archive: 'PDF/A-2a' });
  const template = JSON.parse(source, (_, node: unknown) => {
    const isPicture =
      typeof node === 'object' && node !== null && ('image' in node || 'qr' in node);
    return isPicture ? { ...node, alt: '' } : node;
  }) as { readonly document: object };
  const info = { title: 'ใบเสร็จ' };
  return { ...template, document: { ...template.document, tagged: true, info } };
}

async function cpuOf(step: (seed: number) => Promise<unknown>): Promise<number> {
  for (let seed = 0; seed < ALONE; seed++) await step(seed);
  // Threads that compile in the background come to rest.
  await pause(100);
  const startMs = ownMs();
  for (let seed = ALONE; seed < 2 * ALONE; seed++) await step(seed);
  return (ownMs() - startMs) / ALONE;
}

/** CPU of this process and its children so far. */
function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + descendantsCpuMs();
}

/** Writes a signers file with a P-256 key in a PKCS#12 file; returns its path. */
function writeSigner(folder: string): string {
  const openssl = (...words: readonly string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  };
  const usage = 'keyUsage=critical,digitalSignature,nonRepudiation';
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key'];
  openssl('req', '-x509', ...key, '-out', 'pem', '-days', '2', '-subj', '/CN=b', '-addext', usage);
  writeFileSync(join(folder, 'password'), 'a password of the bench\n');
  const files = ['-inkey', 'key', '-in', 'pem', '-out', 'p12', '-passout', 'file:password'];
  openssl('pkcs12', '-export', ...files);
  const path = join(folder, 'signers.json');
  const signer = { pkcs12: 'p12', passwordFile: 'password' };
  writeFileSync(path, JSON.stringify({ teams: { [TEAM]: signer } }));
  return path;
}
