import t from 'tap';
import { loadFonts } from '../font/library.ts';
import { checkTemplateFile } from '../check.ts';
import type { Finding } from '../job.ts';
import { compileFile, plainSurroundings } from '../template/fixtures.ts';

const surroundings = plainSurroundings(loadFonts(null).library);

/** The findings of a file, as `line:column path message`. */
async function findingsOf(text: string, hasNewId = false): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode(text);
  const source = new SharedArrayBuffer(bytes.length);
  new Uint8Array(source).set(bytes);
  const template = { hash: 'x', templateId: 'x', version: 1, source };
  const job = { kind: 'check', template, hasNewId, renderSamples: false, atMs: 0 } as const;
  const { result } = await checkTemplateFile(job, surroundings, new Uint32Array(1));
  return result.findings.map(
    ({ line, column, path, message }: Finding) => `${line}:${column} ${path} ${message}`,
  );
}

const file = (choices: string, type = 'text'): string =>
  `{ "templateId": "x",\n  "fields": [{ "name": "f", "type": "${type}",\n` +
  `    "choices": [${choices}] }],\n  "document": { "content": "{{f}}" } }`;

const named = (name: string): string =>
  `{ "templateId": "x",\n  "name": ${JSON.stringify(name)}, "document": { "content": "x" } }`;

t.test('choices that a person takes for the same are refused with their place', async (t) => {
  const again = 'is a second spelling of choices[0]: remove one of the two.';
  t.same(await findingsOf(file('"A", " A "')), [`3:22 fields[0].choices[1] ${again}`]);
  t.same(await findingsOf(file('"A B", {"value": "A  B"}')), [
    `3:24 fields[0].choices[1] ${again}`,
  ]);
  t.same(await findingsOf(file('"e\\u0301", "\\u00e9"')), [`3:28 fields[0].choices[1] ${again}`]);
  t.same(await findingsOf(file('1.5, 2, "1.50"', 'number')), [
    `3:25 fields[0].choices[2] ${again}`,
  ]);
  t.same(await findingsOf(file('0, "-0.0"', 'number')), [`3:20 fields[0].choices[1] ${again}`]);
  t.same(await findingsOf(file('"A", "a", "A."')), []);
  t.same(await findingsOf(file('-1, 1, 10, "0.1", 100', 'number')), []);
});

t.test('a version that was published with such choices still renders', async (t) => {
  const { template } = await compileFile(JSON.parse(file('"A", " A "')));
  t.not(template, null);
});

t.test('a name that people cannot read is refused with its place', async (t) => {
  // Whoever checks a file without an id says that; here the id comes with the call.
  t.same(await findingsOf('{"document": {"content": "x"}}'), []);
  t.same(await findingsOf(named('  ')), ['2:3 name must have a visible character.']);
  t.same(await findingsOf(named('x'.repeat(5_000))), [
    '2:3 name must have at most 255 characters.',
  ]);
  t.same(await findingsOf(named('a\u200bb')), [
    '2:3 name must have no invisible characters: U+200B is character 2.',
  ]);
});

const identified = (id: string): string =>
  `{ "name": "x",\n   "templateId": "${id}", "document": { "content": "x" } }`;

t.test('an id that no template can have is refused with its place', async (t) => {
  for (const [id, fault] of [
    [' invoice', 'must not begin with a blank'],
    ['invoice ', 'must not end with a blank'],
    ['x'.repeat(130), 'must have at most 128 characters'],
    ['a\\tb', 'must have no control characters: U+0009 is character 2'],
  ] as const) {
    t.same(await findingsOf(identified(id)), [`2:4 templateId ${fault}.`]);
  }
  // A template of an earlier version may keep this one.
  t.same(await findingsOf(identified('a  b')), []);
  t.same(await findingsOf(identified('a  b'), true), [
    '2:4 templateId must have no two blanks in a row.',
  ]);
});

/** The messages about a document of this text. */
async function messagesAbout(text: string): Promise<readonly string[]> {
  const findings = await findingsOf(JSON.stringify({ document: { content: [text] } }));
  return findings.map((finding) => finding.replace(/^\S+ document\.content\[0\] /, ''));
}

t.test('up to five characters that no font draws are named', async (t) => {
  t.same(await messagesAbout('漢'), [
    'No font draws "漢" (U+6F22); use another font or character.',
  ]);
  const three = '"漢" (U+6F22), "字" (U+5B57), "😀" (U+1F600)';
  t.same(await messagesAbout('漢字 漢😀'), [
    `No font draws these: ${three}; use another font or other characters.`,
  ]);
  const five = '"漢" (U+6F22), "字" (U+5B57), "月" (U+6708), "日" (U+65E5), "年" (U+5E74)';
  t.same(await messagesAbout('漢字月日年水火'), [
    `No font draws these: ${five}, and others; use another font or other characters.`,
  ]);
});
