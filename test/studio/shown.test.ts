import t from 'tap';
import type { TemplateChange } from '../../studio/src/api/types.ts';
import { type ComparedText, shownChanges } from '../../studio/src/compare/shown.ts';

function change(id: string, words: string, path = 'document.content[0].text'): TemplateChange {
  const values = { before: '"old"', after: JSON.stringify(words), line: 1, lineBefore: 1 };
  return { id, path, change: 'changed', words, ...values };
}

/** The comparison of a sample whose page has these lines more than before. */
function sample(...added: readonly string[]): ComparedText {
  const lines = added.map((text) => ({ kind: 'added', text }) as const);
  return { before: {}, pages: [{ lines }] };
}

function shownOf(changes: readonly TemplateChange[], ...comparisons: ComparedText[]): string[] {
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
