import t from 'tap';
import { findChanges } from './changes.ts';

function file(content: unknown, more: object = {}): Uint8Array {
  const template = { templateId: 'a', fields: [], document: { content }, ...more };
  return Buffer.from(JSON.stringify(template, null, 2));
}

t.test('every change of what is printed is listed with its lines', (t) => {
  const before = file(['One', { text: 'Two', bold: true }], { name: 'A' });
  const hidden = { if: 'legal', text: 'Waives {{legal}}' };
  const after = file(['One', { text: 'Deux', fontSize: 9 }, hidden], {
    name: 'A',
    fields: [{ name: 'legal', type: 'number', format: { decimals: 2 } }],
    samples: [{ name: 's', data: {} }],
  });
  const changes = findChanges(before, after);
  const lines = Buffer.from(after).toString().split('\n');
  t.match(
    changes.map(({ path, change, words }) => [path, change, words]),
    [
      ['fields[0]', 'added', ''],
      ['document.content[1].text', 'changed', 'Deux'],
      ['document.content[1].bold', 'removed', ''],
      ['document.content[1].fontSize', 'added', ''],
      ['document.content[2]', 'added', ''],
    ],
  );
  const line = changes.find(({ path }) => path === 'document.content[1].text')?.line ?? 0;
  t.match(lines[line - 1], /"text": "Deux"/);
  t.match(changes[2], { line: null, before: 'true', after: '' });
  t.equal(new Set(changes.map(({ id }) => id)).size, changes.length);
  t.end();
});

t.test('samples and the order of keys are no change', (t) => {
  const one = file([{ text: 'a', bold: true }]);
  const other = file([{ bold: true, text: 'a' }], { samples: [{ name: 's', data: {} }] });
  t.same(findChanges(one, other), []);
  t.end();
});

t.test('a confirmation names the content of its change', (t) => {
  const before = file(['One']);
  const [first] = findChanges(before, file(['Two']));
  const [second] = findChanges(before, file(['Three']));
  const long = 'x'.repeat(5_000);
  const [third] = findChanges(before, file([`${long}a`]));
  const [fourth] = findChanges(before, file([`${long}b`]));
  t.equal(new Set([first?.id, second?.id, third?.id, fourth?.id]).size, 4);
  t.equal(findChanges(before, file(['Two']))[0]?.id, first?.id);
  t.end();
});

t.test('a first version is one change, and many changes end with one for the others', (t) => {
  t.match(findChanges(null, file(['One'])), [{ path: '', change: 'added' }]);
  const texts = Array.from({ length: 900 }, (_, index) => `text ${index}`);
  const changed = texts.map((text) => `${text}!`);
  const changes = findChanges(file(texts), file(changed));
  t.equal(changes.length, 300);
  t.match(changes.at(-1), { path: '…', after: '601 more changes' });
  const last = findChanges(file(texts), file(changed.with(899, 'hidden')));
  t.not(last.at(-1)?.id, changes.at(-1)?.id, 'it names the content of those, too');
  t.end();
});
