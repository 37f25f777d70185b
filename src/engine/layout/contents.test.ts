import t from 'tap';
import { linesOf } from './fixtures/lines.ts';
import { compiled } from '../template/fixtures.ts';
import { layoutDocument } from './layout.ts';

async function titles(toc: object, names: readonly string[]): Promise<string[]> {
  const items = names.map((text) => ({ text, tocItem: true, pageBreak: 'before' }));
  const template = await compiled({ content: [{ toc }, ...items] });
  const document = layoutDocument(template, []);
  if (!document.ok) throw new Error(document.message);
  return linesOf(document.value)[0]?.map((line) => line.split('|')[0] ?? '') ?? [];
}

t.test('contents are listed by page, or by title in the order of a language', async (t) => {
  const names = ['zebra', 'ängla', 'apa'];
  t.strictSame(await titles({}, names), names);
  t.strictSame(await titles({ sortBy: 'title', sortLocale: 'de' }, names), [
    'ängla',
    'apa',
    'zebra',
  ]);
  // Swedish has ä after z.
  t.strictSame(await titles({ sortBy: 'title', sortLocale: 'sv' }, names), [
    'apa',
    'zebra',
    'ängla',
  ]);
});
