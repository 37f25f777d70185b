import t from 'tap';
import type { DraftChange } from '../../studio/src/api/types.ts';
import { type ComparedText, shownChanges } from '../../studio/src/compare/shown.ts';

function change(id: string, words: string, path = 'document.content[0].text'): DraftChange {
  const values = { before: '"old"', after: JSON.stringify(words), line: 1, lineBefore: 1 };
  return { id, path, change: 'changed', words, ...values };
}

/** The comparison of a sample whose page has these lines more than before. */
function sample(...added: readonly string[]): ComparedText {
  const lines = added.map((text) => ({ kind: 'added', text }) as const);
  return { before: {}, pages: [{ lines, newPictures: [] }] };
}

function shownOf(changes: readonly DraftChange[], ...comparisons: ComparedText[]): string[] {
  return [...shownChanges(changes, comparisons).shown];
}

t.test('words on the changed lines of a page show their change, wherever lines break', (t) => {
  const thanks = change('a', 'Thank you very much');
  t.same(shownOf([thanks], sample('Thank you', 'very much')), ['a']);
  t.same(shownOf([thanks], sample('Thank you')), []);
  t.same(shownOf([thanks]), [], 'without samples nothing is shown');
  t.end();
});

t.test('a change that is on no page is not shown by an equal one that is', (t) => {
  const both = [change('a', 'The customer waives'), change('b', 'The customer waives')];
  const once = shownChanges(both, [sample('The customer waives')]);
  t.same([...once.shown], []);
  t.same([...once.unclear], ['a', 'b'], 'it is not said that no sample has these words');
  const elsewhere = shownChanges(both, [sample('Something else')]);
  t.same([...elsewhere.unclear], []);
  t.same(shownOf(both, sample('The customer waives', 'The customer waives')), ['a', 'b']);
  t.end();
});

t.test('conditions, formats and short words are shown by nothing', (t) => {
  const added = { ...change('a', ''), after: '{"if":"legal","text":"Waived"}' };
  t.same(shownOf([added], sample('Waived')), []);
  t.same(shownOf([change('b', 'on')], sample('on')), []);
  t.end();
});

t.test('a first version has nothing that a sample could show', (t) => {
  t.same(shownOf([change('a', 'Thank you')], { ...sample('Thank you'), before: null }), []);
  t.end();
});

/** A sample whose page paints these pictures, which it did not paint before. */
function page(...newPictures: string[]): ComparedText {
  return { before: {}, pages: [{ lines: [], newPictures }] };
}

t.test('a picture is shown where a page paints another one of its size', (t) => {
  const quote = '"data:image/png;base64,[300x20 px, 40 bytes, sha256 0123456789ab]"';
  const logo = { ...change('a', '', 'document.images.logo'), after: quote };
  t.same(shownOf([logo], page('300x20')), ['a']);
  t.same(shownOf([logo], page('20x300')), []);
  t.same(shownOf([logo], { ...page('300x20'), before: null }), []);
  const both = [logo, { ...logo, id: 'b' }];
  const once = shownChanges(both, [page('300x20')]);
  t.same([[...once.shown], [...once.unclear]], [[], ['a', 'b']]);
  t.same(shownOf(both, page('300x20', '300x20')), ['a', 'b']);
  const node = { ...logo, after: `{"image":${quote},"if":"legal"}` };
  t.same(shownOf([node], page('300x20')), [], 'a node may have a condition');
  t.end();
});
