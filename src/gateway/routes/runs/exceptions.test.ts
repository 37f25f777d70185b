import type { Test } from 'tap';
import t from 'tap';
import { callerOf, refused, type RunCaller } from '../../../../test/fixtures/runs/caller.ts';

const CSV = { 'content-type': 'text/csv' };

interface Listed {
  readonly rows: readonly {
    readonly part: number;
    readonly line: number;
    readonly rowId: string;
    readonly fields?: readonly { readonly field: string; readonly reason: string }[];
    readonly data: Readonly<Record<string, string>> | null;
  }[];
  readonly next: string | null;
}

/** 200 rows of 1.05; lines 18 (its id), 94 and 151 are faulty. */
function monthEnd(): string {
  return `customer,total,do,note\n${Array.from({ length: 200 }, rowAt).join('')}`;
}

function rowAt(_: unknown, index: number): string {
  const [id, fault] = [index === 16 ? '' : `C${index}`, index === 92 || index === 149];
  return `${id},1.05,${fault ? 'invalid' : ''},"=2+${index}"\n`;
}

const TOTALS = { expected: { rows: 200, sums: { total: '210.00' } } };

async function exceptions({ get }: RunCaller, url: string, query = ''): Promise<Listed> {
  return (await (await get(`${url}/exceptions${query}`)).json()) as Listed;
}

async function withdraw(caller: RunCaller, url: string, ...lines: string[]): Promise<object> {
  const rows = lines.map((place) => {
    const [part, line] = place.split(':').map(Number);
    return { part, line };
  });
  return caller.act(url, 'withdraw', { rows });
}

/** Starts and waits until the run rests. */
async function start(caller: RunCaller, url: string, state: string, body = {}): Promise<object> {
  await caller.act(url, 'start', body);
  return caller.reach(url, state);
}

/** Every row has one outcome: the counts agree with the manifest and with each other. */
async function balances(t: Test, caller: RunCaller, url: string): Promise<void> {
  const { counts } = await caller.run(url);
  const lines = (await (await caller.get(`${url}/manifest`)).text()).split('\n').filter(Boolean);
  const outcomes = lines.map((line) => (JSON.parse(line) as { outcome: string }).outcome);
  const names = ['stored', 'pending', 'invalid', 'failed', 'withdrawn', 'identical'];
  for (const name of names) {
    const found = outcomes.filter((outcome) => outcome === name).length;
    t.equal(counts[name], found, `${name} as in the manifest`);
  }
  const sum = names.reduce((total, name) => total + (counts[name] ?? 0), 0);
  t.equal(counts['received'], sum, 'received is the sum of the others');
  t.equal(lines.length, sum, 'and the manifest has a line for each');
}

t.test('200 rows, three faulty, are corrected in a spreadsheet and end exactly', async (t) => {
  const caller = await callerOf(t);
  const { put, reach, get, make } = caller;
  const url = await make(TOTALS);
  t.equal((await put(url, 1, monthEnd(), CSV)).status, 201);
  t.match(await start(caller, url, 'stopped'), {
    counts: { received: 200, stored: 0, pending: 197, invalid: 3 },
    reasons: [{ name: 'invalid', expected: '0', actual: '3' }],
    sums: { total: '206.85' },
    fileSums: { total: '210.00' },
  });
  await balances(t, caller, url);
  t.match(await exceptions(caller, url), {
    rows: [
      { part: 1, line: 18, rowId: '', fields: [{ field: 'customer' }], data: { note: '=2+16' } },
      { part: 1, line: 94, rowId: 'C92', fields: [{ field: 'total' }] },
      { part: 1, line: 151, rowId: 'C149', data: { total: '1.05', do: 'invalid' } },
    ],
    next: null,
  });
  const file = await (await get(`${url}/exceptions?format=csv`)).text();
  t.equal(
    file,
    '#part,#line,#reasons,customer,total,do,note\n' +
      '1,18,"customer: row id expected: 1 to 128 characters, no control characters",,1.05,,\'=2+16\n' +
      "1,94,total: number expected,C92,1.05,invalid,'=2+92\n" +
      "1,151,total: number expected,C149,1.05,invalid,'=2+149\n",
  );
  const mended = file.replaceAll('invalid,', ',').replace('characters",,', 'characters",C16,');
  t.equal((await put(url, 2, mended, CSV)).status, 201);
  await caller.act(url, 'start');
  t.match(await reach(url, 'done'), {
    counts: { received: 200, stored: 200, invalid: 0, identical: 0 },
    sums: { total: '210.00' },
    reasons: [],
  });
  await balances(t, caller, url);
  const manifest = await (await get(`${url}/manifest`)).text();
  t.match(manifest, /"row":"C16","outcome":"stored".*"part":1,"line":18/);
  const documents = await get(`${url}/zip`);
  const bytes = Buffer.from(await documents.arrayBuffer());
  t.ok(bytes.includes('"note":"=2+16"'), 'a guarded cell came back as it was uploaded');
});

