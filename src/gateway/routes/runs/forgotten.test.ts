import t from 'tap';
import { callerOf, refused, rows } from '../../../../test/fixtures/runs/caller.ts';
import { addPrint } from '../../../../test/fixtures/runs/print-file.ts';

const told = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();

const ROWS = 6;
const HOUR_MS = 3_600_000;

t.test('a run that is done forgets its print files when its documents have expired', async (t) => {
  const caller = await callerOf(t);
  const { service, make, put, act, reach, get } = caller;
  const url = await make({ retentionSeconds: 3_600 });
  await put(url, 1, rows(ROWS));
  await act(url, 'start');
  const before = await reach(url, 'done');
  await addPrint(service, url.slice(-36), ROWS);
  const index = await (await get(`${url}/prints/1/index`)).text();
  t.match(index, '"row":"C0"');
  t.equal((await get(`${url}/prints/2`)).status, 404);
  await service.store.documents.sweep(Date.now() + 2 * HOUR_MS);

  const gone = 'gone: The documents of this run have expired.';
  t.equal(await refused(get(`${url}/prints/1/index`)), gone, 'it named the ids of rows');
  t.equal(await refused(get(`${url}/prints/1`)), gone);
  t.equal((await get(`${url}/manifest`)).status, 410);
  t.strictSame(await (await get(`${url}/prints`)).json(), { prints: [], next: null });
  const after = await caller.run(url);
  t.strictSame(after.counts, before.counts);
  t.strictSame(after.sums, before.sums);
  t.equal((await put(url, 1, rows(ROWS))).status, 200, 'a part that comes again is known');
  const records = await service.store.audit.list({ countMax: 100, requestId: url.slice(-36) });
  t.equal(records.length, ROWS, 'the audit keeps a record of each document');
});

t.test(
  'a document whose pack was destroyed is gone, although the clock was set back',
  async (t) => {
    const caller = await callerOf(t);
    const { service, make, put, act, reach, get, post } = caller;
    const url = await make({ retentionSeconds: 3_600 });
    await put(url, 1, rows(1));
    await act(url, 'start');
    await reach(url, 'done');
    const { documentId = '', sha256 } = JSON.parse(await (await get(`${url}/manifest`)).text()) as {
      documentId?: string;
      sha256?: string;
    };
    const record = `${service.url}/v1/documents/${documentId}`;
    const { url: link } = (await told(get(record))) as { url: string };
    // The clock of the service is two hours behind that of the sweep.
    await service.store.documents.sweep(Date.now() + 2 * HOUR_MS);
    for (const address of [record, `${record}?download=1`, link]) {
      t.match(await refused(get(address)), /^gone: /, address);
    }
    t.match(await told(post(`${service.url}/v1/verify`, { sha256 })), {
      issued: true,
      available: false,
      documents: [{ documentId, available: false }],
    });
  },
);

t.test('a run that was cancelled forgets its parts, but how many there were', async (t) => {
  const caller = await callerOf(t);
  const { service, make, put, act, get } = caller;
  const url = await make();
  for (let part = 1; part <= 5; part += 1) await put(url, part, rows(2, 2 * part));
  const before = await caller.run(url);
  await act(url, 'cancel');
  await service.store.documents.sweep(Date.now() + 2 * HOUR_MS);
  const after = await caller.run(url);
  t.strictSame(after.counts, before.counts);
  t.match(after, { partCount: 5, lastPart: 5 });
  t.match(await told(get(url)), { parts: [{ part: 5 }] });
});
