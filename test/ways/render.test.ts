import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { command, type Ended, windows874 } from './service.ts';

/** What `render` makes of the bytes of its data. */

const TEMPLATE = {
  templateId: 'note',
  name: 'Note',
  language: 'th',
  fields: [
    { name: 'n', type: 'number', required: false },
    { name: 'name', type: 'text', required: false },
  ],
  document: { content: ['n {{n}}', 'name {{name}}'] },
};

interface Place {
  readonly write: (name: string, content: string | Uint8Array) => string;
  readonly render: (...args: readonly string[]) => Promise<Ended>;
  readonly text: (name: string) => string;
}

function place(t: Test): Place {
  const folder = t.testdir();
  mkdirSync(join(folder, 'var'));
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  write('note.json', JSON.stringify(TEMPLATE));
  return {
    write,
    render: (...args) => command('render', ...args),
    text: (name) => execFileSync('pdftotext', ['-layout', join(folder, name), '-']).toString(),
  };
}

/** Data, as it stands in a list of jobs, and what is printed. */
const DATA: readonly (readonly [string, string])[] = [
  ['{"n":12345678901234567890.12}', 'n 12345678901234567890.12'],
  ['{"n": 9007199254740993 , "name": "}],{\\"data\\":1"}', 'n 9007199254740993'],
  ['{"n":1,"n":1.10}', 'n 1.10'],
  ['{"n":"0012.50"}', 'n 0012.50'],
  ['{}', 'n'],
];

t.test('a list of jobs keeps the digits of its data', async (t) => {
  const { write, render, text } = place(t);
  const template = write('note.json', JSON.stringify(TEMPLATE));
  const jobs = DATA.map(([data], index) => {
    const out = JSON.stringify(join(t.testdirName, `${index}.pdf`));
    return `{ "data" : [7], "template":${JSON.stringify(template)},"out":${out},"d\\u0061ta":${data} }`;
  });
  const list = write('jobs.json', `\uFEFF[\n${jobs.join(',\n')}\n]\n`);
  const { code, err } = await render('--jobs', list);
  t.equal(code, 0, err);
  for (const [index, [, printed]] of DATA.entries()) {
    t.match(text(`${index}.pdf`), printed, `job ${index}`);
  }
});

t.test('jobs without data, and with data that is no object, are as before', async (t) => {
  const { write, render, text } = place(t);
  const template = join(t.testdirName, 'note.json');
  const out = (name: string): string => join(t.testdirName, name);
  const list = [
    { template, out: out('a.pdf') },
    { template, out: out('b.pdf'), data: null },
    { template, out: out('c.pdf'), data: [1] },
    { template, out: out('d.pdf'), data: write('data.json', '{"n":2.50}') },
  ];
  const { code, err } = await render('--jobs', write('jobs.json', JSON.stringify(list)));
  t.equal(code, 1);
  t.match(err, /c\.pdf was not made: data must be a JSON object/);
  t.match(text('a.pdf'), 'name');
  t.match(text('b.pdf'), 'name');
  t.match(text('d.pdf'), 'n 2.50');
});

t.test('files of Windows Thai are read as such, and the command says so', async (t) => {
  const { write, render, text } = place(t);
  const template = join(t.testdirName, 'note.json');
  const [one, two] = [join(t.testdirName, '1.pdf'), join(t.testdirName, '2.pdf')];
  const data = write('data.json', windows874('{"name":"สมชาย"}'));
  const single = await render(template, '--data', data, '--out', one);
  t.equal(single.code, 0, single.err);
  t.match(single.out, 'read as windows-874');
  const jobs = [{ template, out: two, data: { name: 'สมชาย' } }];
  const list = write('jobs.json', windows874(JSON.stringify(jobs)));
  const several = await render('--jobs', list, '--encoding', 'windows-874');
  t.equal(several.code, 0, several.err);
  t.match(several.out, 'read as windows-874');
  t.equal(text('2.pdf'), text('1.pdf'));
  const utf8 = await render(template, '--data', write('u.json', '{"name":"สมชาย"}'), '--out', two);
  t.equal(text('2.pdf'), text('1.pdf'));
  t.notMatch(utf8.out, 'read as');
});

t.test('bytes that are no text are refused with line and byte, before the first', async (t) => {
  const { write, render } = place(t);
  const template = join(t.testdirName, 'note.json');
  const out = join(t.testdirName, 'a.pdf');
  const latin = Buffer.from('{\n"name":"Café"}', 'latin1');
  const single = await render(template, '--data', write('data.json', latin), '--out', out);
  t.equal(single.code, 1);
  t.match(single.err, /data\.json: line 2, byte 12 is not UTF-8/);
  const text = JSON.stringify([{ template, out, data: { name: 'Café' } }]);
  const jobs = await render('--jobs', write('jobs.json', Buffer.from(text, 'latin1')));
  t.equal(jobs.code, 1);
  t.match(jobs.err, /jobs\.json: line 1, byte \d+ is not UTF-8/);
});

t.test('options that HTTP refuses for a template are refused by the command', async (t) => {
  const { write, render } = place(t);
  const protection = { userPassword: 'abc12345' };
  const titled = { ...TEMPLATE.document, info: { title: 'Note' } };
  const archived = { ...TEMPLATE, archive: 'PDF/A-2u', document: titled };
  const plain = join(t.testdirName, 'note.json');
  const archive = write('archived.json', JSON.stringify(archived));
  const signed = write('signed.json', JSON.stringify({ ...TEMPLATE, signature: true }));
  const cases = [
    { template: archive, options: { protection }, code: 'bad_request', message: /archived/ },
    { template: signed, options: { protection }, code: 'signing_unavailable', message: /./ },
    { template: plain, options: { signature: true }, code: 'signing_unavailable', message: /./ },
  ];
  const jobs = cases.map(({ template, options }, index) => {
    return { template, options, data: {}, out: join(t.testdirName, `${index}.pdf`) };
  });
  const list = write('jobs.json', JSON.stringify(jobs));
  const { code, out } = await render('--jobs', list, '--json');
  t.equal(code, 1);
  const results: unknown = JSON.parse(out);
  t.match(
    results,
    cases.map(({ code: refused, message }) => ({ ok: false, code: refused, message })),
  );
});
