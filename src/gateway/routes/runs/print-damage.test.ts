import { hash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { callerOf, rows } from '../../../../test/fixtures/runs/caller.ts';
import type { PrintSegment } from '../../../store/runs/prints/types.ts';
import type { RunFinding } from '../../../store/runs/types.ts';

/** The pieces in which a download reads are 256 KB: each segment has several. */
const SEGMENT_BYTES = 700_000;

interface Received {
  readonly status: number;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly etag: string | null;
}

/** A run with two documents for its two print files, which the test makes. */
async function sceneOf(t: Test, key: Uint8Array | null) {
  const encryption = key === null ? {} : { encryption: { keys: () => [key] } };
  const caller = await callerOf(t, { store: encryption });
  const { service, make, put, act, reach, get } = caller;
  const url = await make();
  await put(url, 1, rows(2));
  await act(url, 'start');
  await reach(url, 'done');
  const runId = url.slice(-36);
  const { store } = service;
  const found = await store.runs.find('bank', runId);
  if (!found.found) throw new Error(found.why);
  const run = { ...found.value, spec: { ...found.value.spec, documentsPerPrint: 1 } };
  await store.runPrints.prepare(run);
  const addPrint = async (segments: readonly PrintSegment[], sha256: string): Promise<number> => {
    const plan = await store.runPrints.lease(run, 'test');
    const { number = 0 } = plan ?? {};
    const print = { segments, sha256, documents: [], packIds: [], pages: 1 };
    t.equal(await store.runPrints.finish(run, number, 'test', print), true);
    return number;
  };
  const download = async (number: number): Promise<Received> => {
    const response = await get(`${url}/prints/${number}`);
    const pieces: Uint8Array[] = [];
    let isWhole = true;
    try {
      for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      isWhole = false;
    }
    const { status, headers } = response;
    return { status, bytes: Buffer.concat(pieces), isWhole, etag: headers.get('etag') };
  };
  const scrub = async (): Promise<readonly RunFinding[]> => {
    const findings: RunFinding[] = [];
    await store.runs.scrub({ bytesPerSecond: 1e9, onFinding: (found) => findings.push(found) });
    return findings;
  };
  const warnings = async (): Promise<string> => {
    const ready = await fetch(`${service.url}/readyz`);
    return JSON.stringify(((await ready.json()) as { warnings?: unknown }).warnings ?? []);
  };
  const logged = (): string =>
    service.logged.filter((line) => line.includes('"level":50')).join('');
  return { ...caller, url, runId, addPrint, download, scrub, warnings, logged };
}

type Scene = Awaited<ReturnType<typeof sceneOf>>;

/** Two segments, and the bytes of both. */
async function segmentsOf({ service, runId }: Scene) {
  const pieces = [randomBytes(SEGMENT_BYTES), randomBytes(SEGMENT_BYTES)];
  const segments: PrintSegment[] = [];
  for (const piece of pieces) {
    // The store takes ownership of the bytes.
    segments.push(await service.store.runPrints.putSegment(runId, [new Uint8Array(piece)]));
  }
  const bytes = Buffer.concat(pieces);
  return { segments, bytes, sha256: hash('sha256', bytes, 'hex') };
}

function pathOf({ service }: Scene, { fileId }: PrintSegment): string {
  const files = join(service.folder, 'files');
  const name = readdirSync(files, { recursive: true })
    .map(String)
    .find((path) => path.includes(`${fileId}.`));
  if (name === undefined) throw new Error('no such file');
  return join(files, name);
}

/** Changes a stored file; returns what puts it back. */
const DAMAGES: Readonly<Record<string, (path: string) => () => void>> = {
  flipped(path) {
    const before = readFileSync(path);
    const bytes = Buffer.from(before);
    const at = bytes.byteLength - 9;
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    writeFileSync(path, bytes);
    return () => writeFileSync(path, before);
  },
  cut(path) {
    const before = readFileSync(path);
    truncateSync(path, before.byteLength - 300_000);
    return () => writeFileSync(path, before);
  },
  missing(path) {
    renameSync(path, `${path}.away`);
    return () => renameSync(`${path}.away`, path);
  },
};

for (const name of ['plain', 'encrypted']) {
  t.test(`damage of a ${name} print file reaches reader, log, /readyz and scrub`, async (t) => {
    const scene = await sceneOf(t, name === 'plain' ? null : randomBytes(32));
    const { segments, bytes, sha256 } = await segmentsOf(scene);
    const number = await scene.addPrint(segments, sha256);
    const sound = await scene.download(number);
    t.ok(sound.isWhole && sound.bytes.equals(bytes), 'it comes whole');
    t.equal(sound.etag, `"${sha256}"`);
    const listed = await (await scene.get(`${scene.url}/prints`)).json();
    t.match(listed, { prints: [{ number, sha256 }] });
    t.strictSame([await scene.scrub(), await scene.warnings()], [[], '[]']);
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      for (const [index, segment] of segments.entries()) {
        const what = `${kind} in segment ${index + 1}`;
        const finding = kind === 'missing' ? 'missing' : 'damaged';
        const repair = damage(pathOf(scene, segment));
        const before = scene.logged();
        const received = await scene.download(number);
        if (received.status === 200) {
          t.equal(received.isWhole, false, `${what}: the connection was cut`);
          t.ok(received.bytes.equals(bytes.subarray(0, received.bytes.length)), 'before it');
          t.ok(received.bytes.length < bytes.length, 'not all came');
        } else {
          t.match([received.status, index], [500, 0], what);
          t.match(received.bytes.toString(), /print file is damaged or lost/, what);
        }
        const told = scene.logged().slice(before.length);
        t.match(told, `"msg":"a print file is ${finding}"`, what);
        t.match(told, new RegExp(`"runId":"${scene.runId}","print":${number}`), what);
        t.match(await scene.warnings(), scene.runId, `${what}: /readyz`);
        const found = { runId: scene.runId, file: 'print', number, finding };
        t.strictSame(await scene.scrub(), [found], what);
        repair();
        t.strictSame(await scene.scrub(), [], 'intact again');
        await scene.service.store.documents.sweep(Date.now());
        t.equal(await scene.warnings(), '[]', 'so nothing warns');
      }
    }
    const again = await scene.download(number);
    t.ok(again.isWhole && again.bytes.equals(bytes));
  });
}

t.test('a print file whose segments changed places is not delivered whole', async (t) => {
  const scene = await sceneOf(t, null);
  const { segments, sha256 } = await segmentsOf(scene);
  // What a changed row of MySQL would hold, which has no checks of rows.
  const swapped = await scene.addPrint(segments.toReversed(), sha256);
  const short = await scene.addPrint(segments.slice(0, 1), sha256);
  for (const number of [swapped, short]) {
    const received = await scene.download(number);
    t.equal(received.isWhole, false);
    t.match(scene.logged(), `"print":${number}`);
  }
  t.match(await scene.scrub(), [
    { number: swapped, finding: 'damaged' },
    { number: short, finding: 'damaged' },
  ]);
  t.match(await scene.warnings(), scene.runId);
  const figures = await (await fetch(`${scene.service.url}/metrics`)).text();
  t.match(figures, /^intaglio_damaged_runs 1$/m);
});
