import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { descendantsCpuMs } from '../../lab/process/cpu.ts';
import { findProgram } from '../../lab/process/programs.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { TEAM } from '../../lab/service/set-up.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { createProtector, type Protector } from '../../src/protect/protector.ts';
import { libraryOf } from '../../src/protect/program-library.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning, type Signing } from '../../src/sign/signing.ts';
import { step } from '../harness/progress.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';

/** A kind of document; `count`: documents by which a step of it is measured, after as many to warm up. */
interface Kind {
  readonly name: string;
  readonly shape: ShapeName;
  readonly rows?: number;
  readonly count: number;
}

/** docs/sizing.md finds these rows by the words before the comma. */
const KINDS: readonly Kind[] = [
  { name: 'receipt', shape: 'A', count: 600 },
  { name: 'contract', shape: 'C', count: 400 },
  { name: 'statement of 100 rows', shape: 'B', rows: 100, count: 300 },
  { name: 'statement of 2,000 rows', shape: 'B', rows: 2_000, count: 30 },
];
const SMOKE_COUNT = 2;
const TURNS = 10;

/** CPU in ms that each step of a document takes by itself; null: what it needs is not installed. */
export interface Costs {
  readonly engine: number;
  /** What the engine takes more for PDF/A-2u, and for PDF/A-2a, which is tagged. */
  readonly archiveU: number;
  readonly archiveA: number;
  readonly protect: number | null;
  readonly sign: number | null;
}

interface KindCosts extends Costs {
  readonly name: string;
  readonly pages: number;
  readonly bytes: {
    readonly plain: number;
    /** What PDF/A-2a and a signature add. */
    readonly archive: number;
    readonly signature: number;
  };
}

/** What makes a step; null: what it needs is not installed. */
interface Means {
  readonly protector: Protector | null;
  readonly signing: Signing | null;
}

export interface Steps {
  readonly receipt: Costs;
  readonly table: NamedTable;
}

interface StepOptions {
  /** The file that lists the signer of `TEAM`, whose key is of P-256; null: there is none. */
  readonly signersFile: string | null;
  readonly smoke: boolean;
  readonly note: (text: string) => void;
}

/** Has each step of each kind of document done by itself, one document after the other. */
export async function measureSteps({ signersFile, smoke, note }: StepOptions): Promise<Steps> {
  const qpdf = findProgram('qpdf');
  if (qpdf === null) {
    note('left out, as qpdf is not installed: what a password costs');
  } else if ((await libraryOf(qpdf)) === null) {
    note('qpdf has no shared library here: passwords cost what its program takes');
  }
  const protector =
    qpdf === null ? null : createProtector({ qpdf, timeoutMs: 60_000, concurrencyMax: 1 });
  const signing =
    signersFile === null
      ? null
      : createSigning(await readSigners(signersFile), pino({ level: 'silent' }));
  try {
    const costs: KindCosts[] = [];
    for (const kind of KINDS) {
      step(`steps: ${kind.name}`);
      const count = smoke ? SMOKE_COUNT : kind.count;
      costs.push(await costsOf({ ...kind, count }, { protector, signing }));
    }
    const [receipt] = costs;
    if (receipt === undefined) throw new Error('the first kind is the receipt');
    return { receipt, table: tableOf(costs) };
  } finally {
    await protector?.close();
  }
}

function cell(ms: number | null): string {
  return ms === null ? '–' : figure(ms);
}

