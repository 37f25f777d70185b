import t from 'tap';
import { describeBreaking, diffTemplates, wayOut } from './diff.ts';

const BEFORE = {
  fields: [
    { name: 'gone', type: 'text', required: false },
    { name: 'optional', type: 'text', required: false },
    { name: 'typed', type: 'text', required: true },
    { name: 'bound', type: 'text', required: true, validation: { maxLength: 10 } },
    { name: 'loose', type: 'date', required: true, validation: { min: '2026-01-01' } },
  ],
};

t.test('a diff says what callers would notice', async (t) => {
  const after = {
    fields: [
      { name: 'optional', type: 'text', required: true },
      { name: 'typed', type: 'number', required: true },
      { name: 'bound', type: 'text', required: true, validation: { maxLength: 9 } },
      { name: 'loose', type: 'date', required: true, validation: { min: '2025-01-01' } },
      { name: 'new', type: 'text' },
    ],
  };
  t.strictSame(describeBreaking(diffTemplates(BEFORE, after).breaking), [
    'callers still send the field gone, which is no longer read',
    'callers must send the field optional',
    'callers must send number in the field typed, not text',
    'values of the field bound may be refused that were accepted',
  ]);
  const spared = wayOut(diffTemplates(BEFORE, after).breaking, 7);
  t.match(spared, /refused with invalid_data.* "version": 7 .*optional; .*a new templateId$/);
  t.equal(wayOut([{ kind: 'removed', field: 'gone' }], 7), null, 'nobody is refused');
  const stricter = diffTemplates(after, BEFORE).breaking.filter(({ kind }) => kind === 'stricter');
  t.strictSame(stricter, [{ kind: 'stricter', field: 'loose' }]);
  t.strictSame(diffTemplates(BEFORE, BEFORE).breaking, []);
});
