import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import type { RenderedDocument, SharedTemplate, SignatureRequest } from '../../src/workers/job.ts';
import run from '../../src/workers/render.ts';

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
const runs = Number(values.runs);
/** The approximate size of the attributes that a signature covers. */
const ATTRIBUTES_BYTES = 250;
const WARM_DOCUMENTS = runs === 1 ? 1 : 50;
const DOCUMENTS = runs === 1 ? 5 : Number(values.documents);

const KEYS = {
  'RSA-3072': ['rsa:3072'],
  'P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
} as const;

interface Sample {
  readonly samples: readonly { readonly data: unknown }[];
}

const bytes = readFileSync(new URL('../../templates/receipt.json', import.meta.url));
const source = new SharedArrayBuffer(bytes.length);
new Uint8Array(source).set(bytes);
const hash = createHash('sha256').update(bytes).digest('hex');
const template: SharedTemplate = { hash, source, templateId: 'receipt', version: 1 };
// Checked when the samples were made.
const [sample] = (JSON.parse(bytes.toString('utf8')) as Sample).samples;
const body = Buffer.from(JSON.stringify(sample?.data));

async function render(signature: SignatureRequest): Promise<RenderedDocument> {
  const place = { dataStart: 0, dataEnd: body.length, atMs: Date.UTC(2026, 10, 21) };
  const options = { attachments: [], watermark: null, metadata: null, checkOnly: false };
  const job = { kind: 'render', template, body, ...place, ...options, digest: true } as const;
  const made = await run({ ...job, signature });
  if (made === undefined || !('ok' in made) || !made.ok || !('pdf' in made.value)) {
    throw new Error('the receipt was not rendered');
  }
  return made.value;
}

/** Wall time and CPU of `DOCUMENTS` calls, in ms a document. */
async function timed(work: () => Promise<void>): Promise<{ wall: number; cpu: number }> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  for (let count = 0; count < DOCUMENTS; count++) await work();
  const { user, system } = process.cpuUsage(before);
  const wall = (performance.now() - startMs) / DOCUMENTS;
  return { wall, cpu: (user + system) / 1_000 / DOCUMENTS };
}

function report(name: string, ms: readonly number[]): void {
  const sorted = ms.toSorted((one, other) => one - other);
  const [low, middle, high] = [0, 0.5, 1].map((share) =>
    ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 1_000).toFixed(0),
  );
  console.log(`${name.padEnd(44)} min ${low}  median ${middle}  max ${high} µs`);
}

const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-signing-'));
try {
  console.log(`${cpus()[0]?.model ?? 'cpu'}, Node ${process.version}, ${DOCUMENTS} receipts a run`);
  writeFileSync(join(folder, 'password'), 'bench');
  for (const [name, algorithm] of Object.entries(KEYS)) {
    const openssl = (...words: string[]): void => {
      execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
    };
    openssl(
      'req',
      '-x509',
      '-newkey',
      ...algorithm,
      '-nodes',
      '-subj',
      '/CN=Bench',
      '-keyout',
      'k',
      '-out',
      'c',
    );
    openssl(
      'pkcs12',
      '-export',
      '-inkey',
      'k',
      '-in',
      'c',
      '-out',
      'k.p12',
      '-passout',
      'file:password',
    );
    const teams = { bank: { pkcs12: 'k.p12', passwordFile: 'password' } };
    writeFileSync(join(folder, 'signers.json'), JSON.stringify({ teams }));
    const signers = await readSigners(join(folder, 'signers.json'));
    const signing = createSigning(signers, pino({ level: 'silent' }));
    const signature = { isAsked: true, ...signing.offerFor('bank') };
    const rounds: {
      key: number;
      rendered: number;
      signed: number;
      cpuRendered: number;
      cpuSigned: number;
    }[] = [];
    const signer = signers.get('bank');
    if (signer === undefined) throw new Error('no signer');
    const attributes = Buffer.alloc(ATTRIBUTES_BYTES, 7);
    // Compiles the template, and lets the engine optimize before anything is measured.
    for (let count = 0; count < WARM_DOCUMENTS; count++) {
      const { pdf, signature: place } = await render(signature);
      if (place !== undefined) await signing.sign('bank', pdf, place);
    }
    for (let round = 0; round < runs; round++) {
      const ready: RenderedDocument[] = [];
      const rendered = await timed(async () => void ready.push(await render(signature)));
      const signed = await timed(async () => {
        const document = ready.pop();
        if (document?.signature === undefined) throw new Error('no place for a signature');
        const outcome = await signing.sign('bank', document.pdf, document.signature);
        if (!outcome.ok) throw new Error(outcome.code);
      });
      const key = await timed(async () => void (await signer.sign(attributes)));
      rounds.push({
        key: key.cpu,
        rendered: rendered.wall,
        signed: signed.wall,
        cpuRendered: rendered.cpu,
        cpuSigned: signed.cpu,
      });
    }
    report(
      `${name}: rendering, CPU`,
      rounds.map((one) => one.cpuRendered),
    );
    report(
      `${name}: signing, CPU`,
      rounds.map((one) => one.cpuSigned),
    );
    report(
      `${name}: the key's part of signing, CPU`,
      rounds.map((one) => one.key),
    );
    report(
      `${name}: both, elapsed`,
      rounds.map((one) => one.rendered + one.signed),
    );
    const elapsed = rounds
      .map((one) => one.rendered + one.signed)
      .toSorted((one, two) => one - two);
    const middle = elapsed[(elapsed.length - 1) >> 1] ?? 0;
    console.log(`${`${name}: both`.padEnd(44)} ${(1_000 / middle).toFixed(0)} documents/s`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
