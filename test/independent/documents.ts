/** Documents that use what tags and archive levels are difficult for. */

interface Case {
  readonly template: { readonly document: object } & Record<string, unknown>;
  readonly data: object;
}

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAGklEQVQImWP4z8Dwn+E/QwMDA8N/B05OTgYAN3IE2IEt27EAAAAASUVORK5CYII=';
const DRAWING =
  '<svg width="60" height="30"><rect width="60" height="30" fill="#0a0"/>' +
  '<g opacity="0.5"><circle cx="20" cy="15" r="9"/></g><text x="2" y="20" font-size="9">A1</text></svg>';

function template(content: unknown, document: object = {}, more: object = {}): Case['template'] {
  const info = { title: 'หนังสือ' };
  return { templateId: 't', language: 'th', document: { info, content, ...document }, ...more };
}

const entries = Array.from({ length: 130 }, (_, index) => [`รายการที่ ${index + 1} น้ำมัน`, '10.25']);

export const DOCUMENTS: Readonly<Record<string, Case>> = {
  'a statement over pages': {
    template: template(
      [
        { text: 'รายการเดินบัญชี', role: 'h1' },
        {
          table: {
            headerRows: 1,
            widths: ['*', 90],
            statement: {
              each: 'rows',
              opening: 'opening',
              credit: 1,
              carriedForward: ['ยกไป', '{{statement.balance}}'],
              broughtForward: ['ยกมา', '{{statement.balance}}'],
              pageTotal: ['รวม', '{{statement.pageCredits}}'],
            },
            body: [
              ['รายการ', 'ฝาก'],
              { each: 'rows', cells: ['{{0}}', '{{1}}'] },
              [{ text: 'รวม', role: 'rowHeader' }, '{{sum rows.1}}'],
            ],
          },
        },
      ],
      { header: 'หัวกระดาษ', footer: { text: '{{page}} / {{pages}}' }, watermark: 'สำเนา COPY' },
      {
        fields: [
          { name: 'opening', type: 'number' },
          { name: 'rows', type: 'table' },
        ],
      },
    ),
    data: { opening: '5.00', rows: entries },
  },
  'contents, headings, links and lists': {
    template: template([
      { toc: { title: { text: 'สารบัญ', role: 'h1' } } },
      { text: 'บทนำ', role: 'h2', tocItem: true, pageBreak: 'before' },
      {
        text: [
          'ดู ',
          { text: 'bank.example', link: 'https://bank.example', language: 'en' },
          ' ฟื้นน้ำ',
        ],
      },
      { text: 'Terms of the loan', role: 'h3', tocItem: true, language: 'en' },
      { ul: ['ก้ำ', { ol: ['a', 'b'] }, { stack: [{ text: 'English', language: 'en' }, 'ไทย'] }] },
      { text: 'word '.repeat(1_500), language: 'en' },
      { text: ['A ', { text: 'note', role: 'note' }] },
    ]),
    data: {},
  },
  'figures, and characters outside the fixed fonts': {
    template: template(
      [
        { text: '{{name}}', role: 'h1' },
        { image: 'picture', width: 40, alt: 'A picture', alignment: 'right' },
        {
          columns: [
            { svg: DRAWING, alt: 'A drawing' },
            { qr: 'x', fit: 50, alt: 'A code', link: 'https://a.example' },
          ],
        },
        { barcode: 'code128', data: 'ABC', width: 100, height: 20, alt: 'ABC' },
        { svg: DRAWING, alt: '' },
        { text: '{{amount}}', fontSize: 30, characterSpacing: 2 },
        { text: 'ปี่ก้ำ้ ญู ฐุ ฟื้น', absolutePosition: { x: 300, y: 500, rotate: 30 } },
      ],
      { images: { picture: PICTURE } },
      {
        fields: [
          { name: 'name', type: 'text' },
          {
            name: 'amount',
            type: 'number',
            format: { words: true, language: 'en', currency: 'THB' },
          },
        ],
      },
    ),
    data: { name: 'Ĝoĉjo Ωμέγα', amount: '1520.50' },
  },
  'spans, nested tables and empty cells': {
    template: template([
      { text: 'ตาราง', role: 'h1' },
      {
        table: {
          headerRows: 2,
          body: [
            [{ text: 'Both', colSpan: 2 }, {}, { text: 'Tall', rowSpan: 2 }],
            ['A', 'B', {}],
            [{ table: { headerColumns: 1, body: [['H', 'd']] } }, '', { ul: ['x', 'y'] }],
            [{ text: 'Three', rowSpan: 3, role: 'rowHeader' }, 'a', 'b'],
            [{}, 'c', ''],
            [{}, { text: 'd', colSpan: 2, language: 'en' }, {}],
          ],
        },
      },
      { table: { body: [['only', 'layout']] }, role: 'layout' },
    ]),
    data: {},
  },
};
