import t from 'tap';
import type { Database } from '../database/database.ts';
import { templateList } from './list.ts';

t.test('a call of a search scans 5,000 templates, and the next one continues there', async (t) => {
  let reads = 0;
  /** A team with endless templates, of which each read returns 200. */
  const read = (): Promise<unknown> => {
    reads += 1;
    const rows = Array.from({ length: 200 }, (_, index) => ({
      template_id: `t-${reads}-${index}`,
      name: 'Receipt',
      draft_hash: null,
      updated_at_ms: 0,
      latest: 1,
    }));
    return Promise.resolve(rows);
  };
  // Only `read` is called, and it returns what the query would return.
  const { page } = templateList({ read } as unknown as Database);
  const search = { text: 'letter', isPublished: false };
  t.same(await page('bank', '', 20, search), { items: [], next: 't-25-199' });
  t.equal(reads, 25);
  const some = await page('bank', 't-25-199', 20, { text: 'T-26-', isPublished: true });
  t.equal(some.items.length, 20);
  t.equal(some.next, 't-26-19');
});
