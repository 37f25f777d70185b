import t from 'tap';
import { callerOf, type RunCaller } from '../../../../test/fixtures/runs/caller.ts';

const CSV = { 'content-type': 'text/csv' };
const TOTALS = { rows: 30, sums: { total: '31.50' } };

/** 30 rows of 1.05 on lines 2 to 31; `cells` has the rest of some lines in place of theirs. */
function thirty(cells: Readonly<Record<number, string>>): string {
  const rows = Array.from(
    { length: 30 },
    (_, index) => `R${index},${cells[index + 2] ?? '1.05,'}\n`,
  );
  return `customer,total,do\n${rows.join('')}`;
}

/** Makes a run of these rows, and starts it until it has stopped. */
async function stoppedRun(caller: RunCaller, rows: string, spec: object): Promise<string> {
  const url = await caller.make({ expected: TOTALS, ...spec });
  await caller.put(url, 1, rows, CSV);
  await caller.act(url, 'start', {});
  await caller.reach(url, 'stopped');
  return url;
}

function withdraw(caller: RunCaller, url: string, ...lines: number[]): Promise<object> {
  return caller.act(url, 'withdraw', { rows: lines.map((line) => ({ part: 1, line })) });
}

t.test('a stopped run has the reasons that hold after a withdrawal', async (t) => {
  const caller = await callerOf(t);
  const rows = thirty({ 8: '1.05,invalid', 20: '1.05,invalid' });
  const url = await stoppedRun(caller, rows, { onInvalid: 'skip', invalidShareMax: 0.2 });
  t.match(await caller.run(url), {
    counts: { stored: 28, invalid: 2 },
    reasons: [
      { name: 'rows', actual: '28' },
      { name: 'total', actual: '29.40' },
    ],
  });
  t.match(await withdraw(caller, url, 8), {
    counts: { stored: 28, invalid: 1, withdrawn: 1 },
    reasons: [
      { name: 'rows', expected: '30', actual: '29' },
      { name: 'total', expected: '31.50', actual: '30.45' },
    ],
  });
  t.match(await withdraw(caller, url, 20), { state: 'stopped', reasons: [] });
  t.match(await caller.run(url), { state: 'stopped', reasons: [] });
  await caller.act(url, 'start', {});
  t.match(await caller.reach(url, 'done'), { counts: { stored: 28, withdrawn: 2 }, reasons: [] });
});

t.test('the reasons of a check are judged again, too', async (t) => {
  const caller = await callerOf(t);
  const spec = { expected: { rows: 31 }, onInvalid: 'stop' };
  const url = await stoppedRun(caller, thirty({ 8: '1.05,invalid', 20: '1.05,invalid' }), spec);
  const rows = { name: 'rows', expected: '31', actual: '30' };
  t.match(await withdraw(caller, url, 8), { reasons: [{ name: 'invalid', actual: '1' }, rows] });
  t.match(await withdraw(caller, url, 20), { reasons: [rows] });
  await caller.act(url, 'start', { dryRun: true, expected: { rows: 30 } });
  t.match(await caller.reach(url, 'receiving'), { reasons: [] });
});

t.test('a withdrawn row whose amount cannot be read counts as 0, and is told', async (t) => {
  const caller = await callerOf(t);
  const rows = thirty({ 8: '1.05,invalid', 20: '1.O5,invalid' });
  const url = await stoppedRun(caller, rows, { onInvalid: 'stop' });
  const sum = { name: 'total', expected: '31.50', actual: '30.45' };
  t.match(await caller.run(url), { reasons: [{ name: 'invalid' }, { ...sum, unread: 1 }] });
  const listed = await (await caller.get(`${url}/exceptions`)).json();
  t.match(listed, { rows: [{ line: 8 }, { line: 20, unread: ['total'] }] });
  t.notHas((listed as { rows: readonly object[] }).rows[0], { unread: [] });
  const { reasons } = (await withdraw(caller, url, 8, 20)) as { reasons: readonly object[] };
  t.strictSame(reasons, [{ ...sum, unreadWithdrawn: 1 }]);
  await caller.act(url, 'start', {});
  const again = await caller.reach(url, 'stopped');
  t.strictSame((again as { reasons: unknown }).reasons, reasons, 'the start finds the same');
  await caller.act(url, 'start', { expected: { sums: { total: '30.45' } } });
  t.match(await caller.reach(url, 'done'), { counts: { stored: 28, withdrawn: 2 }, reasons: [] });
});

t.test('rows that came since the check, and a later withdrawal, leave the reasons', async (t) => {
  const caller = await callerOf(t);
  const url = await stoppedRun(caller, thirty({ 8: '1.05,invalid', 20: '1.05,invalid' }), {});
  const { store } = caller.service;
  const before = await store.runs.find('bank', url.slice(-36));
  t.ok(before.found);
  await withdraw(caller, url, 8);
  // Another instance that has judged the run as it was before comes too late.
  if (before.found) await store.runs.noteReasons(before.value, [], null);
  t.match(await caller.run(url), { reasons: [{ name: 'invalid', actual: '1' }] });
  await caller.put(url, 2, 'customer,total,do\nR30,1.05,\n', CSV);
  t.match(await withdraw(caller, url, 20), { reasons: [{ name: 'invalid', actual: '1' }] });
});
