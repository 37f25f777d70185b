import t from 'tap';
import { NO_FILTERS, searchDocuments } from '../../studio/src/api/documents.ts';
import { namedBy } from '../../studio/src/api/named-templates.ts';

const RECEIPT = { templateId: 'receipt', name: 'ใบเสร็จรับเงิน' };
const ENGLISH = { templateId: 'receipt-en', name: 'Receipt' };
const OLD = { templateId: 'rc-2019', name: 'Receipts until 2019' };
const STATEMENT = { templateId: 'statement', name: 'รายการเดินบัญชี' };
const ALL = [RECEIPT, ENGLISH, OLD, STATEMENT];

t.test('a text names templates whose name or identifier it is, or begins', async (t) => {
  t.strictSame(namedBy('ใบเสร็จรับเงิน', ALL), ['receipt']);
  t.strictSame(namedBy('ใบเสร็จ', ALL), ['receipt']);
  t.strictSame(namedBy(' STATEMENT ', ALL), ['statement']);
  t.strictSame(namedBy('receipts U', ALL), ['rc-2019']);
  const equal = namedBy('receipt', ALL);
  t.strictSame(equal, ['receipt', 'receipt-en'], 'a whole name is not the beginning of others');
  t.strictSame(namedBy('receip', ALL), ['receipt', 'receipt-en', 'rc-2019']);
  t.strictSame(namedBy('รับเงิน', ALL), [], 'not within a name');
  t.strictSame(namedBy('', ALL), []);
});

interface Made {
  readonly documentId: string;
  readonly templateId: string;
  readonly reference?: string;
}

/** Answers as the service does, with pages of two documents; gives the addresses that were asked. */
function serve(all: readonly Made[]): readonly string[] {
  const asked: string[] = [];
  const before = globalThis.fetch;
  t.teardown(() => (globalThis.fetch = before));
  globalThis.fetch = (input) => {
    const address = new URL(input instanceof Request ? input.url : input, 'http://localhost');
    asked.push(`${address.pathname}${address.search}`);
    return Promise.resolve(Response.json(answer(address, all)));
  };
  return asked;
}

function answer({ pathname, searchParams }: URL, all: readonly Made[]): object {
  if (pathname === '/v1/templates') {
    const isArchived = searchParams.get('archived') === 'true';
    return { templates: ALL.filter((one) => (one === OLD) === isArchived), next: null };
  }
  const [templateId, reference, after] = ['templateId', 'reference', 'after'].map((name) =>
    searchParams.get(name),
  );
  const fitting = all
    .filter((one) => templateId === null || one.templateId === templateId)
    .filter((one) => typeof reference !== 'string' || isReference(one, reference))
    .filter((one) => after === null || one.documentId < (after ?? ''))
    .toSorted((one, other) => (one.documentId < other.documentId ? 1 : -1));
  const documents = fitting.slice(0, 2);
  return { documents, next: fitting.length > 2 ? documents.at(-1)?.documentId : null };
}

/** As written, or else in capitals. */
function isReference({ reference }: Made, wanted: string): boolean {
  return reference === wanted || reference === wanted.toUpperCase();
}

const DOCUMENTS: readonly Made[] = [
  ...['1', '3', '5', '6', '9'].map((documentId) => ({ documentId, templateId: 'receipt' })),
  ...['2', '7', '8'].map((documentId) => ({ documentId, templateId: 'receipt-en' })),
  { documentId: '4', templateId: 'rc-2019', reference: 'RECEIPT' },
  { documentId: '0', templateId: 'statement' },
];

/** The identifiers of each page. */
async function pagesOf(text: string, filters = NO_FILTERS): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let after: string | null = null; ;) {
    const { signal } = new AbortController();
    const { items, next } = await searchDocuments(text, filters, after, signal);
    pages.push(items.map(({ documentId }) => documentId).join(''));
    if (next === null) return pages;
    after = next;
  }
}

t.test('documents of templates that a text names are listed together, newest first', async (t) => {
  serve(DOCUMENTS);
  const pages = await pagesOf('receip');
  t.equal(pages.join(''), '987654321');
  t.ok(pages.length > 1, `pages: ${pages.join(' ')}`);
  t.equal((await pagesOf('receipts')).join(''), '4', 'those of an archived template, too');
  t.strictSame(await pagesOf('รายการ'), ['0']);
  t.strictSame(await pagesOf('nothing'), ['']);
});

t.test('a reference comes first, and another filter stays', async (t) => {
  serve(DOCUMENTS);
  t.strictSame(await pagesOf('receipt'), ['4'], 'the reference RECEIPT');
  const english = { ...NO_FILTERS, templateId: 'receipt-en' };
  t.equal((await pagesOf('receip', english)).join(''), '872');
  t.strictSame(await pagesOf('statement', english), ['']);
});

t.test('many templates are picked from one list', async (t) => {
  const asked = serve(DOCUMENTS);
  const names = Array.from({ length: 30 }, (_, index) => `many-${index}`);
  ALL.push(...names.map((templateId) => ({ templateId, name: '' })));
  t.teardown(() => ALL.splice(4));
  t.equal((await pagesOf('many')).join(''), '');
  const lists = asked.filter((address) => address.startsWith('/v1/documents'));
  t.notOk(lists.some((address) => address.includes('templateId')));
});
