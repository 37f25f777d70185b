import t from 'tap';
import { differingParts, sampleLike, shownLine } from '../../studio/src/compare/parts.ts';

const BASE = {
  templateId: 'letter',
  name: 'Letter',
  fields: [{ name: 'customer', type: 'text' }],
  document: { styles: { title: { fontSize: 20 } }, content: [{ text: 'Dear {{customer}}' }] },
  samples: [{ name: 'Ada', data: { customer: 'Ada' } }],
};

function parts(changed: object): unknown {
  const found = differingParts(JSON.stringify(BASE), JSON.stringify({ ...BASE, ...changed }));
  return found?.map(({ path, places }) => [
    path,
    ...places.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text.trim()}`)),
  ]);
}

t.test('every part of two templates that differs is listed, samples too', async (t) => {
  t.strictSame(parts({}), []);
  const samples = [{ name: 'Ada', data: { customer: 'Grace' } }];
  const styles = { title: { fontSize: 24 } };
  const found = parts({ samples, document: { ...BASE.document, styles }, reference: 'x' });
  t.strictSame(found, [
    ['document.styles', 'removed "title": { "fontSize": 20 }', 'added "title": { "fontSize": 24 }'],
    [
      'samples',
      'removed { "name": "Ada", "data": { "customer": "Ada" } }',
      'added { "name": "Ada", "data": { "customer": "Grace" } }',
    ],
    ['reference', 'added "x"'],
  ]);
  t.strictSame(parts({ name: undefined }), [['name', 'removed "Letter"']]);
  t.equal(differingParts('no', '{}'), null);
});

t.test('numbers are compared as they are written', async (t) => {
  const withText = (text: string): string =>
    JSON.stringify(BASE).replace('"Dear {{customer}}"', text);
  const linesOf = (before: string, after: string): unknown =>
    differingParts(withText(before), withText(after))?.map(({ path, places }) => [
      path,
      ...places.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text.trim()}`)),
    ]);
  t.strictSame(linesOf('10.50', '10.5'), [
    ['document.content', 'removed { "text": 10.50 }', 'added { "text": 10.5 }'],
  ]);
  const amount = JSON.stringify(BASE).replace('"customer":"Ada"', '"customer":10.50');
  const [samples] = differingParts(amount, amount.replace('10.50', '10.5')) ?? [];
  t.equal(samples?.path, 'samples', 'documents print the amounts of samples as they are written');
  t.strictSame(linesOf('12345678901234567890', '12345678901234567891'), [
    [
      'document.content',
      'removed { "text": 12345678901234567890 }',
      'added { "text": 12345678901234567891 }',
    ],
  ]);
  t.strictSame(linesOf('"10.50"', '"10.5"'), [
    ['document.content', 'removed { "text": "10.50" }', 'added { "text": "10.5" }'],
  ]);
  t.strictSame(linesOf(String.raw`"\u0e01"`, '"ก"'), [], 'the same text, written differently');
});

t.test('a sample is found in another version by its name, else by its place', async (t) => {
  const [named, other] = [{ name: 'Ada', data: { a: '1' } }, { data: { b: '1' } }];
  t.equal(sampleLike([other, named], { name: 'Ada', data: {} }, 0), named);
  t.equal(sampleLike([named, other], { name: 'Grace', data: {} }, 0), null);
  t.equal(sampleLike([named, other], { data: {} }, 1), other);
  t.equal(sampleLike([named, other], { data: {} }, 0), null, 'a sample with a name is another one');
});

t.test('the data of a picture is told by its length', async (t) => {
  const line = `"logo": "data:image/png;base64,${'A'.repeat(400)}"`;
  t.equal(shownLine(line, String), '"logo": "data:image/png;base64,[400]"');
  t.equal(shownLine('x'.repeat(400), String).length, 301);
});
