/** A template that uses everything a document can hold, for files that are then broken. */

/** A picture of two by two pixels, half of them transparent. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAGklEQVQImWP4z8Dwn+E/QwMDA8N/B05OTgYAN3IE2IEt27EAAAAASUVORK5CYII=';

const DRAWING =
  '<svg width="60" height="30" viewBox="0 0 60 30"><defs><linearGradient id="g">' +
  '<stop offset="0" stop-color="#f00"/><stop offset="1" stop-color="#00f" stop-opacity="0.5"/>' +
  '</linearGradient></defs><rect width="60" height="30" fill="url(#g)"/>' +
  '<g opacity="0.5"><rect width="20" height="20" fill="#0a0"/><circle cx="20" cy="15" r="9"/></g>' +
  '<text x="2" y="20" font-size="9">A1</text></svg>';

/** The source of the template; `more` are keys beside its document. */
export function sampleTemplate(more: object, document: object = {}): string {
  return JSON.stringify({
    templateId: 'archived',
    language: 'th',
    fields: [{ name: 'name', type: 'text', required: true }],
    document: {
      compress: false,
      info: { title: 'หนังสือรับรอง', author: 'Bank', subject: 'A & B', keywords: 'x, y' },
      images: { picture: PICTURE },
      header: { text: 'Bank', margin: [40, 20] },
      footer: { text: 'หน้า {{page}} / {{pages}}', margin: [40, 10] },
      watermark: 'สำเนา',
      content: [
        { text: 'หนังสือรับรองยอด', role: 'h1', outline: true, id: 'top', fontSize: 18 },
        { text: ['ถึง {{name}} ', { text: 'bank.example', link: 'https://bank.example/a' }] },
        { text: 'กลับไปข้างบน', linkToDestination: 'top' },
        { ul: ['หนึ่ง', 'สอง'] },
        { ol: ['Three', 'Four'] },
        {
          table: {
            headerRows: 1,
            widths: ['*', 80],
            body: [
              ['รายการ', 'Amount'],
              ['ฝาก', '1,000.00'],
              ['ถอน', '20.50'],
            ],
          },
        },
        { image: 'picture', width: 40, alt: 'A picture' },
        { svg: DRAWING, alt: 'A drawing of {{name}}' },
        { qr: 'https://bank.example', fit: 60, alt: 'A code' },
      ],
      ...document,
    },
    ...more,
  });
}

/** Data with characters that are outside the fixed subsets of the fonts. */
export const SAMPLE_DATA = { name: 'Ĝoĉjo ก้ำ้ Ωμέγα' };