t.test('rows are corrected or withdrawn one by one, by their line', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make(TOTALS);
  await put(url, 1, monthEnd(), CSV);
  await start(caller, url, 'stopped');
  t.match(await withdraw(caller, url, '1:94'), { counts: { invalid: 2, withdrawn: 1 } });
  t.match(await withdraw(caller, url, '1:94'), { counts: { withdrawn: 1 } }, 'again');
  t.match(
    await refused(caller.post(`${url}/withdraw`, { rows: [{ part: 1, line: 2 }] })),
    /line 2/,
  );
  await put(url, 2, '{"#part":1,"#line":18,"customer":"C16","total":"1.05"}\n');
  await put(url, 3, '{"#part":1,"#line":151,"customer":"C149","total":"1.05"}\n');
  t.match(await start(caller, url, 'done'), {
    counts: { received: 200, stored: 199, withdrawn: 1, invalid: 0 },
    sums: { total: '208.95' },
    fileSums: { total: '210.00' },
  });
  await balances(t, caller, url);
  const audit = await caller.service.store.audit.list({ action: 'runs.withdraw', countMax: 10 });
  t.match(audit, [{ detail: '1 rows 1:94' }, { detail: '1 rows 1:94' }]);
});

/** Rows R0 to R59 of 1.05; the last three have `cells`. */
function sixty(cells: string): string {
  const cellsAt = (index: number): string => (index < 57 ? '1.05,' : cells);
  const rows = Array.from({ length: 60 }, (_, index) => `R${index},${cellsAt(index)}\n`);
  return `customer,total,do\n${rows.join('')}`;
}

const SIXTY = { expected: { rows: 60, sums: { total: '63.00' } }, onInvalid: 'stop' };

t.test('the first file again does not undo a run that has all its documents', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make(SIXTY);
  await put(url, 1, sixty('1.05,'), CSV);
  t.match(await start(caller, url, 'done'), { counts: { stored: 60 }, reasons: [] });
  await put(url, 2, sixty('1.50,'), CSV);
  const stored = 'All 60 expected documents are stored.';
  const again =
    'A new run makes all its documents again; the 60 that are stored stay valid until they expire.';
  t.match(await start(caller, url, 'receiving', { dryRun: true }), {
    counts: { received: 120, stored: 60, pending: 0, invalid: 3, identical: 57 },
    reasons: [
      { name: 'invalid' },
      {
        name: 'rows',
        expected: '60',
        actual: '63',
        advice:
          `${stored} The 3 further rows were added later, or the control total is too low. Withdraw` +
          ` rows that were added by mistake, and start again. ${again}`,
      },
    ],
  });
  t.match(await withdraw(caller, url, '2:59', '2:60'), { counts: { withdrawn: 2, invalid: 1 } });
  t.match(await start(caller, url, 'stopped'), { counts: { invalid: 1 } }, 'one is left');
  t.match(await withdraw(caller, url, '2:61'), { state: 'stopped', reasons: [] });
  t.match(await start(caller, url, 'done'), {
    counts: { received: 120, stored: 60, withdrawn: 3, identical: 57 },
    reasons: [],
    sums: { total: '63' },
  });
  await balances(t, caller, url);
});

