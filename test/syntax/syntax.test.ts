import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { faultsOf } from '../../lab/render.ts';
import { DOCUMENTS } from './documents.ts';

/**
 * The PDF syntax of small documents, one file for each group of constructs, so that a change of the
 * writer shows as a change of syntax. `INTAGLIO_UPDATE_GOLDEN=1 ./intaglio test test/syntax` takes
 * today's syntax as correct, so read each difference first.
 */
const UPDATE = process.env['INTAGLIO_UPDATE_GOLDEN'] === '1';

/** The file's syntax; binary streams are replaced by their length and checksum. */
function readable(pdf: Uint8Array): string {
  const text = Buffer.from(pdf).toString('latin1');
  return text
    .slice(0, text.indexOf('\nxref\n') + 1)
    .replace(/^%[^\n]{4}$/m, '%<four bytes above 127>')
    .replaceAll(
      /stream\n([^]*?)\nendstream/g,
      (_, data: string) => `stream\n${streamText(data)}\nendstream`,
    )
    .replaceAll('\nendobj\n', '\nendobj\n\n')
    .concat(
      text.slice(text.indexOf('\ntrailer\n') + 1).replace(/startxref\n\d+/, 'startxref\n<offset>'),
    );
}

/** Control characters that do not occur in text and content streams. */
const BINARY = /[\p{Cc}--[\t\n\r]]/v;

function streamText(data: string): string {
  const bytes = Buffer.from(data, 'latin1');
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes) && !BINARY.test(text)) return text;
  // A content stream with character codes above 127: escaped as in PDF strings.
  const ascii = data.replaceAll(/[\x80-\xff]/g, (code) => `\\${code.charCodeAt(0).toString(8)}`);
  if (!BINARY.test(ascii)) return ascii;
  return `<${bytes.length} bytes, CRC ${crc32(bytes).toString(16)}>`;
}

/**
 * Numbers of the objects that are not where the cross-reference table says (ISO 32000-2 §7.5.4).
 */
function misplaced(pdf: Uint8Array): readonly number[] {
  const text = Buffer.from(pdf).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const [head = '', ...entries] =
    text.slice(start).split('trailer')[0]?.trimEnd().split('\n').slice(1) ?? [];
  const wrong = entries.slice(1).flatMap((entry, index) => {
    const isThere = text.startsWith(`${index + 1} 0 obj\n`, Number(entry.slice(0, 10)));
    return isThere && /^\d{10} 00000 n $/.test(entry.padEnd(19)) ? [] : [index + 1];
  });
  const isWhole = head === `0 ${entries.length}` && entries[0] === '0000000000 65535 f ';
  return isWhole ? wrong : [0];
}

for (const [name, write] of Object.entries(DOCUMENTS)) {
  t.test(name, async (t) => {
    const pdf = await write();
    const file = join(import.meta.dirname, `${name}.txt`);
    const syntax = readable(pdf);
    if (UPDATE) writeFileSync(file, syntax);
    t.equal(syntax, readFileSync(file, 'utf8'));
    t.strictSame(misplaced(pdf), [], 'every object is where the table says');
    t.equal(faultsOf(join(t.testdir(), 'file.pdf'), pdf), '');
    t.strictSame(Buffer.from(await write()), Buffer.from(pdf), 'the same bytes twice');
  });
}
