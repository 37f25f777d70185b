import { PDFDocument } from '@cantoo/pdf-lib';
import { makePng } from './fixtures/images.ts';
import { createEngine } from '#engine';

/** For each place of docs/template-keys.md, a whole template around an object in that place. */

type Source = Readonly<Record<string, unknown>>;
type Frame = (own: Source, key: string) => Source;

export const PNG = `data:image/png;base64,${makePng({ widthPx: 100, heightPx: 100 }).toString('base64')}`;

/** A cleaned PDF of two pages. */
export const PDF = await twoPages();

async function twoPages(): Promise<string> {
  const document = await PDFDocument.create();
  for (const size of [90, 60]) document.addPage([100, 100]).drawCircle({ x: 50, y: 50, size });
  const cleaning = await createEngine().cleanPdf(await document.save());
  if (!cleaning.ok) throw new Error(cleaning.fault);
  return `data:application/pdf;base64,${Buffer.from(cleaning.pdf).toString('base64')}`;
}

const FIELDS: readonly Source[] = [
  { name: 'text', type: 'text' },
  { name: 'number', type: 'number' },
  { name: 'date', type: 'date', format: { pattern: 'd MMMM yyyy' } },
  { name: 'image', type: 'image' },
  { name: 'table', type: 'table' },
  { name: 'absent', type: 'text' },
  { name: 'list', type: 'list', fields: [{ name: 'one', type: 'text' }] },
];

/** A reference of fields that may be absent is a finding. */
const REQUIRED = FIELDS.map((field) =>
  field['name'] === 'text' ? { ...field, required: true } : field,
);

export const DATA = {
  text: 'abc 🙂',
  number: '1250.5',
  date: '2026-11-21',
  image: PNG,
  table: Array.from({ length: 80 }, (_, index) => [`row ${index}`, '10.25', '2']),
  list: [{ one: 'first' }, { one: 'second' }],
};

const lines = (count: number): string => Array.from({ length: count }, () => 'x').join('\n');
/** 54 lines fill a page. */
const filler = (count: number): Source => ({ text: lines(count) });
const BLOCK = { text: lines(9), unbreakable: true };
const HERE = { text: 'Here', id: 'here' };
const PARENT = { text: 'Parent', id: 'parent', outline: true };
const STYLES = { base: { bold: true } };
const ROWS = Array.from({ length: 40 }, () => ['a\nb\nc', 'd']);

const file = (document: Source, more: Source = {}): Source => ({
  templateId: 'key',
  fields: FIELDS,
  document: { styles: STYLES, ...document },
  ...more,
});
const content = (...nodes: readonly unknown[]): Source => file({ content: nodes });
const table = (own: Source): Source => content(filler(40), { table: own });

/**
 * A node in the position that the example needs: in the content, in columns, in a cell or in a
 * list.
 */
function nodeIn(place: unknown, node: Source): unknown {
  switch (place) {
    case 'columns':
      return { columns: [node, 'beside'] };
    case 'cell':
      return {
        table: {
          heights: 60,
          body: [
            [node, ''],
            ['', ''],
          ],
        },
      };
    case 'list':
      return { ol: [node] };
    default:
      return node;
  }
}

function nodeFrame(base: Source): Frame {
  return ({ in: place, ...own }, key) => {
    const node = { ...base, ...own };
    const rest = key === 'id' ? [{ text: 'go', linkToDestination: 'there' }] : [];
    const child = { text: 'c', outline: true, outlineParentId: 'own' };
    const below = key === 'outlineExpanded' ? [child] : [];
    const document = {
      breakBefore: { headlineLevel: 1, minFollowing: 2 },
      content: [
        PARENT,
        { toc: {} },
        ...rest,
        HERE,
        filler(50 - rest.length),
        nodeIn(place, node),
        ...below,
        BLOCK,
      ],
    };
    return file(document);
  };
}

/** A node of a kind; a text begins on the last line of the page, or on the third from last. */
function kindFrame(base: Source): Frame {
  return (own, key) => {
    const before = key === 'orphans' ? 52 : key === 'widows' ? 50 : 3;
    return content(HERE, filler(before), { ...base, ...own }, 'after');
  };
}

/** The type of field to which a key of format or validation applies. */
function fieldOf(key: string): string {
  if (['mask', 'minLength', 'maxLength'].includes(key)) return 'text';
  return key === 'calendar' ? 'date' : 'number';
}

const fieldWith = (name: string, more: Source): Source =>
  file({ content: `{{${name}}}` }, { fields: [{ name, type: name, ...more }] });

const vector =
  (base: Source): Frame =>
  (own) =>
    content({ canvas: [{ ...base, ...own }] });

