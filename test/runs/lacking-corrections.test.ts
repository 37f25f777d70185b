import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { callerOf, type RunCaller, type Told } from '../fixtures/runs/caller.ts';
import { until } from '../../lab/process/waiting.ts';

const CSV = { 'content-type': 'text/csv' };
/** Lines 2 to 4 have no id; line 4 has no total, which is an optional field. */
const ROWS = 'customer,total,note\n,1.05,a\n,2.05,b\n,,c\n';

interface Listed {
  readonly rows: readonly { readonly line: number; readonly data: Record<string, string> | null }[];
}

/** A run that has stopped because of its faulty rows. */
async function stoppedRun(caller: RunCaller, rows = ROWS): Promise<string> {
  const url = await caller.make({});
  await caller.put(url, 1, rows, CSV);
  await start(caller, url);
  return url;
}

/** Starts the run and waits until it rests, whatever came of it. */
async function start({ act, run }: RunCaller, url: string): Promise<Told> {
  await act(url, 'start');
  await until(async () => {
    await pause(20);
    return ['stopped', 'done'].includes((await run(url)).state);
  });
  return run(url);
}

async function listed({ get }: RunCaller, url: string, outcome = 'invalid'): Promise<Listed> {
  return (await (await get(`${url}/exceptions?outcome=${outcome}`)).json()) as Listed;
}

t.test(
  'a correction without a column that the row had is refused, and the row stays',
  async (t) => {
    const caller = await callerOf(t);
    const { put } = caller;
    const url = await stoppedRun(caller);
    await put(url, 2, '#part,#line,customer\n1,2,C1\n1,3,C2\n1,4,C3\n', CSV);
    t.match(await start(caller, url), {
      state: 'stopped',
      counts: { received: 3, invalid: 2, pending: 1, refused: 2 },
      reasons: [{ name: 'invalid' }, { name: 'corrections', actual: '2 refused' }],
    });
    const fields = [
      { field: 'total', reason: /the corrected row has a value here.+add the field/ },
    ];
    t.match(await listed(caller, url, 'refused'), { rows: [{ fields }, { fields }] });
    t.strictSame(
      (await listed(caller, url)).rows.map(({ line, data }) => [line, data?.['total']]),
      [
        [2, '1.05'],
        [3, '2.05'],
      ],
      'the row without a total has lost nothing and is corrected',
    );
    await put(url, 3, '#part,#line,customer,total\n1,2,C1,1.05\n1,3,C2,\n', CSV);
    t.match(await start(caller, url), {
      state: 'done',
      counts: { stored: 3, invalid: 0, refused: 0 },
    });
  },
);

t.test('a correction as JSON names what the row had, with null to take it away', async (t) => {
  const caller = await callerOf(t);
  const { put } = caller;
  const url = await stoppedRun(caller);
  const lines = ['{"#part":1,"#line":2,"customer":"C1"}', '{"#part":1,"#line":4,"customer":"C3"}'];
  await put(url, 2, `${lines.join('\n')}\n{"#part":1,"#line":3,"customer":"C2","total":null}\n`);
  t.match(await start(caller, url), {
    state: 'stopped',
    counts: { invalid: 1, pending: 2, refused: 1 },
  });
  t.match(await listed(caller, url, 'refused'), { rows: [{ fields: [{ field: 'total' }] }] });
  t.match(await listed(caller, url), { rows: [{ line: 2, data: { total: '1.05' } }] });
});

t.test('where the cells of a row do not fit its columns, all fields are named', async (t) => {
  const caller = await callerOf(t);
  const { put } = caller;
  const url = await stoppedRun(caller, 'customer,total\nA,12,50\n');
  await put(url, 2, '{"#part":1,"#line":2,"customer":"A"}\n');
  t.match(await start(caller, url), {
    state: 'stopped',
    counts: { invalid: 1, refused: 1 },
  });
  await put(url, 3, '{"#part":1,"#line":2,"customer":"A","total":"12.50"}\n');
  t.match(await start(caller, url), {
    state: 'done',
    counts: { stored: 1, refused: 0 },
  });
});
