import { setImmediate, setTimeout } from 'node:timers/promises';
import t from 'tap';
import type { KeyLookup, KeyRecord, Store } from '../store/store.ts';
import { Authenticator, refuseCrossSite, type Sender } from './callers/auth.ts';
import type { HeaderLines, RequestHeaders } from './http/headers.ts';
import { isJson } from './http/content.ts';
import { cookieOf, noHeaders, readHeaders } from './http/headers.ts';
import { Links } from './callers/links.ts';
import { TimingMask } from './callers/timing-mask.ts';
import { readRange } from './reply/range.ts';
import { TextSealer } from './callers/seal.ts';

const DOCUMENT = '018f0000-0000-7000-8000-000000000000';
const NEW = 'a secret of at least 32 characters';
const OLD = 'the one before, at least 32 too, x';

function headersWith(changes: Record<string, string>): RequestHeaders {
  const lines = Object.entries(changes);
  const forEach: HeaderLines['forEach'] = (visit) =>
    lines.forEach(([name, value]) => visit(name, value));
  return readHeaders({ forEach }).headers;
}

type FindKey = (apiKey: string) => Promise<KeyLookup>;

/** A store of keys; `onBatch` is told how many are looked up at once. */
function storeOf(find: FindKey, onBatch: (keys: number) => void = () => undefined): Store {
  const findAll = (apiKeys: readonly string[]): Promise<readonly KeyLookup[]> => {
    onBatch(apiKeys.length);
    return Promise.all(apiKeys.map(find));
  };
  return { keys: { find, findAll } } as unknown as Store;
}

/** A store that knows one key until it is revoked. */
function storeWith(key: {
  value: string;
  revoked: boolean;
  lookups: number;
  expiresAtMs?: number;
}): Store {
  const record: KeyRecord = {
    keyId: 'k',
    teamId: 'bank',
    name: '',
    scopes: ['generate'],
    rateLimitPerMinute: null,
    createdAtMs: 0,
    revokedAtMs: null,
    expiresAtMs: key.expiresAtMs ?? null,
    lastUsedAtMs: null,
  };
  const find = (apiKey: string): Promise<KeyLookup> => {
    key.lookups += 1;
    if (apiKey !== key.value) return Promise.resolve({ state: 'unknown' });
    return Promise.resolve({ state: key.revoked ? 'revoked' : 'valid', record });
  };
  return storeOf(find);
}

const NO_HEADERS = noHeaders();
const from = (headers: RequestHeaders): Sender => ({ headers, client: '192.0.2.1' });
const UNWATCHED = { used: (): void => undefined, ended: (): void => undefined };

t.test('a key is cached for seconds, and a revoked one refused within 5', async (t) => {
  let now = 1_000;
  const key = { value: 'ik_good', revoked: false, lookups: 0 };
  const authenticator = new Authenticator(storeWith(key), Date.now, () => now, UNWATCHED);
  const headers = headersWith({ 'x-api-key': 'ik_good' });
  const [one, other] = [
    authenticator.identify(from(headers)),
    authenticator.identify(from(headers)),
  ];
  t.match([await one, await other], [{ id: 'key:k' }, { id: 'key:k' }]);
  t.equal(key.lookups, 1, 'at once: one look-up');
  t.match(authenticator.identify(from(headers)), { id: 'key:k', teamId: 'bank' }, 'no promise');
  key.revoked = true;
  now += 5_000;
  t.equal(await authenticator.identify(from(headers)), null);
  t.equal(await authenticator.identify(from(headersWith({ 'x-api-key': 'ik_bad' }))), null);
  t.equal(await authenticator.identify(from(headersWith({ 'x-api-key': 'ik_bad' }))), null);
  t.equal(key.lookups, 3, 'a wrong one is remembered, too');
  t.equal(authenticator.identify(from(headersWith({ 'x-api-key': 'no prefix' }))), null);
  t.equal(authenticator.identify(from(headersWith({}))), null);
});

t.test('a key in steady use is looked up ahead, and its caller never waits', async (t) => {
  let now = 1_000;
  const key = { value: 'ik_good', revoked: false, lookups: 0 };
  const authenticator = new Authenticator(storeWith(key), Date.now, () => now, UNWATCHED);
  const sender = from(headersWith({ 'x-api-key': 'ik_good' }));
  const known = { id: 'key:k', teamId: 'bank' };
  await authenticator.identify(sender);
  for (let calls = 1; calls <= 20; calls += 1) {
    now += 500;
    t.match(authenticator.identify(sender), known, `no promise at call ${calls}`);
    await setImmediate();
  }
  t.equal(key.lookups, 5, 'once in 2.5 s');
  key.revoked = true;
  now += 2_400;
  t.match(authenticator.identify(sender), known, 'used while it is looked up');
  await setImmediate();
  t.equal(await authenticator.identify(sender), null);
});

