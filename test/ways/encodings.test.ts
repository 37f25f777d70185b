import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { command, type Ended, startRecorder, windows874 } from './service.ts';

/** The encodings of files, by each command that reads one. */

const CSV = 'id,name,total\r\nT1,"สมชาย ใจดี",5\r\nT2,บริษัท ABC จำกัด,\r\n';
const LINES = '{"id":"T1","name":"สมชาย ใจดี","total":"5"}\n{"id":"T2","name":"บริษัท ABC จำกัด"}\n';
const DATA = [
  '"data":{"id":"T1","name":"สมชาย ใจดี","total":"5"}',
  '"data":{"id":"T2","name":"บริษัท ABC จำกัด"}',
];
const FORMATS = { csv: CSV, ndjson: LINES } as const;

async function batch(
  t: Test,
  name: string,
  bytes: Uint8Array,
  ...more: readonly string[]
): Promise<{ ended: Ended; sent: readonly string[] }> {
  const folder = t.testdir();
  const file = join(folder, name);
  writeFileSync(file, bytes);
  const { url, bodies } = await startRecorder(t);
  const plan = ['--template', 'x', '--out', join(folder, 'out'), '--key', 'ik_x', '--url', url];
  const ended = await command('batch', file, ...plan, '--concurrency', '1', ...more);
  return { ended, sent: bodies.map((body) => body.slice(body.indexOf('"data"'), -1)) };
}

for (const [format, text] of Object.entries(FORMATS)) {
  const name = `in.${format}`;

  t.test(`batch, ${format}: Windows Thai is recognised, and the summary says so`, async (t) => {
    const { ended, sent } = await batch(t, name, windows874(text));
    t.equal(ended.code, 0, ended.err);
    t.strictSame(sent, DATA);
    t.match(ended.out, 'read as windows-874');
    const asked = await batch(t, name, windows874(text), '--encoding', 'windows-874', '--json');
    t.strictSame(asked.sent, DATA);
    t.equal(JSON.parse(asked.ended.out).encoding, 'windows-874');
  });

  t.test(`batch, ${format}: UTF-16 is recognised by its byte order mark`, async (t) => {
    const { ended, sent } = await batch(t, name, Buffer.from(`\uFEFF${text}`, 'utf16le'));
    t.equal(ended.code, 0, ended.err);
    t.strictSame(sent, DATA);
    t.match(ended.out, 'read as utf-16le');
    const utf8 = await batch(t, name, Buffer.from(`\uFEFF${text}`));
    t.strictSame(utf8.sent, DATA);
    t.notMatch(utf8.ended.out, 'read as');
    const unmarked = await batch(t, name, Buffer.from(text, 'utf16le'));
    t.equal(unmarked.ended.code, 1);
    t.strictSame(unmarked.sent, []);
    t.match(
      unmarked.ended.err,
      'seems to be UTF-16 without a byte order mark: save the file as UTF-8',
    );
  });

  t.test(`batch, ${format}: bytes that are not UTF-8 are refused before the first`, async (t) => {
    const latin = Buffer.from(text.replace('ABC', 'Café').replaceAll(/[ก-๛]/g, 'a'), 'latin1');
    const { ended, sent } = await batch(t, name, latin);
    t.equal(ended.code, 1);
    t.strictSame(sent, []);
    t.match(ended.err, /in\.\w+: line [23], byte \d+ is not UTF-8/);
    t.match(ended.err, '--encoding windows-874');
    t.notMatch(ended.err, 'Caf', 'no data');
    const strict = await batch(t, name, windows874(text), '--encoding', 'utf-8');
    t.equal(strict.ended.code, 1);
    t.match(strict.ended.err, /line \d, byte \d+ is not UTF-8/);
    const wrong = await batch(t, name, Buffer.from(text), '--encoding', 'windows-874');
    t.equal(wrong.ended.code, 1);
    t.match(wrong.ended.err, /line \d, byte \d+ is not windows-874/);
  });
}

t.test('batch: a line of NDJSON ends at a line feed alone', async (t) => {
  const { ended, sent } = await batch(t, 'in.ndjson', Buffer.from('{"a":"1\u20282\u20293"}\r\n'));
  t.equal(ended.code, 0, ended.err);
  t.strictSame(sent, ['"data":{"a":"1\u20282\u20293"}']);
});

t.test('batch: a file name keeps the digits of a number', async (t) => {
  const text = '{"n":12345678901234567890}\n';
  const { ended } = await batch(t, 'in.ndjson', Buffer.from(text), '--name', '{{n}}');
  t.equal(ended.code, 0, ended.err);
  const { existsSync } = await import('node:fs');
  t.ok(existsSync(join(t.testdirName, 'out/12345678901234567890.pdf')));
});

t.test('batch: options that are no text are refused with their place', async (t) => {
  const options = join(t.testdir(), 'options.json');
  writeFileSync(options, Buffer.from('{"watermark":{"text":"Caf\u00e9"}}', 'latin1'));
  const input = join(t.testdirName, 'in.csv');
  writeFileSync(input, CSV);
  const plan = ['--template', 'x', '--out', join(t.testdirName, 'out'), '--key', 'ik_x'];
  const { code, err } = await command('batch', input, ...plan, '--options', options);
  t.equal(code, 1);
  t.match(err, /options\.json: line 1, byte 26 is not UTF-8/);
});
