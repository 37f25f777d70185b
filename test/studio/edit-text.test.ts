import t from 'tap';
import { withNames } from '../../studio/src/template-actions/edit-text.ts';

t.test('only the names change, in their places', async (t) => {
  const text =
    '{ "fields": [{ "name": "name" }],\n  "templateId": "a",  "name": "เก่า \\" {", "n": 1.10 }\n';
  t.equal(
    withNames(text, { templateId: 'b', name: 'ใหม่ "x"' }),
    '{ "fields": [{ "name": "name" }],\n  "templateId": "b",  "name": "ใหม่ \\"x\\"", "n": 1.10 }\n',
  );
  t.equal(withNames('{"name":"a","name":"b"}', { name: 'c' }), '{"name":"a","name":"c"}');
  t.equal(withNames('{"n\\u0061me":"a"}', { name: 'c' }), '{"n\\u0061me":"c"}');
});

t.test('a name that is absent is added, and one that is no text is refused', async (t) => {
  t.same(JSON.parse(withNames('{}', { name: 'x' }) ?? ''), { name: 'x' });
  const added = withNames('{"fields":[]}', { templateId: 'i', name: 'x' }) ?? '';
  t.same(JSON.parse(added), { templateId: 'i', name: 'x', fields: [] });
  t.equal(withNames('{"name":{"th":"x"}}', { name: 'y' }), null);
  t.equal(withNames('[]', { name: 'y' }), null);
});
