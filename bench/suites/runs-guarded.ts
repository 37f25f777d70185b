import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { descendantsCpuMs, processCpuMs } from '../../lab/process/cpu.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { findProgram } from '../../lab/process/programs.ts';
import { startService, type Service } from '../../lab/service/service.ts';
import { TEAM } from '../../lab/service/set-up.ts';
import { makeSigner } from '../../lab/signer.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';
import { RunClient, type RunContent } from './run-client.ts';
import { type Costs, measureSteps } from './steps.ts';

const CONNECTIONS = 4;
/** Documents of the run that warms the service up. */
const WARM = 500;

interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/**
 * Measures runs of receipts as they are, with passwords, with signatures and with both, beside what
 * their steps cost alone; and what these cost for other documents. What needs a program that is missing
 * is left out, and noted.
 */
export async function measureGuarded(
  documents: number,
  smoke: boolean,
  note: (text: string) => void,
): Promise<readonly NamedTable[]> {
  const { path: folder, remove } = temporaryFolder('intaglio-bench-guarded-');
  const signersFile = findProgram('openssl') === null ? null : makeSigner(folder, TEAM, 'P-256');
  if (signersFile === null) note('left out, as openssl is not installed: what a signature costs');
  try {
    const { receipt, table } = await measureSteps({ signersFile, smoke, note });
    return [await measureGuardedRuns(documents, signersFile, receipt), table];
  } finally {
    remove();
  }
}

async function measureGuardedRuns(
  documents: number,
  signersFile: string | null,
  { engine, protect, sign }: Costs,
): Promise<NamedTable> {
  const settings = {
    INTAGLIO_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    ...(signersFile === null ? {} : { INTAGLIO_SIGNERS_FILE: signersFile }),
  };
  const service = await startService(['A'], { settings, scopes: ['runs'] });
  const client = new RunClient(service, CONNECTIONS);
  try {
    const rows: string[][] = [];
    await measureRun(service, client, Math.min(WARM, documents), {});
    rows.push(rowOf('as they are', await measureRun(service, client, documents, {}), engine));
    const protection = { userPassword: `{{${PASSWORD_FIELD}}}` };
    if (protect !== null) {
      const rate = await measureRun(service, client, documents, { protection });
      rows.push(rowOf('with passwords', rate, engine + protect));
    }
    if (sign !== null) {
      const rate = await measureRun(service, client, documents, { signature: true });
      rows.push(rowOf('signed with P-256', rate, engine + sign));
    }
    if (protect !== null && sign !== null) {
      const rate = await measureRun(service, client, documents, { protection, signature: true });
      rows.push(rowOf('with both', rate, engine + protect + sign));
    }
    return {
      name: 'guarded',
      title: `Runs of ${documents.toLocaleString('en')} receipts`,
      head: ['a run of receipts', 'documents/s', 'CPU ms with helpers', '× its steps alone'],
      rows,
    };
  } finally {
    await client.close();
    await service.stop();
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
