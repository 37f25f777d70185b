import t from 'tap';
import { callAs, eventually, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

/** As text: cells that reach beyond the window; these sources lack the types of a browser. */
const BEYOND = `(() => {
  const list = document.querySelector('main [role="region"]');
  return [...list.querySelectorAll('td')]
    .filter((cell) => cell.getBoundingClientRect().right > innerWidth
      || list.scrollWidth > list.clientWidth)
    .map((cell) => cell.textContent);
})()`;

t.test(
  'people read names of templates, and how many were found',
  { skip: missing() },
  async (t) => {
    const scene = await startScene(t, {});
    const { url } = scene;
    const page = await scene.open();
    await page.goto(scene.link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    const names = new Map<string, string>();
    const { body } = await callAs(page.context(), 'GET', `${url}/v1/templates?limit=200`);
    for (const { templateId, name } of body['templates'] as {
      templateId: string;
      name: string;
    }[]) {
      names.set(templateId, name);
    }
    const receipt = names.get('receipt-en') ?? '';
    t.equal(receipt, 'Receipt');

    await t.test('in the list of documents, where a filter chooses by name', async (t) => {
      await page.goto(`${url}/studio/documents`);
      const rows = page.getByRole('region', { name: 'Documents' }).getByRole('row');
      await rows.filter({ hasText: 'Receipt v1receipt-en' }).first().waitFor();
      const all = await rows.count();
      const filter = page.getByRole('combobox', { name: 'Template' });
      t.equal(await filter.inputValue(), 'any');
      await filter.fill('Receipt');
      await page.getByRole('option', { name: 'Receipt receipt-en' }).click();
      await page.getByRole('status').filter({ hasText: 'Found: 2' }).waitFor();
      t.match(page.url(), /template=receipt-en/);
      t.equal(await filter.inputValue(), 'Receipt (receipt-en)');
      t.equal(await rows.filter({ hasText: 'Receipt v1receipt-en' }).count(), 2);
      await picture(page, 'names-documents');
      t.strictSame(await seriousFindings(page), []);
      await page.getByRole('button', { name: 'Open' }).first().click();
      await page.getByRole('dialog', { name: 'Receipt, version 1' }).waitFor();
      await page.keyboard.press('Escape');
      await filter.click();
      await page.getByRole('option', { name: 'any' }).click();
      await page.waitForURL(`${url}/studio/documents`);
      await page.locator('.found').waitFor({ state: 'detached' });
      await eventually(async () => (await rows.count()) === all);
    });

    await t.test('the search of documents takes the name of a template', async (t) => {
      const search = page.getByLabel('Reference, template, document id or SHA-256');
      const rows = page.getByRole('region', { name: 'Documents' }).locator('tbody tr');
      /** Resolves when what a text finds is of these templates. */
      const finds = async (text: string, ...templates: readonly string[]): Promise<void> => {
        await search.fill(text);
        await page.waitForURL((address) => address.searchParams.get('find') === text);
        await eventually(async () => {
          const labels = await rows.locator('.template-label').allTextContents();
          return [...new Set(labels)].toSorted().join() === templates.join();
        });
      };
      await page.goto(`${url}/studio/documents`);
      await finds('ใบเสร็จ', 'ใบเสร็จรับเงิน v1receipt');
      await picture(page, 'documents-by-name');
      t.strictSame(await seriousFindings(page), []);
      await finds('receIPT-E', 'Receipt v1receipt-en');
      await finds('receip', 'Receipt v1receipt-en', 'ใบเสร็จรับเงิน v1receipt');
      await search.fill('no such template');
      await page.getByText('For a template, the beginning of its name is enough.').waitFor();
      await picture(page, 'documents-none-named');
    });

    await t.test('in runs, the audit, Verify and the title of the editor', async (t) => {
      const run = { templateId: 'receipt-en', version: 1, idField: 'row', onInvalid: 'stop' };
      const made = await callAs(page.context(), 'POST', `${url}/v1/runs`, run);
      t.equal(made.status, 201);
      await page.goto(`${url}/studio/runs`);
      await page.getByRole('link', { name: 'Receipt', exact: true }).click();
      await page.getByRole('heading', { name: 'Receipt', exact: true }).waitFor();
      t.match(await page.locator('.facts').textContent(), /TemplateReceipt v1receipt-en/);
      await page.goto(`${url}/studio/audit?template=receipt-en`);
      await page.getByRole('cell').filter({ hasText: 'Receipt v1receipt-en' }).first().waitFor();
      await page
        .getByRole('status')
        .filter({ hasText: /^Found: \d+$/ })
        .waitFor();
      await page.goto(`${url}/studio/templates/receipt-en/publish`);
      await page.getByRole('link', { name: 'Receipt', exact: true }).waitFor();
      await page.goto(`${url}/studio/templates/receipt-en/edit`);
      await eventually(async () => (await page.title()) === 'Receipt · Intaglio Studio');
    });

    await t.test(
      'on a phone each run and document is a card, and nothing scrolls sideways',
      async (t) => {
        for (const [path, title] of [
          ['runs', 'Runs'],
          ['documents', 'Documents'],
        ] as const) {
          await page.setViewportSize({ width: 390, height: 844 });
          await page.goto(`${url}/studio/${path}`);
          const list = page.getByRole('region', { name: title });
          const cells = list.getByRole('cell');
          await cells.first().waitFor();
          t.strictSame(await page.evaluate<string[]>(BEYOND), [], `${path} fits its window`);
          t.ok((await list.getByRole('row').count()) > 1, `${path} is a table for screen readers`);
          await picture(page, `names-phone-${path}`);
          t.strictSame(await seriousFindings(page), []);
        }
        await page.setViewportSize({ width: 1_440, height: 900 });
      },
    );

    await t.test(
      'a click beside the name of a template opens it, selected text stays',
      async (t) => {
        await page.goto(`${url}/studio/templates`);
        const row = page.getByRole('row').filter({ hasText: 'receipt-en' });
        const id = await row.getByText('receipt-en', { exact: true }).boundingBox();
        const { x = 0, y = 0, width = 0, height = 0 } = id ?? {};
        await page.mouse.move(x + 1, y + height / 2);
        await page.mouse.down();
        await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 });
        await page.mouse.up();
        t.match(await page.evaluate('String(getSelection())'), /^r?eceipt-e/, 'it can be copied');
        t.match(page.url(), /\/studio\/templates$/);
        await row.getByRole('cell').last().click();
        await page.getByRole('heading', { name: 'Receipt', exact: true }).waitFor();
        t.match(page.url(), /\/studio\/templates\/receipt-en$/);
        await page.goBack();
        await row.waitFor();
      },
    );

    await t.test('the list of templates tells how many a search has found', async () => {
      await page.goto(`${url}/studio/templates`);
      await page.getByRole('searchbox').fill('receipt');
      await page.getByRole('status').filter({ hasText: 'Found: 2' }).waitFor();
      await page.getByRole('searchbox').fill('no such template');
      await page.getByRole('status').filter({ hasText: 'Found: 0' }).waitFor({ state: 'attached' });
    });
    t.strictSame(scene.complaints, []);
  },
);
