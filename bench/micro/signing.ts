import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import type { RenderedDocument, SignatureRequest } from '#engine';
import { render, shareTemplate } from '../../lab/render.ts';
import { makeSigner, SIGNER_KINDS } from '../../lab/signer.ts';
import { HOME } from '../../lab/home.ts';
import { printMachine, printRange, rangeOf } from '../harness/micro.ts';
import { median } from '../../lab/stats.ts';
import { sampleFile, sampleReceipt } from '../../lab/shapes/sample.ts';

/**
 * Signed receipts (PAdES B-B): `node bench/micro/signing.ts [--runs 7] [--documents 200]`; one run
 * is a smoke test. Each run renders and signs one receipt after the other, with a key of a PKCS#12
 * file; signing is measured apart, and within it the key's part. CPU counts all threads, because
 * RSA runs on libuv's.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    documents: { type: 'string', default: '200' },
  },
});
const RUNS = Number(values.runs);
const isSmoke = RUNS === 1;
const DOCUMENTS = isSmoke ? 5 : Number(values.documents);
const WARM_DOCUMENTS = isSmoke ? 1 : 50;

const TEAM = 'bank';
/** The attributes that a signature covers have about this size. */
const ATTRIBUTES = Buffer.alloc(250, 7);

const template = shareTemplate(readFileSync(sampleFile(HOME)));
const data = sampleReceipt().data(1);

/** Time of one document in ms. */
interface Times {
  readonly elapsed: number;
  readonly cpu: number;
}

interface Round {
  readonly rendering: Times;
  readonly signing: Times;
  /** The operation with the private key alone. */
  readonly key: Times;
}

/** Calls `work` for each document of a run. */
async function timed(work: () => Promise<unknown>): Promise<Times> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  for (let count = 0; count < DOCUMENTS; count++) await work();
  const { user, system } = process.cpuUsage(before);
  const elapsed = (performance.now() - startMs) / DOCUMENTS;
  return { elapsed, cpu: (user + system) / 1_000 / DOCUMENTS };
}

async function measureRounds(signersFile: string): Promise<readonly Round[]> {
  const signers = await readSigners(signersFile);
  const signer = signers.get(TEAM);
  if (signer === undefined) throw new Error('no signer');
  const service = createSigning(signers, pino({ level: 'silent' }));
  const signature: SignatureRequest = { isAsked: true, ...service.offerFor(TEAM) };
  const renderOne = (): Promise<RenderedDocument> => render(template, data, { signature });
  const signOne = async (document: RenderedDocument | undefined): Promise<void> => {
    if (document?.signature === undefined) throw new Error('no place for a signature');
    const outcome = await service.sign(TEAM, document.pdf, document.signature);
    if (!outcome.ok) throw new Error(outcome.code);
  };
  // Compiles the template, and lets the engine optimize before anything is measured.
  for (let count = 0; count < WARM_DOCUMENTS; count++) await signOne(await renderOne());
  const rounds: Round[] = [];
  for (let round = 0; round < RUNS; round++) {
    const rendered: RenderedDocument[] = [];
    rounds.push({
      rendering: await timed(async () => rendered.push(await renderOne())),
      signing: await timed(() => signOne(rendered.pop())),
      key: await timed(() => signer.sign(ATTRIBUTES)),
    });
  }
  return rounds;
}

function report(keyName: string, rounds: readonly Round[]): void {
  const print = (name: string, pickMs: (round: Round) => number): void =>
    printRange(`${keyName}: ${name}`, rangeOf(rounds.map((round) => pickMs(round) * 1_000)));
  const elapsedMs = ({ rendering, signing }: Round): number => rendering.elapsed + signing.elapsed;
  print('rendering, CPU', ({ rendering }) => rendering.cpu);
  print('signing, CPU', ({ signing }) => signing.cpu);
  print("the key's part of signing, CPU", ({ key }) => key.cpu);
  print('both, elapsed', elapsedMs);
  const perSecond = 1_000 / median(rounds.map(elapsedMs));
  console.log(`${`${keyName}: both`.padEnd(52)} ${perSecond.toFixed(0)} documents/s`);
}

printMachine(`, ${DOCUMENTS} receipts a run`);
const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-signing-'));
try {
  for (const kind of SIGNER_KINDS) {
    report(kind, await measureRounds(makeSigner(folder, TEAM, kind)));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
