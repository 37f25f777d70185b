import t from 'tap';
import { renderTagged } from './tree.ts';

/** Tables of contents (ISO 32000-1, 14.8.4.2). */

t.test('a table of contents has an entry with one link for each title', async (t) => {
  const content = [
    { toc: { title: { text: 'สารบัญ', role: 'h1' } } },
    { text: 'บทนำ', role: 'h2', tocItem: true, pageBreak: 'before' },
    { text: 'Interest', role: 'h2', tocItem: true, language: 'en' },
  ];
  const { lines, violations } = await renderTagged(content);
  t.strictSame(violations, []);
  t.strictSame(lines, [
    'Document',
    '  H1 "สารบัญ"',
    '  TOC',
    '    TOCI',
    '      Reference',
    '        Link links=2 "บทนำ2"',
    '    TOCI',
    '      Reference',
    '        Link @en links=2 "Interest2"',
    '  H2 "บทนำ"',
    '  H2 @en "Interest"',
  ]);
});

t.test('a long table of contents is one over its pages', async (t) => {
  const headings = Array.from({ length: 120 }, (_, index) => ({
    text: `Part ${index} ${'with a long title '.repeat(8)}`,
    tocItem: true,
  }));
  const { lines, violations } = await renderTagged([{ toc: {} }, ...headings]);
  t.strictSame(violations, []);
  t.equal(lines.filter((line) => line.trim() === 'TOC').length, 1);
  t.equal(lines.filter((line) => line.trim() === 'TOCI').length, 120);
  t.equal(lines.filter((line) => line.trim().startsWith('Link ')).length, 120);
});
