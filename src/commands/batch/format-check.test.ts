import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { environment, type Finished, intaglio } from '../../../lab/service/command-line.ts';
import { type Call, json, pdf, startFake } from '../../../test/fixtures/batch-scene.ts';

const FIELDS = [
  { name: 'total', type: 'number', required: true },
  { name: 'issued', type: 'date', required: false },
];

interface Batch {
  readonly finished: Finished;
  readonly out: string;
  readonly made: readonly Call[];
}

/** Runs a batch of these rows against a service that refuses `?` and days that do not exist. */
async function batch(t: Test, rows: readonly string[], ...options: string[]): Promise<Batch> {
  const { url, calls } = await startFake(t, (call, response) => {
    if (call.path.endsWith('/fields')) {
      return json(response, 200, {
        templateId: 'n',
        version: 1,
        status: 'published',
        fields: FIELDS,
      });
    }
    const { data } = JSON.parse(call.body) as { readonly data: Readonly<Record<string, string>> };
    const isNumber = /^\d+(?:\.\d+)?$/.test(data['total'] ?? '');
    const isDate = /^\d{4}-(?:0\d|1[0-2])-\d\d$/.test(data['issued'] ?? '2026-01-01');
    if (isNumber && isDate) return pdf(response);
    const fields = [
      ...(isNumber ? [] : [{ field: 'total', reason: 'number expected' }]),
      ...(isDate ? [] : [{ field: 'issued', reason: 'date expected as YYYY-MM-DD' }]),
    ];
    json(response, 400, { code: 'invalid_data', error: 'no', fields });
  });
  const folder = t.testdir({ 'in.csv': `total;issued\n${rows.join('\n')}\n` });
  const out = join(folder, 'out');
  const words = ['batch', join(folder, 'in.csv'), '--template', 'n', '--out', out, '--url', url];
  const env = environment(folder, { INTAGLIO_API_KEY: 'ik_test' });
  const finished = await intaglio(env, ...words, ...options);
  return { finished, out, made: calls.filter(({ path }) => path.endsWith('/generate')) };
}

t.test('a wrong --decimal is named with the right one, and not as a fact', async (t) => {
  const rows = ['10,00;', '11,50;', '12,25;'];
  const { finished, made } = await batch(t, rows, '--decimal', '.');
  t.match(
    finished.err,
    /^intaglio: total: all 3 cells that --decimal \. cannot read would be right with --decimal ,$/m,
  );
  t.notMatch(finished.err, 'point before the decimals');
  t.equal(made.length, 3, 'no document can have a wrong value, so they were tried');
});

t.test('nothing is made where cells were read that mean another day', async (t) => {
  const rows = ['1;25/12/2026', '2;3/4/2026', '3;31/1/2026', '4;30/1/2026'];
  const wrong = await batch(t, rows, '--date', 'm/d/y');
  t.equal(wrong.finished.code, 1);
  t.match(
    wrong.finished.err,
    'issued: all 3 cells that --date m/d/y cannot read would be right with --date d/m/y, where 1 cell' +
      ' that it reads (record 2) would have another value',
  );
  t.match(wrong.finished.err, /nothing was made, .*--keep-going if they are right/);
  t.strictSame(wrong.made, []);
  t.notOk(existsSync(wrong.out), 'nor is the folder there');
  const all = await batch(t, rows, '--date', 'm/d/y', '--keep-going');
  t.equal(all.made.length, 4);
  t.notMatch(all.finished.err, 'by --date m/d/y');
  const right = await batch(t, rows, '--date', 'd/m/y');
  t.match(right.finished, { code: 0, err: '' });
  t.equal(readdirSync(right.out).length, 5);
});

t.test('a wrong --calendar is named', async (t) => {
  const rows = ['1;25/12/2026', '2;3/4/2026'];
  const { finished } = await batch(t, rows, '--date', 'd/m/y', '--calendar', 'buddhist');
  t.match(
    finished.err,
    'issued: both cells that --date d/m/y --calendar buddhist cannot read would be right without' +
      ' --calendar buddhist',
  );
  t.notMatch(finished.err, 'write dates as');
});