function tableOf(costs: readonly KindCosts[]): NamedTable {
  return {
    name: 'alone',
    title: 'What each step of a document costs alone, one document after the other',
    head: ['CPU ms a document', 'engine', 'PDF/A-2u adds', 'PDF/A-2a adds'].concat(
      ['password (qpdf)', 'signature (P-256)'],
      ['bytes', 'PDF/A-2a adds bytes', 'signature adds bytes'],
    ),
    rows: costs.map(({ name, pages, engine, archiveU, archiveA, protect, sign, bytes }) => [
      `${name}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
      ...[engine, archiveU, archiveA, protect, sign].map(cell),
      ...[bytes.plain, bytes.archive, bytes.signature].map((count) => count.toLocaleString('en')),
    ]),
  };
}

async function costsOf(
  { name, shape, rows, count }: Kind,
  { protector, signing }: Means,
): Promise<KindCosts> {
  const { template: source, document } = SHAPES[shape];
  const data = (seed: number): object =>
    document(seed, rows === undefined ? { cold: false } : { cold: false, rows }).data;
  const files = [source, archived(source, 'PDF/A-2u'), archived(source, 'PDF/A-2a')];
  const templates = files.map((file) => shareTemplate(JSON.stringify(file)));
  const made = await Promise.all(templates.map((template) => render(template, data(0))));
  const [plain, , tagged] = made;
  const [template] = templates;
  if (plain === undefined || tagged === undefined || template === undefined) {
    throw new Error('each of the files was rendered');
  }
  const { pdf, pages } = plain;
  const works = templates.map((one) => (seed: number) => render(one, data(seed)));
  const [engine = 0, archiveU = 0, archiveA = 0] = await cpuInTurns(count, works);
  const signed = signing === null ? null : await signingOf(signing, template, data(0), count);
  return {
    name,
    pages,
    bytes: {
      plain: pdf.length,
      archive: tagged.pdf.length - pdf.length,
      signature: signed === null ? 0 : signed.bytes - pdf.length,
    },
    engine,
    archiveU: archiveU - engine,
    archiveA: archiveA - engine,
    protect: protector === null ? null : await protecting(protector, pdf, count),
    sign: signed === null ? null : signed.cpuMs,
  };
}

/** The helper's CPU counts: it is a child of this process. */
async function protecting(protector: Protector, pdf: Uint8Array, count: number): Promise<number> {
  const passwords = { userPassword: 'secret', ownerPassword: 'secret', permissions: {} };
  return cpuOf(count, async () => {
    const outcome = await protector.protect(new Uint8Array(pdf), passwords);
    if (!outcome.ok) throw new Error(outcome.code);
  });
}

async function signingOf(
  signing: Signing,
  template: ReturnType<typeof shareTemplate>,
  data: object,
  count: number,
): Promise<{ readonly cpuMs: number; readonly bytes: number }> {
  const signature = { isAsked: true, ...signing.offerFor(TEAM) };
  const { pdf, signature: place } = await render(template, data, { signature });
  if (place === undefined) throw new Error('no place for a signature');
  const cpuMs = await cpuOf(count, async () => {
    const outcome = await signing.sign(TEAM, new Uint8Array(pdf), place);
    if (!outcome.ok) throw new Error(outcome.code);
  });
  return { cpuMs, bytes: pdf.length };
}

/** The template as one for the archive: level a is tagged, with pictures that decorate. */
function archived(source: object, level: 'PDF/A-2u' | 'PDF/A-2a'): object {
  const text = JSON.stringify({ ...source, archive: level });
  const template = JSON.parse(text, (_, node: unknown) => {
    const isPicture =
      typeof node === 'object' && node !== null && ('image' in node || 'qr' in node);
    return isPicture && level === 'PDF/A-2a' ? { ...node, alt: '' } : node;
  }) as { readonly document: object };
  const tagged = level === 'PDF/A-2a' ? { tagged: true } : {};
  return { ...template, document: { ...template.document, ...tagged, info: { title: 'เอกสาร' } } };
}

type Work = (seed: number) => Promise<unknown>;

async function cpuOf(count: number, work: Work): Promise<number> {
  const [cost = 0] = await cpuInTurns(count, [work]);
  return cost;
}

/** CPU of each of the works a document: they take turns, so that other programs slow all of them. */
async function cpuInTurns(count: number, works: readonly Work[]): Promise<readonly number[]> {
  for (const work of works) {
    for (let seed = 0; seed < count; seed++) await work(seed);
  }
  // Threads that compile in the background come to rest.
  await pause(100);
  const spentMs = works.map(() => 0);
  const perTurn = Math.ceil(count / TURNS);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, work] of works.entries()) {
      const startMs = ownMs();
      const first = count + turn * perTurn;
      for (let seed = first; seed < first + perTurn; seed++) await work(seed);
      spentMs[index] = (spentMs[index] ?? 0) + ownMs() - startMs;
    }
  }
  return spentMs.map((ms) => ms / (TURNS * perTurn));
}

/** CPU of this process and its children so far. */
function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + descendantsCpuMs();
}