t.test('the advice says that the stored documents have expired', async (t) => {
  let aheadMs = 0;
  const clock = {
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now() + aheadMs,
  };
  const caller = await callerOf(t, { store: { clock } });
  const { put, make, get, run } = caller;
  const url = await make({ ...SIXTY, retentionSeconds: 3_600 });
  t.match(await run(url), { documentsExpired: false }, 'none is stored');
  await put(url, 1, sixty('1.05,'), CSV);
  await start(caller, url, 'done');
  await put(url, 2, 'customer,total,do\nR60,1.05,\n', CSV);
  const valid = { advice: /^All 60 expected .* are stored\..* stay valid until they expire\.$/ };
  t.match(await start(caller, url, 'stopped'), { documentsExpired: false, reasons: [valid, {}] });
  aheadMs = 3_700_000;
  const expired = {
    advice:
      /^All 60 expected documents were stored\. .* A new run makes all its documents again; the 60 that were stored have expired\.$/,
  };
  t.match(await run(url), { documentsExpired: true, reasons: [expired, {}] });
  const listed = await (await get(url.slice(0, -37))).json();
  t.match(listed, { runs: [{ reasons: [expired, {}] }] }, 'the list says so, too');
  await caller.service.store.documents.sweep(clock.wallMs());
  t.match(await run(url), { documentsExpired: true, reasons: [expired, {}] }, 'destroyed');
});

t.test('further valid rows stop a run that has all its documents', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make(SIXTY);
  await put(url, 1, sixty('1.05,'), CSV);
  await start(caller, url, 'done');
  await put(url, 2, 'customer,total,do\nR60,1.05,\nR61,1.05,invalid\n', CSV);
  await start(caller, url, 'stopped');
  await withdraw(caller, url, '2:3');
  t.match(await start(caller, url, 'stopped'), {
    counts: { stored: 60, pending: 1, withdrawn: 1 },
    reasons: [
      { name: 'rows', advice: 'The further row was added later' },
      { name: 'total', expected: '63.00' },
    ],
  });
});

t.test('rows of the file count for its totals although they are withdrawn', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({ expected: { rows: 57 }, onInvalid: 'stop' });
  await put(url, 1, sixty('1.05,invalid'), CSV);
  await start(caller, url, 'stopped');
  await withdraw(caller, url, '1:59', '1:60', '1:61');
  const stopped = await start(caller, url, 'stopped');
  t.match(stopped, { counts: { stored: 0, pending: 57, withdrawn: 3 } });
  t.strictSame((stopped as { reasons: object }).reasons, [
    { name: 'rows', expected: '57', actual: '60' },
  ]);
});

t.test('no document is made while a control total of the file is wrong', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({ ...TOTALS, expected: { rows: 200, sums: { total: '210.01' } } });
  await put(url, 1, monthEnd(), CSV);
  t.match(await start(caller, url, 'stopped', { onInvalid: 'skip' }), {
    counts: { stored: 0 },
    reasons: [{ name: 'total', expected: '210.01', actual: '210.00' }],
  });
  const expected = { rows: 200, sums: { total: '210.00' } };
  t.match(await start(caller, url, 'stopped', { expected }), {
    counts: { stored: 197, pending: 0, invalid: 3 },
    reasons: [
      { name: 'rows', expected: '200', actual: '197' },
      { name: 'total', expected: '210.00', actual: '206.85' },
    ],
  });
  await withdraw(caller, url, '1:18', '1:94', '1:151');
  t.match(await start(caller, url, 'done'), { counts: { stored: 197, withdrawn: 3 } });
  await balances(t, caller, url);
  const other = caller.post(`${url}/start`, { expected: { sums: { tax: '1' } } });
  t.match(await refused(other), /without a sum/);
});

t.test('identical rows are counted and named, and double ids are invalid', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({ expected: { rows: 3 } });
  await put(url, 1, 'customer,total\nA,1.00\nB,2.00\n\nA,1.00\nB,3.00\n,,\n', CSV);
  t.match(await start(caller, url, 'stopped'), {
    counts: { received: 4, pending: 2, identical: 1, invalid: 1 },
    reasons: [{ name: 'invalid' }],
  });
  await balances(t, caller, url);
  t.match(await exceptions(caller, url, '?outcome=identical'), { rows: [{ line: 5, rowId: 'A' }] });
  t.match(await exceptions(caller, url), {
    rows: [
      { line: 6, rowId: 'B', fields: [{ field: 'customer', reason: /belongs to another row/ }] },
    ],
  });
  await put(url, 2, '#part,#line,customer,total\n1,6,C,3.00\n', CSV);
  t.match(await start(caller, url, 'done'), {
    counts: { received: 4, stored: 3, identical: 1, invalid: 0 },
  });
  await balances(t, caller, url);
});

