import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { describeAt, isNodeAt, keysAt } from '../../studio/src/editor/schema.ts';
import type { Entry } from '../../studio/src/editor/guide/find.ts';
import { entriesOf, entryOfKey, GUIDE_PAGES, search } from '../../studio/src/editor/guide/find.ts';
import type { Block, Line } from '../../studio/src/editor/guide/markdown.ts';
import { parseLine, parseMarkdown } from '../../studio/src/editor/guide/markdown.ts';
import { HOME } from '../../lab/home.ts';

const PAGES = new Map(
  GUIDE_PAGES.map((page) => [
    page,
    parseMarkdown(readFileSync(join(HOME, `docs/${page}.md`), 'utf8')),
  ]),
);
const ENTRIES: readonly Entry[] = [...PAGES].flatMap(([page, blocks]) => entriesOf(page, blocks));

function found(path: readonly (string | number)[], siblings: readonly string[] = []): string {
  const isOfNode = isNodeAt(path.slice(0, -1));
  const description = describeAt(path, siblings);
  return entryOfKey(ENTRIES, { path, siblings, type: '', isOfNode, description })?.anchor ?? '';
}

t.test('a key is found in the section on the object that it stands in', async (t) => {
  t.equal(found(['document', 'content', 0, 'table', 'headerRows']), 'table--headerRows');
  t.equal(found(['fields', 0, 'type']), 'a-field--type');
  t.equal(found(['fields', 0, 'format', 'pattern']), 'format--pattern');
  t.equal(found(['fields', 0, 'validation', 'pattern']), 'validation--pattern');
  t.equal(found(['samples', 0, 'name']), 'a-sample--name');
  t.equal(found(['document', 'watermark', 'text']), 'watermark--text');
  const image = ['document', 'content', 0, 'fit'];
  t.equal(found(image, ['image', 'fit']), 'a-node-with-image--fit');
  t.equal(found(image, ['qr', 'fit']), 'a-node-with-qr--fit');
  t.equal(found(['samples', 0, 'data', 'customer']), 'a-sample--data', 'a name of the template');
  t.equal(found([]), '');
});

t.test('each key of the file and the document has a row', async (t) => {
  for (const path of [[], ['document'], ['fields', 0]]) {
    for (const { label } of keysAt(path)) {
      const entry = found([...path, label]);
      t.match(entry, new RegExp(`--${label.replace('$', '\\$')}$`), label);
    }
  }
});

t.test('a search has keys and titles first', async (t) => {
  t.match(search(ENTRIES, 'keepWithNext')[0], { key: 'keepWithNext', page: 'template-keys' });
  t.match(search(ENTRIES, 'margins')[0], { section: 'Margins', page: 'templates' });
  t.ok(search(ENTRIES, 'running balance').some(({ key }) => key === 'statement'));
  t.same(search(ENTRIES, '  '), []);
  t.same(search(ENTRIES, 'xyzzy plugh'), []);
});

t.test(
  'words are found in any order, whatever their endings, and the best match is first',
  async (t) => {
    const first = (typed: string): string => search(ENTRIES, typed)[0]?.anchor ?? '';
    t.equal(first('repeat header on every page'), 'table--headerRows');
    t.equal(first('widths of columns'), first('columns width'));
    t.equal(first('How do I set the column width?'), 'columns');
    t.equal(first('rows grouping'), 'a-row--groupBy');
    t.equal(first('page numbers footer'), 'the-page');
    for (const typed of ['picture', 'Pictures', 'logo', 'replace a picture', 'add a photo']) {
      t.equal(first(typed), 'images', typed);
    }
    // No entry has all of these.
    t.match(first('xyzzy background'), /--background$/);
    t.same(search(ENTRIES, 'xyzzy plugh background'), [], 'most of the words are needed');
  },
);

function linksOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap((line) => line.flatMap((part) => (part.kind === 'link' ? [part.href] : [])));
}

function linesOf(block: Block): readonly Line[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return [block.line];
    case 'list':
      return block.items;
    case 'table':
      return [...block.head, ...block.rows.flatMap(({ cells }) => cells)];
    case 'code':
    case 'picture':
      return [];
  }
}

function has(page: string, anchor: string): boolean {
  return anchor === '' || ENTRIES.some((entry) => entry.page === page && entry.anchor === anchor);
}

t.test('links within the guide lead to a section', async (t) => {
  for (const [own, blocks] of PAGES) {
    for (const href of blocks.flatMap((block) => linksOf(linesOf(block)))) {
      const [file = '', anchor = ''] = href.split('#');
      const page = file === '' ? own : GUIDE_PAGES.find((one) => file === `${one}.md`);
      if (page !== undefined) t.ok(has(page, anchor), `${own}: ${href}`);
    }
  }
});

t.test('lines are read as Markdown', async (t) => {
  t.same(parseLine('a `"{{x}}"` **b** _c_ snake_case_name 2 * 3 * 4'), [
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: '"{{x}}"' },
    { kind: 'text', text: ' ' },
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'c' },
    { kind: 'text', text: ' snake_case_name 2 * 3 * 4' },
  ]);
  t.same(parseLine('[`format`](#a-b)'), [
    { kind: 'link', href: '#a-b', inner: [{ kind: 'code', text: 'format' }] },
  ]);
  t.match(parseMarkdown('| key | |\n|---|---|\n| `a` | `1 \\| 2` |'), [
    { kind: 'table', rows: [{ key: 'a', cells: [{}, [{ kind: 'code', text: '1 | 2' }]] }] },
  ]);
  t.match(parseMarkdown('Three:\n\n- one\n  more\n- two\n'), [
    { kind: 'paragraph' },
    { kind: 'list', items: [[{ text: 'one more' }], [{ text: 'two' }]] },
  ]);
});
