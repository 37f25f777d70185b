import fc from 'fast-check';
import t from 'tap';
import { ChunkReader } from './chunks.ts';

interface Reading {
  readonly data: string;
  /** Bytes read until the end of the body or a fault. */
  readonly read: number;
  readonly end: 'done' | 'open' | 'fault';
}

/** Reads a body that comes in pieces; what comes after its end is not looked at. */
function readPieces(pieces: readonly string[]): Reading {
  const reader = new ChunkReader();
  let data = '';
  let read = 0;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    const next = reader.read(bytes, 0, (part) => {
      if (part.length === 0) throw new Error('an empty piece of data');
      data += Buffer.from(part).toString('latin1');
    });
    if (next === -1) return { data, read, end: 'fault' };
    read += next;
    if (reader.isDone) return { data, read, end: 'done' };
    if (next !== bytes.length) throw new Error('stopped before the end');
  }
  return { data, read, end: 'open' };
}

const body = (text: string): Reading => readPieces([text]);
const bytewise = (text: string): Reading => readPieces(text.split(''));

const NEXT = 'GET / HTTP/1.1\r\n';
const SAMPLE = '5\r\nhello\r\n1;a=b\r\n,\r\n6;x="y"\r\n world\r\n0;last\r\nA: b\r\nC: d\r\n\r\n';

t.test('data and end are the same wherever the body is split', async (t) => {
  const whole: Reading = { data: 'hello, world', read: SAMPLE.length, end: 'done' };
  const text = SAMPLE + NEXT;
  t.same(body(text), whole);
  t.same(bytewise(text), whole);
  for (let at = 0; at <= text.length; at++) {
    t.same(readPieces([text.slice(0, at), text.slice(at)]), whole, `split at ${at}`);
    for (let second = at; second <= SAMPLE.length; second += 7) {
      const pieces = [text.slice(0, at), text.slice(at, second), text.slice(second)];
      if (readPieces(pieces).data !== whole.data) t.fail(`split at ${at} and ${second}`);
    }
  }
});

t.test('what a body is cut into does not matter', async () => {
  const data = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(data), fc.array(fc.nat(9), { minLength: 1 }), (parts, sizes) => {
      const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
      const text = `${chunks.join('')}0\r\n\r\n`;
      const pieces: string[] = [];
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = 1 + (sizes[i % sizes.length] ?? 0);
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      const { data, read, end } = readPieces([...pieces, NEXT]);
      return data === parts.join('') && read === text.length && end === 'done';
    }),
    { numRuns: 500, seed: 20_261_121 },
  );
});

t.test('reading begins where it is told and stops at the end of the body', async (t) => {
  const reader = new ChunkReader();
  const bytes = Buffer.from(`xyz2\r\nab\r\n0\r\n\r\n${NEXT}`);
  let data = '';
  const next = reader.read(bytes, 3, (part) => (data += Buffer.from(part).toString()));
  t.equal(data, 'ab');
  t.equal(bytes.toString('latin1', next), NEXT);
  t.ok(reader.isDone);
  t.equal(
    reader.read(bytes, next, () => t.fail('no data after the end')),
    next,
  );
});

t.test('lengths are hexadecimal, in either case, with zeros before', async (t) => {
  const long = 'x'.repeat(0x1ab);
  t.match(body(`1aB\r\n${long}\r\n0\r\n\r\n`), { data: long, end: 'done' });
  t.match(body(`00001AB\r\n${long}\r\n0000000\r\n\r\n`), { data: long, end: 'done' });
  t.match(body('0\r\n\r\n'), { data: '', end: 'done' });
});

t.test('extensions and trailers are read over', async (t) => {
  const extension = `;name="${'v'.repeat(4_000)}"`;
  t.match(body(`1${extension}\r\na\r\n0${extension}\r\n\r\n`), { data: 'a', end: 'done' });
  t.match(body('1;\r\na\r\n0;\r\n\r\n'), { data: 'a', end: 'done' });
  const trailers = `Content-Length: 9\r\nTransfer-Encoding: chunked\r\n${'X: y\r\n'.repeat(1_000)}`;
  t.match(body(`1\r\na\r\n0\r\n${trailers}\r\n${NEXT}`), { data: 'a', end: 'done' });
});

t.test('what is not to its end is open', async (t) => {
  const text = SAMPLE;
  for (let at = 0; at < text.length; at++) t.equal(body(text.slice(0, at)).end, 'open');
});

const MALFORMED: Readonly<Record<string, string>> = {
  'no digits': '\r\nab\r\n0\r\n\r\n',
  'an extension without digits': ';a=b\r\nab\r\n0\r\n\r\n',
  'no hexadecimal digit': 'g\r\n',
  'a sign': '+1\r\na\r\n0\r\n\r\n',
  'a negative length': '-1\r\na\r\n0\r\n\r\n',
  'a prefix': '0x1\r\na\r\n0\r\n\r\n',
  'a space before the length': ' 1\r\na\r\n0\r\n\r\n',
  'a space after the length': '1 \r\na\r\n0\r\n\r\n',
  'a NUL after the length': '1\0\r\na\r\n0\r\n\r\n',
  'eight digits': '00000001\r\na\r\n0\r\n\r\n',
  'a length beyond 32 bits': '100000001\r\na\r\n0\r\n\r\n',
  'a bare LF after the length': '1\na\r\n0\r\n\r\n',
  'a bare CR after the length': '1\ra\r\n0\r\n\r\n',
  'a bare LF in an extension': '1;a\na\r\n0\r\n\r\n',
  'a bare CR in an extension': '1;a\rb\r\na\r\n0\r\n\r\n',
  'nothing after the data': '1\r\na0\r\n\r\n',
  'a bare LF after the data': '1\r\na\n0\r\n\r\n',
  'a bare CR after the data': '1\r\na\r0\r\n\r\n',
  'more data than announced': '1\r\nab\r\n0\r\n\r\n',
  'a bare LF after the last chunk': '0\n\r\n',
  'a bare LF as the end': '0\r\n\n',
  'a bare CR as the end': '0\r\n\r\r\n',
  'a bare LF in a trailer': '0\r\nA: b\nC: d\r\n\r\n',
  'a bare CR in a trailer': '0\r\nA: b\rC: d\r\n\r\n',
  'an extension of 5,000 bytes': `1;${'x'.repeat(5_000)}\r\na\r\n0\r\n\r\n`,
  'an extension of the last chunk of 5,000 bytes': `0;${'x'.repeat(5_000)}\r\n\r\n`,
  'trailers of 20,000 bytes': `0\r\n${'A: bcd\r\n'.repeat(2_500)}\r\n`,
  'a trailer of 20,000 bytes': `0\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`,
};

for (const [name, text] of Object.entries(MALFORMED)) {
  t.test(`no chunked body: ${name}`, async (t) => {
    t.equal(body(text).end, 'fault');
    t.equal(bytewise(text).end, 'fault', 'byte by byte');
  });
}

t.test('extensions are bounded in all, not only one by one', async (t) => {
  const chunk = `1;${'x'.repeat(4_000)}\r\na\r\n`;
  t.equal(body(chunk.repeat(1_000)).end, 'fault');
});