t.test('a key is not cached beyond its expiry', async (t) => {
  let now = 1_000;
  const key = { value: 'ik_good', revoked: false, lookups: 0, expiresAtMs: 2_000 };
  const authenticator = new Authenticator(
    storeWith(key),
    () => now,
    () => now,
    UNWATCHED,
  );
  const headers = headersWith({ 'x-api-key': 'ik_good' });
  t.match(await authenticator.identify(from(headers)), { id: 'key:k' });
  now += 240;
  t.match(authenticator.identify(from(headers)), { id: 'key:k' });
  t.equal(key.lookups, 1);
  key.revoked = true;
  now += 761;
  t.equal(await authenticator.identify(from(headers)), null);
});

/** Every key is known by its number; those that end in 9 are revoked. */
function findNumbered(apiKey: string): Promise<KeyLookup> {
  const record = {
    keyId: apiKey.slice(3),
    teamId: 'bank',
    scopes: ['generate'],
    expiresAtMs: null,
  };
  const state = apiKey.endsWith('9') ? 'revoked' : 'valid';
  return Promise.resolve({ state, record } as unknown as KeyLookup);
}

t.test('of many keys in use, each is its own caller', async (t) => {
  const count = 40;
  const ended: string[] = [];
  const observer = { ...UNWATCHED, ended: ({ keyId }: KeyRecord) => void ended.push(keyId) };
  const store = storeOf(findNumbered);
  const authenticator = new Authenticator(store, Date.now, () => 1_000, observer);
  const rounds = 4;
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < count; i++) {
      const principal = await authenticator.identify(from(headersWith({ 'x-api-key': `ik_${i}` })));
      if (i % 10 === 9) t.equal(principal, null);
      else t.match(principal, { id: `key:${i}` });
    }
  }
  t.equal(ended.length, (rounds * count) / 10, 'each use of a revoked key is reported');
  t.same([authenticator.misses, authenticator.hits], [count, (rounds - 1) * count]);
});

t.test('a crowd with random keys delays neither known callers nor other addresses', async (t) => {
  let now = 1_000;
  const batches: number[] = [];
  const waiting: (() => void)[] = [];
  const find = async (apiKey: string): Promise<KeyLookup> => {
    if (!apiKey.startsWith('ik_random')) return findNumbered(apiKey);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { state: 'unknown' };
  };
  const store = storeOf(find, (keys) => batches.push(keys));
  const authenticator = new Authenticator(store, Date.now, () => now, UNWATCHED);
  const known = from(headersWith({ 'x-api-key': 'ik_1' }));
  t.match(await authenticator.identify(known), { id: 'key:1' });
  now += 10_000;
  const crowd = Array.from({ length: 2_500 }, async (_, index) =>
    authenticator.identify(from(headersWith({ 'x-api-key': `ik_random${index}` }))),
  );
  t.match(await authenticator.identify(known), { id: 'key:1' }, 'looked up again at once');
  const before = batches.length;
  const fresh = { headers: headersWith({ 'x-api-key': 'ik_2' }), client: '192.0.2.2' };
  const answerUntil = async (awaited: Promise<unknown>): Promise<void> => {
    const state = { isOver: false };
    void awaited.then(() => (state.isOver = true));
    while (!state.isOver) {
      for (const answer of waiting.splice(0)) answer();
      await setImmediate();
    }
  };
  const identified = Promise.resolve(authenticator.identify(fresh));
  await answerUntil(identified);
  t.match(await identified, { id: 'key:2' });
  t.ok(batches.length <= before + 2, 'a new caller elsewhere is in the next batch');
  await answerUntil(Promise.all(crowd));
  t.ok((await Promise.all(crowd)).every((principal) => principal === null));
  t.ok(batches.length <= 14, `${batches.length} look-ups for 2,502 keys`);
});

t.test('authentication of a known key costs less than 20 µs', async (t) => {
  const key = { value: `ik_${'x'.repeat(43)}`, revoked: false, lookups: 0 };
  const authenticator = new Authenticator(
    storeWith(key),
    Date.now,
    () => performance.now(),
    UNWATCHED,
  );
  const headers = headersWith({ 'x-api-key': key.value });
  await authenticator.identify(from(headers));
  const rounds: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const before = process.cpuUsage();
    for (let call = 0; call < 2_000; call += 1) authenticator.identify(from(headers));
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 2_000);
  }
  const best = Math.min(...rounds);
  t.ok(best < 20, `${best} µs`);
});

const TTL_MS = 900_000;
const NOW_MS = 1_800_000_000_000;
const linksOf = (secrets: readonly string[]): Links =>
  new Links(
    () => secrets,
    TTL_MS,
    () => NOW_MS,
  );
const sealOf = (secrets: readonly string[], purpose: string): TextSealer =>
  new TextSealer(() => secrets, purpose);

t.test('a link that names a longer life than the service gives is not ours', async (t) => {
  const links = linksOf([OLD]);
  const tolerated = { documentId: DOCUMENT, expiresAtMs: NOW_MS + TTL_MS + 600_000 };
  t.same(links.read(links.issue(tolerated)), tolerated, 'the clock of another instance is ahead');
  const longer = { documentId: DOCUMENT, expiresAtMs: NOW_MS + TTL_MS + 600_001 };
  t.equal(links.read(links.issue(longer)), null);
});

