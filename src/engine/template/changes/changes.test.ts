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

function path(index: number): string {
  return `document.content[${index}]`;
}

/** Path, words before and words after of each change. */
function pairsOf(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const changes = findChanges(file(before), file(after));
  return changes.map(({ path, ...one }) => [path, one.before, one.after]);
}

t.test('an inserted or removed line is one change, and its neighbours keep their partners', (t) => {
  const [fee, interest, thanks] = ['The fee is 20 baht.', 'Interest is 3 %.', 'Thank you.'];
  const insured = 'Insured by the state.';
  t.same(pairsOf([fee, interest, thanks], [insured, 'The fee is 25 baht.', interest, thanks]), [
    [path(0), '', JSON.stringify(insured)],
    [path(1), JSON.stringify(fee), '"The fee is 25 baht."'],
  ]);
  t.same(pairsOf([fee, interest, thanks], [fee, 'Interest is 4 %.']), [
    [path(1), JSON.stringify(interest), '"Interest is 4 %."'],
    [path(2), JSON.stringify(thanks), ''],
  ]);
  t.same(pairsOf([fee, interest, thanks], ['A', fee, interest, 'B', thanks, 'C']), [
    [path(0), '', '"A"'],
    [path(3), '', '"B"'],
    [path(5), '', '"C"'],
  ]);
  const changed = findChanges(file([fee, thanks]), file(['A', fee, 'Thank you!']));
  t.match(changed[1], { path: path(2), change: 'changed', before: JSON.stringify(thanks) });
  t.ok((changed[1]?.line ?? 0) > (changed[1]?.lineBefore ?? 0), 'each line is of its own file');
  t.end();
});

t.test('long lists are aligned, too', (t) => {
  const texts = Array.from({ length: 900 }, (_, index) => `text ${index}`);
  const after = ['first', ...texts.toSpliced(450, 1), 'last'];
  t.same(
    findChanges(file(texts), file(after)).map(({ path: place }) => place),
    ['document.content[0]', 'document.content[450]', 'document.content[900]'],
  );
  t.end();
});

/** A header of a PNG of this width. */
function png(width: number): string {
  const bytes = Buffer.alloc(40);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(20, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

function quote(width: number): RegExp {
  return new RegExp(
    `^"data:image/png;base64,\\[${width}x20 px, 40 bytes, sha256 [0-9a-f]{12}\\]"$`,
  );
}

/** A template with a list of 200,000 numbers. */
function listOf(from: number): Uint8Array {
  const list = Array.from({ length: 200_000 }, (_, index) => 2 * index + from);
  return Buffer.from(JSON.stringify({ fields: [], list, document: { content: [] } }));
}

t.test('a list may have as many changed items as a template may have values', (t) => {
  t.equal(findChanges(listOf(0), listOf(1)).length, 1_000);
  t.end();
});

t.test('a changed picture is named by its size, not quoted', (t) => {
  const [change] = findChanges(file([{ image: png(30) }]), file([{ image: png(300) }]));
  t.match(change, { path: 'document.content[0].image', before: quote(30), after: quote(300) });
  const [added] = findChanges(file(['a']), file(['a', { image: png(30), width: 9 }]));
  t.match(added?.after, /^\{"image":"data:image\/png;base64,\[30x20 px, 40 bytes, .*,"width":9\}$/);
  t.end();
});
