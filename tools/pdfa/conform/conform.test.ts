import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { HOME } from '../../../lab/home.ts';
import { render, shareTemplate } from '../../../lab/render.ts';
import { run } from '../../../src/cli.ts';
import { ACCESSIBLE_MUTATIONS } from '../mutations/tag-mutations.ts';
import { takeApart } from '../mutations/edit.ts';
import { SAMPLE_DATA, sampleTemplate } from '../mutations/sample.ts';
import type { Examination } from './examine.ts';
import { FILE_BYTES_MAX, JUDGE_LIMITS, judgeFile } from './judge.ts';

interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function conform(...args: readonly string[]): Promise<Finished> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string | Uint8Array) => void out.push(String(text)),
    err: (text: string) => void err.push(text),
  };
  const code = await run(['conform', ...args], terminal);
  return { code, out: out.join(''), err: err.join('') };
}

async function sample(more: object, document: object = {}): Promise<Buffer> {
  const { pdf } = await render(shareTemplate(sampleTemplate(more, document)), SAMPLE_DATA);
  return Buffer.from(pdf);
}

function file(t: Test, name: string, bytes: Uint8Array | string): string {
  const path = join(t.testdirName, name);
  writeFileSync(path, bytes);
  return path;
}

t.test('a file conforms to each level that it names', async (t) => {
  t.testdir();
  const both = await sample({ archive: 'PDF/A-2a' }, { tagged: true });
  const path = file(t, 'both.pdf', both);
  const { code, out } = await conform(path);
  t.equal(code, 0, out);
  t.match(out, /both\.pdf: PDF\/A-2a: conforms \((\d+) of \1 rules judged\)/);
  t.match(out, /both\.pdf: PDF\/UA-1: conforms/);
  const other = await conform(path, '--level', '3u', '--json');
  t.equal(other.code, 1);
  const [found] = JSON.parse(other.out) as readonly Examination[];
  t.strictSame(found?.claimed, ['PDF/A-2a', 'PDF/UA-1']);
  t.strictSame(
    found?.levels.map(({ level, verdict }) => `${level} ${verdict}`),
    ['PDF/A-3u does not conform'],
  );
  t.strictSame(
    found?.levels[0]?.failures.map(({ rule }) => rule),
    ['6.6.4-2'],
  );
});

t.test('each rule that fails is named with page and object', async (t) => {
  t.testdir();
  const whole = await sample({ archive: 'PDF/A-2a' }, { tagged: true });
  let places = 0;
  for (const { breaks: rule, apply } of ACCESSIBLE_MUTATIONS.slice(0, 12)) {
    const broken = apply(takeApart(whole));
    const path = file(t, 'broken.pdf', broken);
    const { code, out } = await conform(path, '--level', 'ua', '--json');
    t.equal(code, 1, rule);
    const [found] = JSON.parse(out) as readonly Examination[];
    const failure = found?.levels[0]?.failures.find((one) => one.rule === rule);
    t.ok(failure, rule);
    places += (failure?.places ?? []).filter(({ object }) => object !== null).length;
    t.match((await conform(path, '--level', 'ua')).out, `\n  ${rule}  `);
  }
  t.ok(places > 0, 'objects are named');
});

