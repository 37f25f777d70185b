import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/** Figures tell where they are on their page (ISO 32000-1, 14.8.5.4.3). */

async function boxesOf(content: unknown): Promise<readonly unknown[]> {
  const page = { pageSize: { width: 400, height: 300 }, pageMargins: 0, header: '', footer: '' };
  const source = sampleTemplate({}, { tagged: true, ...page, content });
  const { pdf } = await render(shareTemplate(source), { name: 'x' });
  t.strictSame(findViolations(pdf, 'ua'), []);
  const { document, structure } = readModel(pdf);
  const figures = structure.elements.filter(({ type }) => type === 'Figure');
  return figures.map(({ dictionary }) => document.listAt(document.get(dictionary, 'A'), 'BBox'));
}

const SVG = '<svg width="60" height="30"><rect width="60" height="30"/></svg>';

t.test('every figure has a bounding box', async (t) => {
  const boxes = await boxesOf([
    { image: 'picture', width: 40, alt: 'a' },
    { svg: SVG, alt: 'b' },
    { qr: 'x', fit: 50, alt: 'c' },
    { barcode: 'code128', data: 'ABC', width: 100, height: 20, alt: 'd' },
  ]);
  t.equal(boxes.length, 4);
  t.strictSame(boxes.slice(0, 2), [
    [0, 260, 40, 300],
    [0, 230, 60, 260],
  ]);
  t.ok(boxes.every((box) => Array.isArray(box) && box.length === 4));
});

t.test('the box follows a figure that is aligned, turned, or moved to the next page', async (t) => {
  const figure = { svg: SVG, alt: 'a' };
  const turned = { ...figure, absolutePosition: { x: 100, y: 100, rotate: 90 } };
  t.strictSame(await boxesOf([turned]), [[70, 140, 100, 200]]);
  const tall = { text: 'x', fontSize: 10, margin: [0, 0, 0, 280] };
  const [moved] = await boxesOf([tall, { stack: [figure], unbreakable: true }]);
  t.strictSame(moved, [0, 270, 60, 300]);
  const cell = { stack: [figure], verticalAlignment: 'bottom' };
  const body = [[{ text: 'x', margin: [0, 0, 0, 100 - 13] }, cell]];
  const [aligned] = await boxesOf([{ table: { headerColumns: 1, body }, layout: 'noBorders' }]);
  t.ok(Array.isArray(aligned) && Number(aligned[1]) < 220, String(aligned));
});
