import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { HOME } from '../../lab/home.ts';

type Role = 'Viewer' | 'Editor' | 'Admin';
interface ListedPage {
  readonly at: readonly (string | RegExp)[];
  readonly role: Role | null;
  readonly menu?: { readonly text: string };
}
interface List {
  readonly PAGES: readonly ListedPage[];
  readonly pageAt: (parts: readonly string[]) => ListedPage | undefined;
  readonly mayOpen: (role: Role, page: ListedPage) => boolean;
}

// By a computed address: the list leads to the pages, whose JSX the compiler of the tests does not know.
const list = pathToFileURL(join(HOME, 'studio/src/app/pages.ts')).href;
const { PAGES, pageAt, mayOpen } = (await import(list)) as List;

const opens = (role: Role, ...parts: readonly string[]): boolean | undefined => {
  const page = pageAt(parts);
  return page && mayOpen(role, page);
};

t.test('a page that is not for a role says which role it needs', async (t) => {
  t.equal(pageAt(['audit'])?.role, 'Admin');
  t.equal(pageAt(['templates', 'receipt', 'version-2'])?.role, 'Editor');
  t.equal(pageAt(['templates', 'receipt'])?.role, null);
  t.equal(pageAt(['templates', 'receipt', 'version-x']), undefined, 'no page');
  t.equal(pageAt(['keys', 'receipt']), undefined, 'nothing is behind the page of keys');
  t.equal(pageAt([]), undefined, 'where the Studio starts depends on the user');
  t.equal(pageAt(['nowhere']), undefined);
  t.equal(opens('Viewer', 'runs', 'new'), false);
  t.equal(opens('Viewer', 'runs', '0198'), true);
  t.equal(opens('Viewer', 'templates', 'receipt', 'edit'), false);
  t.equal(opens('Editor', 'approvals'), true);
  t.equal(opens('Editor', 'users'), false);
  t.equal(opens('Admin', 'approvals'), true);
});

t.test('each entry of the menu opens its own page', async (t) => {
  const entries = PAGES.filter(({ menu }) => menu !== undefined);
  t.equal(entries.length, 10);
  for (const page of entries) {
    t.equal(pageAt(page.at.map(String)), page, page.menu?.text ?? '');
  }
});
