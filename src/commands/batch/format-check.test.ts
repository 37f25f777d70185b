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

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
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
    const isDate = isDay(data['issued'] || '2026-01-01');
    if (isNumber && isDate) return pdf(response);
    const fields = [
      ...(isNumber
        ? []
        : [{ field: 'total', reason: 'total' in data ? 'number expected' : 'required' }]),
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
const THAI_BUT_CALENDAR = ['--decimal', '.', '--date', 'd/m/y'];

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

/** Sixty rows in Thai notation, of which these have other cells: by their index from 0. */
function sixty(other: Readonly<Record<number, string>>): readonly string[] {
  return Array.from(
    { length: 60 },
    (_, index) => other[index] ?? `1,250.50;${(index % 28) + 1}/11/2569`,
  );
}

const NO_DAY = '1,250.50;31/11/2569';

t.test('a few records that stay faulty do not hide the options of the others', async (t) => {
  const given = ['--decimal . --date d/m/y', '', '--date d/m/y'];
  // Sent with the first ones, not sent, and more of the first ones than a tenth.
  const places = [[6], [39], [0, 1, 2]];
  for (const one of given) {
    for (const place of one === given[0] ? places : places.slice(0, 1)) {
      const rows = sixty(Object.fromEntries(place.map((index) => [index, NO_DAY])));
      const words = one.split(' ').filter((word) => word !== '');
      const { finished, out } = await batch(t, rows, '--concurrency', '1', ...words);
      const { length } = place;
      const [stay, them] = length === 1 ? ['1 record stays', 'it'] : ['3 records stay', 'them'];
      const names = place.map((index) => `record ${index + 1} (line ${index + 2})`);
      const [command = '', ...faulty] = finished.out.trimEnd().split('\n').slice(-3);
      const file = out.replace(/out$/, 'in.csv');
      t.strictSame(
        faulty,
        [
          `After that, at least ${stay} faulty; correct ${them} in ${file} before, or afterwards and run it` +
            ' again:',
          `  ${names.join(', ')}: issued: the calendar has no such day`,
        ],
        `${one} ${place.join()}`,
      );
      t.match(finished.out, `\nTo go on, run ${file} with `);
      t.notMatch(
        `${finished.err}${finished.out}`,
        /as it is and run it|correct the input|To go on, correct/,
      );
      const env = environment(out, { INTAGLIO_API_KEY: 'ik_test' });
      const again = await intaglio(env, ...command.trim().split(' ').slice(1));
      t.match(again.out, `${60 - length} made, ${length} failed, 0 made before; `, command);
    }
  }
});

t.test('with every record sent, each one that stays faulty is known', async (t) => {
  const rows = sixty({ 6: NO_DAY, 8: 'none;3/11/2569' });
  const { finished } = await batch(t, rows, ...THAI_BUT_CALENDAR, '--keep-going');
  const lines = finished.out.trimEnd().split('\n').slice(-3);
  t.match(lines[0], /^After that, 2 records stay faulty; correct them in /);
  t.strictSame(lines.slice(1).toSorted(), [
    '  record 7 (line 8): issued: the calendar has no such day',
    '  record 9 (line 10): total: number expected',
  ]);
});

t.test('where many records fail for another reason, the file is to be corrected', async (t) => {
  // Of the first twenty, five have no total: no option gives them one.
  const rows = sixty(Object.fromEntries([0, 4, 8, 12, 16].map((index) => [index, ';2026-11-03'])));
  const { finished } = await batch(t, rows, ...THAI_BUT_CALENDAR, '--concurrency', '1');
  t.match(finished.err, 'correct the input and run it again');
  t.match(finished.out, 'To go on, correct ');
  t.notMatch(finished.out, 'After that');
  const odd = sixty(Object.fromEntries([0, 4, 8, 32, 36, 40, 44].map((index) => [index, NO_DAY])));
  const mixed = await batch(t, odd, ...THAI_BUT_CALENDAR, '--concurrency', '1');
  t.match(
    mixed.finished.out,
    'To go on, correct ',
    'more odd cells than a tenth in the whole file',
  );
});

t.test('cells that contradict each other decide no option', async (t) => {
  const both = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0 ? '1.250,50;' : '1,250.50;',
  );
  const { finished } = await batch(t, both);
  t.match(finished.err, 'and give --decimal , (or --decimal .)\n');
  t.match(finished.out, 'To go on, correct ');
});