t.test('of two corrections of a row the second is refused, unless it is the same', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({});
  await put(url, 1, 'customer,total\nA,1.00\n,2.00\n', CSV);
  await start(caller, url, 'stopped');
  const header = '#part,#line,customer,total\n';
  await put(url, 2, `${header}1,3,B,2.00\n`, CSV);
  await put(url, 3, `${header}1,3,B,9.00\n1,2,A,7.00\n1,77,X,1.00\n,,Y,1.00\n`, CSV);
  await put(url, 4, `${header}1,3,B,2.00\n`, CSV);
  t.match(await start(caller, url, 'stopped'), {
    counts: { received: 2, pending: 2, invalid: 0, identical: 0, refused: 4, stored: 0 },
    reasons: [{ name: 'corrections', expected: '0 refused', actual: '4 refused' }],
  });
  await balances(t, caller, url);
  const { rows } = await exceptions(caller, url, '?outcome=refused');
  t.strictSame(
    rows.map(({ part, line }) => `${part}:${line}`),
    ['3:2', '3:3', '3:4', '3:5'],
  );
  t.match(rows[0]?.fields, [
    {
      field: '#line',
      reason: /^line 3 of part 1 was corrected with other values before, by a row of part 2$/,
    },
  ]);
  t.match(await start(caller, url, 'done'), { counts: { received: 2, stored: 2, refused: 0 } });
  await balances(t, caller, url);
});

t.test('the same correction changes nothing, however it is sent', async (t) => {
  const caller = await callerOf(t);
  const { put, get, make } = caller;
  const url = await make({});
  await put(url, 1, 'customer,total,note\nA,1.00,\n,2.00,a shop\n', CSV);
  await start(caller, url, 'stopped');
  const csv = await (await get(`${url}/exceptions?format=csv`)).text();
  // As `runs correct` sends it.
  await put(url, 2, '{"#part":1,"#line":3,"total":"2.00","note":"a shop","customer":"B"}\n');
  await start(caller, url, 'receiving', { dryRun: true });
  const filled = csv.replace(',,2.00', ',B,2.00');
  t.not(filled, csv, csv);
  await put(url, 3, filled, CSV);
  await put(url, 4, '{"#line":3,"#part":"1","customer":"B","total":2,"note":"a shop","x":""}\n');
  await put(url, 5, '{"#part":1,"#line":3,"total":"2.50","note":"a shop","customer":"B"}\n');
  t.match(await start(caller, url, 'stopped'), { counts: { pending: 2, refused: 2 } });
  const { rows } = await exceptions(caller, url, '?outcome=refused');
  t.strictSame(
    rows.map(({ part }) => part),
    [4, 5],
    'a total that is written differently, and another total',
  );
  await balances(t, caller, url);
});

t.test('a correction that is still faulty keeps its line', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({});
  await put(url, 1, 'customer,total\nA,1.00\n,2.00\n', CSV);
  await start(caller, url, 'stopped');
  await put(url, 2, '{"#part":1,"#line":3,"customer":"B","total":"2.00","do":"invalid"}\n');
  await start(caller, url, 'stopped', { dryRun: false });
  t.match(await exceptions(caller, url), { rows: [{ part: 1, line: 3, rowId: 'B' }] });
  await balances(t, caller, url);
  await put(url, 3, '{"#part":1,"#line":3,"customer":"A","total":"1.00"}\n');
  await start(caller, url, 'stopped');
  t.match(await exceptions(caller, url), { rows: [{ line: 3, rowId: 'A' }] }, 'an id of another');
  await put(url, 4, '{"#part":1,"#line":3,"customer":"B","total":"2.00"}\n');
  t.match(await start(caller, url, 'done'), { counts: { received: 2, stored: 2 } });
  await balances(t, caller, url);
});