export const FRAMES: Readonly<Record<string, Frame>> = {
  template: (own, key) => {
    const framed = file({ content: '{{text}} {{number}} {{date}}' });
    return { ...framed, ...(key === 'reference' ? { fields: REQUIRED } : {}), ...own };
  },
  reference: (own) =>
    file({ content: '{{text}}' }, { fields: REQUIRED, reference: { value: '{{text}}', ...own } }),
  file: (own) => {
    const base = { name: 'a.txt', mediaType: 'text/plain', data: 'a' };
    const more = { archive: 'PDF/A-3u', files: [{ ...base, ...own }] };
    return file({ content: '{{number}}' }, more);
  },
  fileMetadata: (own) => {
    const base = { namespace: 'urn:a#', prefix: 'a', properties: { Kind: 'B' } };
    const metadata = { ...base, ...own };
    const one = { name: 'a.txt', mediaType: 'text/plain', data: '{{text}}', metadata };
    return file({ content: '{{number}}' }, { archive: 'PDF/A-3u', files: [one] });
  },
  signatureField: (own) => {
    const pages = [
      { text: '{{text}}', id: 'sign' },
      { text: 'b', pageBreak: 'before' },
    ];
    const base = { x: 40, y: 600, width: 150, height: 80 };
    return file({ content: pages }, { signatureField: { ...base, ...own } });
  },
  sample: (own) => ({ ...file({ content: 'x' }), samples: [{ data: {}, ...own }] }),
  field: (own, key) => {
    if (key === 'columns') {
      const rows = { each: 'table', text: '{{0}}' };
      return file({ content: rows }, { fields: [{ name: 'table', type: 'table', ...own }] });
    }
    if (key === 'fields') {
      const record = { name: 'customer', type: 'record', ...own };
      return file({ content: '{{customer.name}}' }, { fields: [record] });
    }
    const field = { name: 'number', type: 'number', ...own };
    return file(
      { content: own['name'] === 'absent' ? '{{absent}}' : '{{number}}' },
      { fields: [field] },
    );
  },
  choice: (own) => fieldWith('number', { choices: [{ value: '1', ...own }] }),
  format: (own, key) => fieldWith(key === 'pattern' ? 'date' : fieldOf(key), { format: own }),
  validation: (own, key) => {
    if (!key.includes('Items')) {
      return fieldWith(key === 'pattern' ? 'text' : fieldOf(key), { validation: own });
    }
    const list = { name: 'list', type: 'list', fields: [{ name: 'one', type: 'text' }] };
    const copies = { each: 'list', as: 'entry', text: '{{entry.one}}' };
    return file({ content: copies }, { fields: [{ ...list, required: true, validation: own }] });
  },
  document: (own) =>
    file({ content: [filler(51), { text: 'Headline', headlineLevel: 1 }, 'one', BLOCK], ...own }),
  info: (own) => file({ content: 'x', info: own }),
  style: (own) => content(HERE, { text: '{{number}} of a line', ...own }, 'after'),
  namedStyle: (own) =>
    file({ styles: { ...STYLES, s: own }, content: ['a', { text: 'x', style: 's' }, 'b'] }),
  node: nodeFrame({ text: 'a text' }),
  'columns node': kindFrame({ columns: ['a', 'b'] }),
  'stack node': kindFrame({ stack: ['a'] }),
  'ul node': kindFrame({ ul: ['a'] }),
  'ol node': kindFrame({ ol: ['a'] }),
  'table node': kindFrame({ table: { body: [['a']] } }),
  'text node': kindFrame({ text: lines(5) }),
  'toc node': kindFrame({ toc: {} }),
  'image node': kindFrame({ image: '{{image}}' }),
  'svg node': kindFrame({
    svg: "<svg viewBox='0 0 99 99' width='99' height='99'><rect width='99' height='99'/></svg>",
  }),
  'canvas node': kindFrame({ canvas: [] }),
  'qr node': kindFrame({ qr: 'https://verify.example' }),
  'pdf node': (own) =>
    file({ pdfs: { letterhead: PDF }, content: [{ pdf: 'letterhead', ...own }, 'after'] }),
  'barcode node': kindFrame({ barcode: 'code128', data: 'ABC-123' }),
  run: (own, key) => nodeFrame({ text: ['a ', { text: 'run', ...own }] })({}, key),
  table: (own) => table({ body: ROWS, ...own }),
  row: (own) => table({ body: [['a'], { cells: ['{{date}}'], ...own }] }),
  statement: (own) => {
    const cells = ['{{0}}', '{{1}}', '{{2}}', '{{statement.balance}}'];
    const statement = { each: 'table', credit: 1, ...own };
    return table({ body: [{ each: 'table', cells }], statement });
  },
  layout: (own) => content(filler(39), { table: { headerRows: 1, body: ROWS }, layout: own }),
  toc: (own, key) => {
    const tocItem = own['id'] ?? true;
    const items = ['B', 'A'].map((text) => ({ text, tocItem }));
    return content({ toc: own }, ...(key === 'hideEmpty' ? [] : items));
  },
  section: (own) => content('x', { section: 'y', ...own }),
  runningElement: (own) => {
    const header = { first: null, ...own };
    return file({
      header,
      content: ['a', ...['b', 'c'].map((text) => ({ text, pageBreak: 'before' }))],
    });
  },
  watermark: (own) => file({ content: 'x', watermark: { text: 'DRAFT', ...own } }),
  breakBefore: (own) =>
    file({
      breakBefore: own,
      content: [filler(51), { text: 'Headline', headlineLevel: 1 }, 'one', BLOCK],
    }),
  attachedPages: (own) => file({ content: 'x', attachedPages: own }),
  pattern: (own) => {
    const base = { boundingBox: [1, 1, 4, 4], xStep: 3, yStep: 3, pattern: '1 w 0 1 m 4 5 l s' };
    const body = [[{ text: 'x', fillColor: ['hatch', 'navy'] }]];
    return file({ patterns: { hatch: { ...base, ...own } }, content: { table: { body } } });
  },
  line: vector({ type: 'line', x1: 0, y1: 0, x2: 50, y2: 50 }),
  rect: vector({ type: 'rect', x: 0, y: 0, w: 50, h: 20 }),
  ellipse: vector({ type: 'ellipse', x: 50, y: 50, r1: 20 }),
  polyline: vector({
    type: 'polyline',
    points: [
      { x: 0, y: 0 },
      { x: 20, y: 20 },
      { x: 0, y: 40 },
    ],
  }),
};
