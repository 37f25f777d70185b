import t from 'tap';
import { shareTemplate } from '../../lab/render.ts';
import run from '../workers/render.ts';

/** The findings of a check that renders a sample of this content. */
async function found(content: readonly unknown[], text: string): Promise<readonly string[]> {
  const file = {
    templateId: 'places',
    name: 'places',
    language: 'en',
    fields: [{ name: 'q', type: 'qrcode', required: true }],
    samples: [{ name: 'a', data: { q: text } }],
    document: { pageSize: { width: 300, height: 200 }, pageMargins: 20, content },
  };
  const template = shareTemplate(JSON.stringify(file));
  const result = await run({ kind: 'check', template, renderSamples: true, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('nothing was checked');
  return result.findings.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

const LONG = 'x'.repeat(200);
const AT = 'document.content[0]';

t.test('a check says where a code of a sample is too large or too small', async (t) => {
  t.same(await found([{ qr: '{{q}}', fit: 100, padding: 4 }], 'A'), []);
  t.same(await found([{ qr: '{{q}}', fit: 400 }], 'A'), [
    `warning ${AT}: In sample "a" a code needs 399 points and its place has 160: it is printed ` +
      'smaller. Make the place or the page larger, or the code smaller.',
  ]);
  t.same(await found([{ columns: [{ qr: '{{q}}', width: 30 }, 'b'] }], LONG), [
    `error ${AT}.columns[0]: In sample "a" a code needs 38 points with modules of 0.70 and its ` +
      'place has 30: it cannot be read if it is smaller. Make the place or the page larger, or the ' +
      'text shorter.',
  ]);
  t.same(await found([{ columns: [{ qr: '{{q}}', width: 20, fit: 26.5 }, 'b'] }], LONG), [
    `error ${AT}.columns[0]: In sample "a" a code needs 26 points with modules of 0.47 and its ` +
      'place has 20: it cannot be read if it is smaller. Make the place or the page larger, or the ' +
      'text shorter.',
  ]);
  t.same(await found([{ qr: '{{q}}', fit: 26.5 }], LONG), [
    `warning ${AT}: In sample "a" a module of the code is 0.50 points wide: many printers and ` +
      'readers need 0.7. Make the code larger or its text shorter.',
  ]);
  t.match(await found([{ columns: [{ qr: '{{q}}', width: 26, fit: 26.5 }, 'b'] }], LONG), [
    /^warning .* a code needs 27 points and its place has 26: it is printed smaller/,
  ]);
  const over = {
    columns: [{ width: 60, columns: [{ width: 50, text: '' }, { qr: '{{q}}' }] }, 'b'],
  };
  t.same(await found([over], 'A'), [
    `error ${AT}.columns[0].columns[1]: In sample "a": code would share its place with a ` +
      'text or another code. Give it more room, move it, or limit the length of the field with ' +
      '"validation".',
  ]);
  const position = { absolutePosition: { x: 20, y: 150 } };
  t.same(await found([{ qr: '{{q}}', fit: 80, ...position }], 'A'), [
    `error ${AT}: In sample "a": code is larger than its place on the page. Give it more room, ` +
      'move it, or limit the length of the field with "validation".',
  ]);
});
