import t from 'tap';
import { SignerQueue } from './signer-queue.ts';

/** A signature that ends when the test says so. */
function pending(name: string, began: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sign = (): Promise<string> => {
    began.push(name);
    return promise;
  };
  return { sign, end: () => resolve(name) };
}

t.test('rows are bounded, and requests come before those that wait', async (t) => {
  const queue = new SignerQueue(2);
  const began: string[] = [];
  const rows = ['r0', 'r1', 'r2', 'r3'].map((name) => pending(name, began));
  const [r0, r1, r2, r3] = rows;
  const done = rows.map(({ sign }) => queue.row(sign));
  t.strictSame(began, ['r0', 'r1']);
  const request = pending('request', began);
  const asked = queue.request(request.sign);
  t.strictSame(began, ['r0', 'r1', 'request'], 'a request waits for no row');
  r0?.end();
  await done[0];
  t.equal(began.length, 3, 'its place is that of the row that ended');
  request.end();
  t.equal(await asked, 'request');
  t.strictSame(began.slice(3), ['r2']);
  for (const row of [r1, r2, r3]) row?.end();
  t.strictSame(await Promise.all(done), ['r0', 'r1', 'r2', 'r3']);
});

t.test('a signature that fails makes room, too', async (t) => {
  const queue = new SignerQueue(1);
  await t.rejects(
    queue.row(() => Promise.reject(new Error('away'))),
    /away/,
  );
  t.equal(await queue.row(() => Promise.resolve('signed')), 'signed');
});
