import { hash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Test } from 'tap';
import type { RenderedChunk } from '../../src/store/runs/rendered.ts';
import type { RunRecord, RunSpec } from '../../src/store/runs/types.ts';
import type { Store } from '../../src/store/store.ts';
import { overDialects, type StorePlace } from './dialects.ts';
import { newAudit, newDocument } from './samples.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';

/** Leases between instances whose clocks differ or are set. */

const LEASE_MS = 20_000;
const CLAIM_LEASE_MS = 30_000;
/** How often an instance without work looks for some; it reads the leases of others as often. */
const POLL_MS = 1_000;
const AHEAD_MS = 300_000;
const SPEC: RunSpec = { ...RUN_SPEC, documentsPerPrint: 1 };
const PDF = Buffer.from('%PDF-1.7 %%EOF');
const NOTHING: RenderedChunk = { documents: [], failures: new Map(), pieces: [] };

/** The result of a chunk whose one row became a document. */
function oneDocument(): RenderedChunk {
  const sha256 = hash('sha256', PDF, 'hex');
  const rest = { crc32: crc32(PDF), missingCharacters: 0, naming: null, signedBy: null };
  const document = { position: 0, sha256, pages: 1, bytes: PDF.length, ...rest };
  return { documents: [document], failures: new Map(), pieces: [new Uint8Array(PDF)] };
}

/** Stores of several instances over one database; time passes for all, their wall clocks differ. */
class Fleet {
  readonly #t: Test;
  readonly #place: StorePlace;
  #elapsedMs = 0;

  constructor(t: Test, place: StorePlace) {
    this.#t = t;
    this.#place = place;
  }