t.test('a removed secret still verifies links that it may have signed', async (t) => {
  let secrets = [OLD];
  let nowMs = NOW_MS;
  const links = new Links(
    () => secrets,
    TTL_MS,
    () => nowMs,
  );
  const link = { documentId: DOCUMENT, expiresAtMs: NOW_MS + TTL_MS };
  const before = links.issue(link);
  secrets = [NEW];
  t.same(links.read(before), link, 'a link from before');
  t.equal(linksOf([OLD]).read(links.issue(link)), null, 'the new one signs');
  const later = { documentId: DOCUMENT, expiresAtMs: NOW_MS + TTL_MS + 1 };
  t.equal(
    links.read(linksOf([OLD]).issue(later)),
    null,
    'a stolen secret cannot sign longer links',
  );
  nowMs += TTL_MS;
  secrets = [`${NEW} again`];
  t.equal(links.read(before), null, 'forgotten once its links have expired');
});

t.test('links: rotated secrets, nonces, tampering', async (t) => {
  const old = linksOf([OLD]);
  const both = linksOf([NEW, OLD]);
  const link = { documentId: DOCUMENT, expiresAtMs: 1_800_000_000_123 };
  t.same(both.read(old.issue(link)), link, 'the one before still verifies');
  t.equal(old.read(both.issue(link)), null, 'the new one signs');
  t.not(both.issue(link), both.issue(link));
  const token = both.issue(link);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    t.equal(both.read(token.slice(0, at) + other + token.slice(at + 1)), null, `at ${at}`);
  }
  for (const bad of ['', '.', `${DOCUMENT}.0..`, `${token}x`, token.slice(0, -1)]) {
    t.equal(both.read(bad), null);
  }
});

t.test('a seal opens only with the same secrets and purpose', async (t) => {
  const seal = sealOf([NEW, OLD], 'one');
  t.equal(seal.open(sealOf([OLD], 'one').seal('สวัสดี')), 'สวัสดี');
  t.equal(seal.open(sealOf([NEW], 'two').seal('x')), null);
  t.equal(seal.open(''), null);
  t.equal(seal.open('AAAA'.repeat(20)), null);
});

t.test('ranges', async (t) => {
  const cases: [string, ReturnType<typeof readRange>][] = [
    ['bytes=0-0', { from: 0, to: 1 }],
    ['bytes=5-', { from: 5, to: 10 }],
    ['bytes=-3', { from: 7, to: 10 }],
    ['bytes=-30', { from: 0, to: 10 }],
    ['bytes=2-99', { from: 2, to: 10 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['bytes=0-1,3-4', null],
    ['', null],
  ];
  for (const [header, span] of cases) t.same(readRange(header, 10), span, header);
});

t.test('headers', async (t) => {
  t.equal(cookieOf('a=1; intaglio_session=tok=en ;b=2', 'intaglio_session'), 'tok=en');
  t.equal(cookieOf('xintaglio_session=1', 'intaglio_session'), '');
  for (const good of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;a=b',
  ]) {
    t.ok(isJson(good), good);
  }
  for (const bad of ['', 'text/json', 'application/json; charset=latin1', 'application/jsonx']) {
    t.notOk(isJson(bad), bad);
  }
});

async function took(work: Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

t.test('the answer for what does not exist takes as long as a recorded refusal', async (t) => {
  const wait = { isOver: false };
  const unused = new TimingMask();
  await Promise.race([unused.wait().then(() => (wait.isOver = true)), setImmediate()]);
  t.ok(wait.isOver, 'no sample yet');
  // A stall of the machine distorts the waits, so the closest of twenty counts.
  let closestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20 && closestMs > 15; tries += 1) {
    const timingMask = new TimingMask();
    const refused: number[] = [];
    for (const ms of [20, 20, 20]) refused.push(await took(timingMask.time(setTimeout(ms))));
    const waited = await took(timingMask.wait());
    // Node's timers may be a millisecond early.
    t.ok(waited >= 15, `${waited} ms`);
    closestMs = Math.min(closestMs, ...refused.map((ms) => Math.abs(waited - ms)));
  }
  t.ok(closestMs <= 15, `${closestMs} ms from a refusal at best`);
});

t.test('an HTTPS service accepts no cookie request from a page over HTTP', (t) => {
  const sent = { contentType: 'application/json', host: 'in.example', fetchSite: '' };
  const refusal = (origin: string, own: string, isSecure = false): string =>
    refuseCrossSite({ ...NO_HEADERS, ...sent, origin }, own, isSecure)?.code ?? '';
  t.equal(refusal('http://in.example', 'https://pdf.example'), 'forbidden');
  t.equal(refusal('https://in.example', 'https://pdf.example'), '');
  t.equal(refusal('https://pdf.example', 'https://pdf.example'), '');
  t.equal(refusal('https://in.example', 'http://10.0.0.1:8080'), '', 'TLS ends at a proxy');
  t.equal(refusal('http://in.example', 'http://10.0.0.1:8080', true), 'forbidden', 'and says so');
  t.end();
});
