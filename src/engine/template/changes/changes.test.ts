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
  const texts = Array.from({ length: 1_600 }, (_, index) => `text ${index}`);
  const changed = texts.map((text) => `${text}!`);
  const changes = findChanges(file(texts), file(changed));
  t.equal(changes.length, 1_000);
  t.match(changes.at(-1), { path: '…', after: /^601 more changes, which are not listed/ });
  const last = findChanges(file(texts), file(changed.with(1_599, 'hidden')));
  t.not(last.at(-1)?.id, changes.at(-1)?.id, 'it names the content of those, too');
  t.end();
});

function nodes(fontSize: number, owed: string): object[] {
  return [
    ...Array.from({ length: 1_100 }, (_, index) => ({ text: `line ${index}`, fontSize })),
    { text: `You owe ${owed}`, if: 'kind' },
  ];
}

t.test('words that no sample shows are listed before sizes', (t) => {
  const changes = findChanges(file(nodes(9, 'nothing')), file(nodes(10, '1,000,000')));
  t.equal(changes.length, 1_000);
  t.match(
    changes.find(({ after }) => after.includes('1,000,000')),
    { path: 'document.content[1100].text' },
  );
  t.end();
});

t.test('long values are quoted where they differ', (t) => {
  const long = 'word '.repeat(500);
  const ends = (text: string): Uint8Array => file([`${long}${text}`]);
  const [change] = findChanges(ends('You owe nothing.'), ends('You owe 1,000,000 baht.'));
  t.match(change?.before, /^….*You owe nothing\."$/);
  t.match(change?.after, /^….*You owe 1,000,000 baht\."$/);
  const [far] = findChanges(file([`a${long}b`]), file([`c${long}d`]));
  t.match(far?.after, /^"c.* … \d+ characters are not shown … .*d"$/);
  t.not(far?.before, far?.after);
  const same = 'A'.repeat(5_000);
  const [picture] = findChanges(file([`${same}B${same}`]), file([`${same}C${same}`]));
  t.not(picture?.before, picture?.after);
  t.ok((picture?.after.length ?? 0) < 200, 'the same parts are left out');
  t.end();
});