t.test('one odd cell does not put the options in doubt', async (t) => {
  const rows = ['10.00;', '11.50;', '12,25;'];
  const { finished, made } = await batch(t, rows, '--decimal', '.');
  t.notMatch(finished.err, 'would be right');
  t.match(finished.err, /total: write amounts as 1250\.50 or 1,250\.50: .*by --decimal \./);
  t.equal(made.length, 3);
});

/** Rows whose amounts have groups and whose years are of the Buddhist Era. */
const THAI_ROWS = Array.from(
  { length: 30 },
  (_, index) => `180,840.63;${(index % 28) + 1}/12/2569`,
);
const THAI = '--decimal . --date d/m/y --calendar buddhist';

t.test('a batch that lacks options ends with the command that has them', async (t) => {
  const given = ['--decimal . --date d/m/y', '', '--decimal ,', '--date m/d/y'];
  for (const one of given) {
    const words = one.split(' ').filter((word) => word !== '');
    const { finished, out } = await batch(t, THAI_ROWS, '--concurrency', '1', ...words);
    t.equal(finished.code, 1);
    const options = one === given[0] ? '--calendar buddhist' : THAI;
    t.match(finished.err, `and 10 were not sent: run it again with ${options}\n`, one);
    const said = `${finished.err}${finished.out}`;
    t.notMatch(said, /correct the input|To go on, correct|--keep-going/, one);
    const command = finished.out.trimEnd().split('\n').at(-1)?.trim() ?? '';
    t.match(command, /^\.\/intaglio batch \S+in\.csv --template n /);
    t.ok(command.endsWith(` --concurrency 1 ${THAI}`), command);
    const again = environment(out, { INTAGLIO_API_KEY: 'ik_test' });
    t.match(await intaglio(again, ...command.split(' ').slice(1)), { code: 0, err: '' }, one);
    t.equal(readdirSync(out).filter((name) => name.endsWith('.pdf')).length, 30);
  }
});

t.test('a command to run again shows no key, and has words as a shell takes them', async (t) => {
  const rows = ['10,50;', '1.250,75;'];
  const name = "{{total}} of Ann's";
  const { finished } = await batch(t, rows, '--key', 'ik_secret', '--name', name, '--keep-going');
  t.match(finished.out, /--key API_KEY .*--keep-going --decimal ,\n$/);
  t.match(finished.out, `--name '{{total}} of Ann'\\''s' `);
  t.notMatch(finished.out, 'ik_secret');
  t.notMatch(finished.out, 'correct them', 'also where every record was sent');
});

t.test('options that the cells do not decide are named with their choices', async (t) => {
  const rows = Array.from({ length: 30 }, () => '1,250;25/12/2026');
  const { finished } = await batch(t, rows);
  t.match(finished.err, 'and give --decimal , (or --decimal .)\n');
  t.match(finished.err, 'and give --date d/m/y\n');
  const change = 'with --date d/m/y and --decimal , (or --decimal .)';
  t.match(finished.err, `run it again ${change}\n`);
  t.match(finished.out, new RegExp(`run it ${change.replaceAll(/[().]/g, '\\$&')}\\.\n$`));
});

t.test('a record that no option mends is still to be corrected', async (t) => {
  const rows = Array.from({ length: 30 }, (_, index) => (index === 3 ? 'none;' : '10,50;'));
  const { finished } = await batch(t, rows, '--concurrency', '1');
  t.match(finished.err, 'correct the input and run it again');
  const both = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0 ? '1.250,50;' : '1,250.50;',
  );
  const mixed = await batch(t, both);
  t.match(mixed.finished.err, 'and give --decimal , (or --decimal .)\n', 'the cells contradict');
  t.match(mixed.finished.out, 'To go on, correct ');
});
