import { crlOf } from './certificates.ts';
import type { MadePdf } from './made-pdf.ts';
import { PAGE } from './made-pdf.ts';
import { type Expected, type Sample, streamOf, type Workshop } from './samples.ts';

/*
 * Updates after a signature in which something is hidden: objects that the cross-references do not
 * name, with a fault that makes some readers rebuild the cross-references and find them.
 */

const CHANGED: Expected = { after: 'changes', faults: ['changes'] };
const LATIN = 'latin1';
const OTHER_TEXT = 'BT /F1 18 Tf 72 700 Td (Pay 999,999 baht) Tj ET';
const HIDDEN =
  `99 0 obj\n<</Length ${OTHER_TEXT.length}>>\nstream\n${OTHER_TEXT}\nendstream\nendobj\n` +
  `3 0 obj\n<<${PAGE.replace('4 0 R', '99 0 R')}>>\nendobj\n`;

/** What is wrong with an update beside its objects. */
interface Trick {
  readonly before?: string;
  readonly rows?: (text: string) => string;
  readonly trailer?: (text: string) => string;
}

function append(made: MadePdf, objects: ReadonlyMap<number, string>, trick: Trick): Buffer {
  const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(made.bytes.toString(LATIN))?.[1] ?? '';
  let text = trick.before ?? '';
  let rows = '';
  for (const [number, body] of objects) {
    const offset = String(made.bytes.length + text.length).padStart(10, '0');
    rows += `${number} 1\n${offset} 00000 n \n`;
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const start = made.bytes.length + text.length;
  const size = Math.max(made.size, ...[...objects.keys()].map((number) => number + 1));
  const trailer = `trailer\n<</Size ${size}/Root 1 0 R/Info 6 0 R/ID[<00><09>]/Prev ${previous}>>\n`;
  const rowsOf = trick.rows ?? ((same) => same);
  const trailerOf = trick.trailer ?? ((same) => same);
  const end = `startxref\n${start}\n%%EOF\n`;
  return Buffer.from(
    `${made.bytes.toString(LATIN)}${text}${rowsOf(`xref\n${rows}`)}${trailerOf(trailer)}${end}`,
    LATIN,
  );
}

/** A change of one place of a text. */
function replace(one: string | RegExp, other: string): (text: string) => string {
  return (text) => text.replace(one, other);
}

export function hiddenUpdates(shop: Workshop): readonly Sample[] {
  const signed = shop.signed('p256');
  const catalog = signed.text(1);
  const crl = crlOf(shop.authority, []);
  const store = new Map([
    [1, catalog.replace(/>>$/, ' /DSS 21 0 R >>')],
    [20, streamOf(crl)],
    [21, '<< /Type /DSS /CRLs [ 20 0 R ] >>'],
  ]);
  const withStore = (number: number, body: string): Map<number, string> =>
    new Map([...store, [number, body]]);
  const cases: readonly [string, ReadonlyMap<number, string>, Trick][] = [
    ['objects without an entry', store, { before: HIDDEN }],
    ['a real number as /Prev', store, { before: HIDDEN, trailer: replace(/Prev \d+/, '$&.0') }],
    ['an entry of generation 7', store, { before: HIDDEN, rows: replace(' 00000 n', ' 00007 n') }],
    ['a comment after xref', store, { before: HIDDEN, rows: replace('xref\n', 'xref %c\n') }],
    ['/Size as a string', store, { before: HIDDEN, trailer: replace(/Size \d+/, 'Size (a)') }],
    ['no /Size', store, { before: HIDDEN, trailer: replace(/\/Size \d+/, '') }],
    ['a trailer without more', store, { trailer: replace(/\/Size \d+/, '/Size 3') }],
    ['an escaped /Prev', store, { trailer: replace('/Prev', '/P#72ev') }],
    ['short entries', store, { rows: (text) => text.replaceAll(' n \n', ' n\n') }],
    ['objects in a comment', store, { before: `%${HIDDEN.replaceAll('\n', ' ')}\n` }],
    ['objects in a stream', withStore(20, streamOf(Buffer.from(`\n${HIDDEN}`))), {}],
    ['objects in a string', withStore(21, `${store.get(21)?.slice(0, -2)}/TU(\n3 0 obj\n)>>`), {}],
    ['a trailer in a stream', withStore(20, streamOf(Buffer.from('trailer<</Root 9 0 R>>'))), {}],
    [
      'another information',
      withStore(30, '<</Title(Approved)>>'),
      {
        trailer: replace('/Info 6 0 R', '/Info 30 0 R'),
      },
    ],
    ['no information', store, { trailer: replace('/Info 6 0 R', '') }],
    ['another first /ID', store, { trailer: replace('[<00>', '[<01>') }],
    ['an object that nothing leads to', withStore(30, '<</A 1>>'), {}],
    ['nothing but the same catalog', new Map([[1, catalog]]), {}],
    [
      'an action in the store',
      withStore(21, '<</Type/DSS/CRLs[20 0 R]/VRI<</X<</OpenAction<<>>>>>>>>'),
      {},
    ],
    ['a page in the store', withStore(21, '<</Type/DSS/CRLs[20 0 R 3 0 R]>>'), {}],
    [
      'resources of the form',
      withStore(
        1,
        (store.get(1) ?? '').replace('/SigFlags 3', '/SigFlags 3/DR<</XObject<</X 20 0 R>>>>'),
      ),
      {},
    ],
  ];
  return [
    {
      name: 'validation data alone',
      pdf: append(signed, store, {}),
      signatures: [{ after: 'validation data', faults: [] }],
    },
    ...cases.map(([name, objects, trick]) => ({
      name: `hidden: ${name}`,
      pdf: append(signed, objects, trick),
      signatures: [CHANGED],
    })),
  ];
}