t.test('what cannot be judged gets a sentence and exit code 2', async (t) => {
  t.testdir();
  const whole = await sample({ archive: 'PDF/A-2u' });
  const reasons: readonly (readonly [string, Uint8Array | string, RegExp])[] = [
    ['cut.pdf', whole.subarray(0, 3_000), /it has no startxref at its end/],
    ['text.pdf', 'hello', /it is no PDF/],
    ['empty.pdf', '', /it is no PDF/],
    ['xref.pdf', whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n9'), /damaged/],
  ];
  for (const [name, bytes, why] of reasons) {
    const path = file(t, name, typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    const { code, out, err } = await conform(path);
    t.equal(code, 2, name);
    t.match(out, new RegExp(`${name}: cannot be judged: .*${why.source}`));
    t.notMatch(out + err, /\n\s+at /, 'no stack trace');
  }
  const missing = await conform(join(t.testdirName, 'none.pdf'));
  t.equal(missing.code, 2);
  t.match(missing.out, /cannot be judged: there is no such file/);
  const large = file(t, 'large.pdf', Buffer.alloc(FILE_BYTES_MAX + 1, '%PDF-1.7\n'));
  t.match((await conform(large)).out, new RegExp(`at most ${FILE_BYTES_MAX} are read`));
});

t.test('a file that takes too long or too much memory ends with a sentence', async (t) => {
  t.testdir();
  const path = file(t, 'whole.pdf', await sample({ archive: 'PDF/A-2u' }));
  const whole = await judgeFile(path, []);
  t.equal(whole.unreadable, null);
  const late = await judgeFile(path, [], { ...JUDGE_LIMITS, seconds: 0.01 });
  t.equal(late.unreadable, 'judging it takes more than 0.01 s');
  const small = await judgeFile(path, [], { ...JUDGE_LIMITS, memoryMb: 4 });
  t.equal(small.unreadable, 'judging it takes more than 4 MB of memory');
});

t.test('a statement of two thousand rows is judged to its end', async (t) => {
  t.testdir();
  const columns = [0, 1, 2, 3, 4];
  const rows = Array.from({ length: 2_000 }, (_, row) => columns.map((at) => `${row}.${at}`));
  const body = [
    columns.map((at) => ({ text: `Head ${at}` })),
    { each: 'rows', cells: columns.map((at) => ({ text: `{{${at}}}` })) },
  ];
  const template = {
    templateId: 'long',
    archive: 'PDF/A-2a',
    fields: [{ name: 'rows', type: 'table', required: true }],
    document: {
      tagged: true,
      info: { title: 'Long' },
      content: [{ table: { headerRows: 1, body } }],
    },
  };
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), { rows });
  const { code, out } = await conform(file(t, 'long.pdf', pdf));
  t.equal(code, 0, out);
});

t.test('a file that names no level, or an unknown one, does not pass', async (t) => {
  t.testdir();
  const plain = file(t, 'plain.pdf', await sample({}));
  const { code, out } = await conform(plain);
  t.equal(code, 1);
  t.match(out, /names no level of PDF\/A or PDF\/UA/);
  const named = (await sample({ archive: 'PDF/A-2u' })).toString('latin1');
  const basic = named.replace('>U</pdfaid:conformance>', '>B</pdfaid:conformance>');
  t.not(basic, named);
  const other = await conform(file(t, 'basic.pdf', Buffer.from(basic, 'latin1')));
  t.equal(other.code, 2);
  t.match(other.out, /PDF\/A-2b: not judged; this judges PDF\/A-2u, /);
});

t.test('rules about things that are not read are left out and named', async (t) => {
  const folder = join(HOME, 'test/fixtures/letterhead');
  const { code, out } = await conform(join(folder, 'cairo-bar.pdf'), '--level', 'ua', '--json');
  t.equal(code, 1);
  const [found] = JSON.parse(out) as readonly Examination[];
  const level = found?.levels[0];
  const left = level?.notJudged.flatMap(({ rules }) => rules) ?? [];
  t.ok(left.includes('7.21.5-1'), 'widths of glyphs whose codes are not followed');
  t.notOk(level?.failures.some(({ rule }) => left.includes(rule)));
  const rules = await conform('--rules');
  t.equal(rules.code, 0);
  t.match(rules.out, /PDF\/UA-1: \d+ rules[^]*JPEG 2000 images: [^]*Not covered/);
});

t.test(
  'metadata may hold the level as attributes, and a stream its length elsewhere',
  async (t) => {
    t.testdir();
    const whole = (await sample({ archive: 'PDF/A-2u' })).toString('latin1');
    const at = whole.replace(
      /><pdfaid:part>2<\/pdfaid:part><pdfaid:conformance>U<\/pdfaid:conformance>/,
      (long) => ' pdfaid:part="2" pdfaid:conformance="U">'.padEnd(long.length),
    );
    t.not(at, whole);
    const path = file(t, 'short.pdf', Buffer.from(at, 'latin1'));
    const { out } = await conform(path, '--json');
    const [found] = JSON.parse(out) as readonly Examination[];
    t.strictSame(found?.claimed, ['PDF/A-2u'], out.slice(0, 300));
  },
);
