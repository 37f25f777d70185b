import t from 'tap';
import { AlignmentBudget, alignLists, type Pairing } from './align.ts';

/** Two lists of numbered texts; `textOf` counts how many texts are compared for similarity. */
function align(before: readonly string[], after: readonly string[], budget: AlignmentBudget) {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  let compared = 0;
  const alignable = (texts: readonly string[]) => ({
    items: texts.map(numberOf),
    textOf: (index: number): string => {
      compared += 1;
      return texts[index] ?? '';
    },
  });
  const pairs = alignLists(alignable(before), alignable(after), budget);
  return { pairs, compared };
}

/** Groups of 49 texts that are all different, with an equal text after each. */
function groups(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const isEqual = index % 50 === 49;
    return isEqual ? `equal ${index}` : `${name} ${index} ${'text'.repeat(5)}`;
  });
}

t.test('an item finds its like by similarity, and an insertion stays one', (t) => {
  const { pairs } = align(['a long text', 'b'], ['new', 'a long test', 'b'], new AlignmentBudget());
  t.same(pairs, [
    { before: null, after: 0 },
    { before: 0, after: 1 },
    { before: 1, after: 2 },
  ] satisfies Pairing[]);
  t.end();
});

t.test('all lists of a comparison share a bound of what may be compared', (t) => {
  const budget = new AlignmentBudget();
  const one = align(groups(15_000, 'old'), groups(15_000, 'new'), budget);
  // Without the bound it is every text: 29,400, each with 49 others.
  t.ok(one.compared < 10_000, `${one.compared} texts compared`);
  // Beyond the bound, the order pairs what lies between equal items.
  t.same(one.pairs.at(-2), { before: 14_998, after: 14_998 });
  const two = align(groups(500, 'old'), groups(500, 'new'), budget);
  t.ok(two.compared < 100, `${two.compared} texts compared in another list`);
  t.equal(two.pairs.length, 500);
  t.end();
});

t.test('equal items of many lists are found beyond the bound as well', (t) => {
  const budget = new AlignmentBudget();
  const texts = Array.from({ length: 450 }, (_, index) => `text ${index}`);
  const moved = ['first', ...texts.slice(0, 200), ...texts.slice(201), 'last'];
  for (let list = 0; list < 40; list += 1) {
    const { pairs } = align(['one', ...texts], moved, budget);
    t.ok(
      pairs.some(({ before, after }) => before === 250 && after === 249),
      `list ${list}`,
    );
  }
  t.end();
});