  /** `set` puts the wall clock of the instance off by so many ms. */
  async add(aheadMs: number): Promise<{ store: Store; owner: string; set: (ms: number) => void }> {
    const startMs = Date.now();
    let offMs = aheadMs;
    const clock = {
      wallMs: () => startMs + this.#elapsedMs + offMs,
      monotonicMs: () => this.#elapsedMs,
    };
    const store = await this.#place.open(this.#t, { clock });
    return { store, owner: randomUUID(), set: (ms) => (offMs = ms) };
  }

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  pass(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Looks as an engine does until `look` returns something; returns how long that took. */
  async until(look: () => Promise<unknown>): Promise<number> {
    const startMs = this.#elapsedMs;
    while ((await look()) === null) {
      if (this.#elapsedMs - startMs > 2 * AHEAD_MS) throw new Error('it was never free');
      this.pass(POLL_MS);
    }
    return this.#elapsedMs - startMs;
  }
}

async function newRun(store: Store): Promise<RunRecord> {
  const run = await store.runs.create('bank', 'key:k1', SPEC);
  const bytes = Buffer.from('0123456789');
  const sha256 = hash('sha256', bytes, 'hex');
  const part = { part: 1, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 } as const;
  await store.runs.addPart(run, part, new Uint8Array(bytes));
  await store.runs.move(run.runId, { from: ['receiving'], to: 'checking', isDryRun: false });
  return run;
}

/** A run with one chunk of one row. */
async function runWithChunk(store: Store, owner: string): Promise<RunRecord> {
  const run = await newRun(store);
  const part = await store.runWork.leasePart(run.runId, owner);
  if (part === null) throw new Error('no part');
  const digest = '0'.repeat(32);
  const own = { line: 1, corrects: null, lacks: [], isEmpty: false };
  const row = { rowId: 'a', length: 10, digest, failure: null, amounts: [], ...own };
  const chunk = { toByte: 10, toLine: 2, sha256: hash('sha256', '', 'hex'), rows: [row] };
  if (!(await store.runWork.addChunk(run, part, owner, chunk))) throw new Error('no chunk');
  await store.runs.move(run.runId, { from: ['checking'], to: 'running' });
  return run;
}

/** A run whose only print file is to be made. */
async function runWithPrint(store: Store, owner: string): Promise<RunRecord> {
  const run = await runWithChunk(store, owner);
  const chunk = await store.runWork.leaseChunk(run.runId, owner);
  if (chunk === null) throw new Error('no chunk');
  await store.runWork.finishChunk(run, chunk, owner, oneDocument(), (id) => newAudit(id));
  const found = await store.runs.find('bank', run.runId);
  if (!found.found) throw new Error('no run');
  await store.runPrints.prepare(found.value);
  return found.value;
}

await overDialects('leases between clocks that differ', async (t, newPlace) => {
  await t.test(
    'the work of an instance that was ahead and died is free after a lease',
    async (t) => {
      const fleet = new Fleet(t, await newPlace());
      const [dead, other] = [await fleet.add(AHEAD_MS), await fleet.add(0)];
      const checked = await newRun(dead.store);
      const { runId } = await runWithChunk(dead.store, dead.owner);
      const printed = await runWithPrint(dead.store, dead.owner);
      const kinds: readonly (readonly [string, (of: typeof dead) => Promise<unknown>])[] = [
        ['part', ({ store, owner }) => store.runWork.leasePart(checked.runId, owner)],
        ['chunk', ({ store, owner }) => store.runWork.leaseChunk(runId, owner)],
        ['print file', ({ store, owner }) => store.runPrints.lease(printed, owner)],
        ['source', ({ store, owner }) => store.runSources.lease(runId, owner)],
      ];
      for (const [kind, lease] of kinds) {
        t.not(await lease(dead), null, kind);
        const tookMs = await fleet.until(() => lease(other));
        t.ok(tookMs >= LEASE_MS && tookMs <= LEASE_MS + 2 * POLL_MS, `${kind}: after ${tookMs} ms`);
      }
    },
  );

  await t.test('a chunk that a queue assigns is free after a lease, too', async (t) => {
    const fleet = new Fleet(t, await newPlace());
    const [dead, other] = [await fleet.add(AHEAD_MS), await fleet.add(0)];
    const { runId } = await runWithChunk(dead.store, dead.owner);
    const chunk = await dead.store.runWork.leaseChunk(runId, dead.owner);
    const { runWork } = other.store;
    t.equal(await runWork.leaseChunk(runId, other.owner, chunk?.chunkId), null);
    const tookMs = await fleet.until(async () => {
      const [chunkId] = await runWork.freeChunks(runId, 1);
      return chunkId === undefined ? null : runWork.leaseChunk(runId, other.owner, chunkId);
    });
    t.ok(tookMs <= LEASE_MS + 2 * POLL_MS, `after ${tookMs} ms`);
  });

  await t.test('an instance that is ahead and renews its lease keeps it', async (t) => {
    const fleet = new Fleet(t, await newPlace());
    const [ahead, other] = [await fleet.add(AHEAD_MS), await fleet.add(0)];
    const { runId } = await runWithChunk(ahead.store, ahead.owner);
    t.not(await ahead.store.runWork.leaseChunk(runId, ahead.owner), null);
    for (let passedMs = 0; passedMs < 5 * LEASE_MS; passedMs += LEASE_MS / 2) {
      fleet.pass(LEASE_MS / 2);
      await ahead.store.runWork.renew(ahead.owner);
      t.equal(await other.store.runWork.leaseChunk(runId, other.owner), null);
    }
  });

  await t.test('a clock that is set back or forward makes no work twice', async (t) => {
    const fleet = new Fleet(t, await newPlace());
    const [set, other] = [await fleet.add(0), await fleet.add(0)];
    const run = await runWithChunk(set.store, set.owner);
    const chunk = await set.store.runWork.leaseChunk(run.runId, set.owner);
    if (chunk === null) return t.fail('no chunk');
    set.set(2 * AHEAD_MS);
    const again = await set.store.runWork.leaseChunk(run.runId, set.owner);
    t.equal(again, null, 'it does not take its own chunk for abandoned');
    set.set(-2 * AHEAD_MS);
    await set.store.runWork.renew(set.owner);
    const taken = await other.store.runWork.leaseChunk(run.runId, other.owner);
    if (taken === null) return t.fail('the lease ended long ago by the clock of the other');
    const finish = ({ store, owner }: typeof set): Promise<boolean> =>
      store.runWork.finishChunk(run, chunk, owner, NOTHING, (id) => newAudit(id));
    t.strictSame([await finish(set), await finish(other), await finish(set)], [false, true, false]);
  });

  await t.test(
    'a claim of an instance that was ahead and died is free after a lease',
    async (t) => {
      const fleet = new Fleet(t, await newPlace());
      const [dead, other] = [await fleet.add(AHEAD_MS), await fleet.add(0)];
      const startMs = Date.now();
      const claim = { teamId: 'bank', key: 'k', bodyHash: 'a' };
      const claimed = await dead.store.idempotency.claim(claim, startMs + AHEAD_MS);
      t.match(claimed, { state: 'claimed' });
      const tookMs = await fleet.until(async () => {
        const { state } = await other.store.idempotency.claim(claim, startMs + fleet.elapsedMs);
        return state === 'claimed' ? state : null;
      });
      t.ok(tookMs >= CLAIM_LEASE_MS && tookMs <= CLAIM_LEASE_MS + POLL_MS, `after ${tookMs} ms`);
      const add = ({ store }: typeof dead): Promise<unknown> =>
        store.documents.add(newDocument(PDF), new Uint8Array(PDF), (id) => newAudit(id), claim);
      await t.rejects(add(dead), 'it only slept');
      await add(other);
    },
  );

  await t.test('a process does not take over its own claim when its clock is set', async (t) => {
    const fleet = new Fleet(t, await newPlace());
    const { store } = await fleet.add(0);
    const claim = { teamId: 'bank', key: 'k', bodyHash: 'a' };
    t.match(await store.idempotency.claim(claim, Date.now()), { state: 'claimed' });
    const later = await store.idempotency.claim(claim, Date.now() + 2 * AHEAD_MS);
    t.match(later, { state: 'running' });
  });
});
