import t from 'tap';
import { compiled } from './fixtures.ts';
import type { RunningElement, Section } from '../model/nodes.ts';

async function sectionsOf(document: object): Promise<readonly Section[]> {
  return (await compiled(document)).sections;
}

const sizes = (sections: readonly Section[]): unknown =>
  sections.map(({ setup }) => [Math.round(setup.widthPt), Math.round(setup.heightPt)]);

const textOf = (element: RunningElement | null | undefined): unknown => {
  const node = element?.rest ?? null;
  return node?.kind === 'text' ? node.runs[0]?.text[0] : null;
};

t.test('paper by name, turned, in points, and as high as its content', async (t) => {
  const content = 'x';
  t.same(sizes(await sectionsOf({ content, pageSize: 'a5' })), [[420, 595]]);
  t.same(sizes(await sectionsOf({ content, pageOrientation: 'landscape' })), [[842, 595]]);
  t.same(sizes(await sectionsOf({ content, pageSize: { width: 100, height: 200 } })), [[100, 200]]);
  const [auto] = await sectionsOf({ content, pageSize: { width: 200, height: 'auto' } });
  t.equal(auto?.setup.heightPt, Infinity);
});

t.test('a page break that turns the paper starts a section', async (t) => {
  const sections = await sectionsOf({
    content: [
      'a',
      { text: 'b', pageBreak: 'before', pageOrientation: 'landscape' },
      'c',
      { text: 'd', pageBreak: 'after', pageOrientation: 'portrait' },
      'e',
    ],
  });
  t.same(sizes(sections), [
    [595, 842],
    [842, 595],
    [595, 842],
  ]);
  t.same(
    sections.map(({ content }) => content.children.map(({ path }) => path)),
    [[0], [1, 2, 3], [4]].map((list) => list.map((index) => `document.content[${index}]`)),
  );
  t.equal(sections[1]?.content.children[0]?.pageBreak, null);
});

t.test('sections have their own page and running elements, or inherit them', async (t) => {
  const sections = await sectionsOf({
    header: 'document',
    content: [
      { section: ['a'] },
      {
        section: 'b',
        header: 'own',
        pageSize: 'A5',
        pageOrientation: 'landscape',
        pageMargins: 10,
      },
      { section: 'c', header: 'inherit', pageSize: 'inherit', pageMargins: 'inherit' },
      'after',
      { section: 'd', header: null },
    ],
  });
  t.same(sizes(sections), [
    [595, 842],
    [595, 420],
    [595, 420],
    [595, 842],
  ]);
  t.same(
    sections.map(({ setup }) => textOf(setup.header)),
    [...['document', 'own', 'own'].map((text) => ({ kind: 'static', text })), null],
  );
  t.same(sections[2]?.setup.margins, [10, 10, 10, 10]);
  t.equal(sections[2]?.content.children.length, 2);
});

t.test('running elements by place: a missing part draws nothing', async (t) => {
  const [section] = await sectionsOf({
    content: 'x',
    header: { first: 'a', last: 'b' },
    footer: [{ text: 'all' }],
  });
  t.match(section?.setup.header, { first: { kind: 'text' }, rest: null, last: { kind: 'text' } });
  t.equal(section?.setup.footer?.first?.kind, 'stack');
  t.equal(section?.setup.background, null);
});

t.test('watermark, breakBefore and attachedPages take their defaults', async (t) => {
  const plain = await compiled({ content: 'x', watermark: 'DRAFT {{text}}' });
  t.match(plain.watermark, {
    text: [{ text: 'DRAFT ' }, { field: 0 }],
    angle: null,
    opacity: 0.6,
    style: { sizePt: 0, color: 0 },
  });
  t.same(plain.attachedPages, { header: false, footer: true });
  t.equal(plain.breakBefore, null);
  const set = await compiled(
    {
      content: 'x',
      watermark: { text: 'x', fontSize: 40, angle: 0, opacity: 0.1, bold: true },
      breakBefore: { headlineLevel: 1, minFollowing: 2 },
    },
    { attachedPages: { header: true } },
  );
  t.match(set.watermark, { angle: 0, opacity: 0.1, style: { sizePt: 40, stack: { bold: true } } });
  t.same(set.attachedPages, { header: true, footer: true });
  t.same(set.breakBefore, { headlineLevel: 1, minFollowing: 2 });
});
