import t from 'tap';
import { Face } from './face.ts';
import { render, shareTemplate } from '../../../lab/render.ts';

const SOURCE = JSON.stringify({
  templateId: 'x',
  name: 'x',
  language: 'th',
  fields: [{ name: 'customer', type: 'text', required: true }],
  document: { content: 'เรียน {{customer}}' },
});

/** Far fewer than the thousand clusters that free text can contain. */
const SHAPED_MAX = 50;

t.test('a renderer has shaped the usual font when its first template comes', async (t) => {
  const shape = Reflect.get(Face.prototype, 'shape');
  const calls = t.capture(Face.prototype, 'shape', function counted(this: Face, ...of) {
    return Reflect.apply(shape, this, of);
  });
  await render(shareTemplate(SOURCE), { customer: 'สมชาย ใจดี' });
  const { length } = calls();
  t.ok(length > 0 && length < SHAPED_MAX, `${length} clusters and pairs`);
});
