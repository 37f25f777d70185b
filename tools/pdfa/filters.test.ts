import { deflateSync } from 'node:zlib';
import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { PLAIN_FILTERS } from './filters.ts';
import { examine } from './conform/examine.ts';
import { putTogether, takeApart } from './mutations/edit.ts';
import { SAMPLE_DATA, sampleTemplate } from './mutations/sample.ts';

const MAX = 1 << 20;

function decode(filter: string, bytes: Uint8Array | string): string {
  const encoded = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  return Buffer.from(PLAIN_FILTERS[filter]?.(encoded, MAX) ?? []).toString('latin1');
}

t.test('hexadecimal digits', async (t) => {
  t.equal(decode('ASCIIHexDecode', '48 65\n6C6c 6f>rest'), 'Hello');
  t.equal(decode('ASCIIHexDecode', '487>'), 'Hp', 'a missing digit is 0');
  t.throws(() => decode('ASCIIHexDecode', '4x>'), /ASCIIHexDecode is damaged/);
});

t.test('digits of base 85', async (t) => {
  // The example of Python's base64.a85encode(b'Hello world'), and four zeros.
  t.equal(decode('ASCII85Decode', '87cUR D]j7B\nEbo7~>'), 'Hello world');
  t.equal(decode('ASCII85Decode', 'z87cUR~>'), '\0\0\0\0Hell');
  for (const damaged of ['8~>', '8z7~>', 'vvvvv~>', 'uuuuu~>', 'uu~>'])
    t.throws(() => decode('ASCII85Decode', damaged), /ASCII85Decode is damaged/, damaged);
});

t.test('runs', async (t) => {
  const bytes = Buffer.from([2, 97, 98, 99, 254, 120, 128, 9, 9]);
  t.equal(decode('RunLengthDecode', bytes), 'abcxxx');
  t.equal(decode('RunLengthDecode', Buffer.from([5, 97])), 'a', 'a part that is cut');
  const long = Buffer.from(Array.from({ length: 20_000 }, () => 129));
  t.throws(() => decode('RunLengthDecode', long), /too long/);
});

/** The content of the page in a file, encoded by other filters. */
async function encoded(filter: string, encode: (content: string) => string): Promise<Buffer> {
  const source = sampleTemplate({ archive: 'PDF/A-2u' }, { compress: false });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  const editable = takeApart(pdf);
  for (const [number, body] of editable.objects) {
    const content = /^<<\/Length \d+>>stream\n(q\n[^]*)\nendstream$/.exec(body)?.[1];
    if (content === undefined) continue;
    const bytes = encode(content);
    const dictionary = `<<${filter}/Length ${bytes.length}>>`;
    editable.objects.set(number, `${dictionary}stream\n${bytes}\nendstream`);
    return putTogether(editable);
  }
  throw new Error('the file has no content of a page');
}

function hex(text: string): string {
  return `${Buffer.from(text, 'latin1').toString('hex')}>`;
}

t.test('a file whose content other filters encode is judged', async (t) => {
  const cases: readonly (readonly [string, (content: string) => string])[] = [
    ['/Filter/ASCIIHexDecode', hex],
    ['/Filter[/ASCIIHexDecode/FlateDecode]', (text) => hex(deflated(text))],
    ['/Filter[/ASCIIHexDecode/FlateDecode]/DecodeParms[null null]', (text) => hex(deflated(text))],
  ];
  for (const [filter, encode] of cases) {
    const { levels, unreadable } = examine(await encoded(filter, encode), []);
    t.equal(unreadable, null, filter);
    t.strictSame(
      levels.map(({ level, verdict, failures }) => [level, verdict, failures]),
      [['PDF/A-2u', 'conforms', []]],
      filter,
    );
  }
  const lzw = examine(await encoded('/Filter/LZWDecode', hex), []);
  t.match(lzw.unreadable, /compressed by LZWDecode, which is not read here/);
});

function deflated(text: string): string {
  return deflateSync(Buffer.from(text, 'latin1')).toString('latin1');
}