t.test('a correction with a cell too many keeps its line, so the totals stay right', async (t) => {
  const caller = await callerOf(t);
  const { put, get, make } = caller;
  const url = await make({ expected: { rows: 2, sums: { total: '2.10' } } });
  // A decimal comma that is not quoted makes two cells of one.
  await put(url, 1, 'customer,total\nA,1.05\nB,1,05\n', CSV);
  await start(caller, url, 'stopped');
  const csv = await (await get(`${url}/exceptions?format=csv`)).text();
  t.match(csv, /\n1,3,"The row has 3 cells[^\n]*",B,1,05\n/);
  // Nor does its first cell become a total where rows are sent with names.
  const lines = await (await get(`${url}/exceptions?format=ndjson`)).text();
  t.strictSame(Object.keys(JSON.parse(lines) as object).slice(3), ['#text']);
  // As it is: nobody has corrected it yet.
  await put(url, 2, csv, CSV);
  const counts = { received: 2, pending: 1, invalid: 1, refused: 0 };
  t.match(await start(caller, url, 'stopped'), {
    counts,
    reasons: [{ name: 'invalid', actual: '1' }, { name: 'total' }],
  });
  t.match(await exceptions(caller, url), { rows: [{ part: 1, line: 3 }], next: null });
  await balances(t, caller, url);
  // Nor is one a new row that cannot be read at all: no row of the run is named by it.
  await put(url, 3, csv.replace(',B,', ',"B"",'), CSV);
  t.match(await start(caller, url, 'stopped'), { counts: { ...counts, refused: 1 } });
  await balances(t, caller, url);
  await put(url, 4, csv.replace('1,05', '1.05'), CSV);
  t.match(await start(caller, url, 'done'), { counts: { received: 2, stored: 2, invalid: 0 } });
  await balances(t, caller, url);
});

t.test('lines are those of the file, over quoted line breaks and parts', async (t) => {
  const caller = await callerOf(t);
  const { put, make } = caller;
  const url = await make({});
  await put(url, 1, '\uFEFFcustomer,"to\ntal"\nA,"1\n\n2"\n\n,4\nB,5\n', CSV);
  await put(url, '2?firstLine=9', 'customer,"to\ntal"\nC,6\n,7\n', CSV);
  await start(caller, url, 'stopped');
  t.match(await exceptions(caller, url), {
    rows: [
      { part: 1, line: 7, data: { 'to\ntal': '4' } },
      { part: 2, line: 10, data: { 'to\ntal': '7' } },
    ],
  });
  t.match(await exceptions(caller, url, '?line=10'), { rows: [{ part: 2, line: 10 }] });
  t.match(await exceptions(caller, url, '?limit=1'), { rows: [{ line: 7 }], next: '1:7' });
  t.match(await exceptions(caller, url, '?limit=1&after=1:7'), {
    rows: [{ line: 10 }],
    next: null,
  });
});

t.test(
  'the data of faulty rows stay while the run is done, and go with the last one',
  async (t) => {
    const caller = await callerOf(t);
    const { put, make, service } = caller;
    const url = await make({ onInvalid: 'skip', invalidShareMax: 1 });
    await put(url, 1, 'customer,total\nA,1.00\n,2.00\nB\n"C" x,1\n', CSV);
    await put(url, 2, '{"customer":"D","total":1.50}\n{"total":12.50,"a":[1]}\nno json\n');
    t.match(await start(caller, url, 'done'), { counts: { stored: 2, invalid: 5 } });
    await service.store.documents.sweep(Date.now());
    const csv = await (await caller.get(`${url}/exceptions?format=csv`)).text();
    const lines = csv.trimEnd().split('\n');
    t.equal(lines[0], '#part,#line,#reasons,customer,total,a');
    t.match(lines[1], /^1,3,.*,,2.00,$/);
    t.match(lines[2], /^1,4,"The row has 1 cells, the header has 2.",B,,$/);
    t.match(lines[3], /^1,5,The row is not valid CSV.,"""C"" x,1"$/);
    t.match(lines[4], /^2,2,.*,,12.50,\[1\]$/, 'a number as it was written');
    t.match(lines[5], /^2,3,.*,no json$/);
    const ndjson = await (await caller.get(`${url}/exceptions?format=ndjson`)).text();
    t.match(
      ndjson.split('\n')[3],
      /^\{"#part":2,"#line":2,"#reasons":".*","total":12.50,"a":\[1\]\}$/,
    );
    await withdraw(caller, url, '1:3', '1:4', '1:5', '2:2', '2:3');
    t.match(await caller.run(url), { state: 'done', counts: { invalid: 0, withdrawn: 5 } });
    await service.store.documents.sweep(Date.now());
    t.match(await exceptions(caller, url, '?outcome=withdrawn'), { rows: [{ data: null }] });
  },
);
