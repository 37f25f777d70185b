import t from 'tap';
import {
  callAs,
  eventually,
  missing,
  picture,
  seriousFindings,
  startScene,
  stepsOf,
} from './browser.ts';

t.setTimeout(900_000);

const NAME = { name: 'customer', type: 'text', label: { en: 'Customer', th: 'ลูกค้า' } };
/** JSON as it is written: its amounts have zeros that a double does not keep. */
const ITEMS = '[{"what":"Stamp duty","amount":10.50},{"what":"Copies","amount":3.00}]';

const LISTED = JSON.stringify({
  templateId: 'listed',
  name: 'Listed fees',
  language: 'en',
  fields: [
    {
      name: 'items',
      type: 'list',
      required: true,
      label: { en: 'Fees' },
      fields: [
        { name: 'what', type: 'text', required: true },
        { name: 'amount', type: 'number', required: true },
      ],
    },
  ],
  document: { content: [{ stack: [{ each: 'items', as: 'one', text: '{{one.amount}}' }] }] },
  samples: [{ name: 'two fees', data: { items: 'ITEMS' } }],
}).replace('"ITEMS"', ITEMS);

/** Templates without samples: one has an example for its field, the other has none. */
const PLAIN = {
  templateId: 'plain',
  name: 'Plain note',
  language: 'en',
  fields: [NAME],
  document: { content: ['Dear {{customer}}'] },
};
const SHOWN = {
  ...PLAIN,
  templateId: 'shown',
  name: 'Note with an example',
  fields: [{ ...NAME, example: 'Somsri Jaidee' }],
};

t.test('what fills the form of a template', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { malee: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('malee');
  const step = stepsOf(t, scene);
  const label = page.getByLabel('Customer');

  for (const [templateId, text] of [
    ['listed', LISTED],
    ['plain', JSON.stringify(PLAIN)],
    ['shown', JSON.stringify(SHOWN)],
  ] as const) {
    const address = `${url}/v1/templates/${templateId}`;
    const headers = { 'content-type': 'application/json' };
    const saved = await page.request.put(`${address}/draft`, { headers, data: text });
    t.equal(saved.status(), 200, await saved.text());
    const published = await callAs(page.context(), 'POST', `${address}/publish`, {});
    t.equal(published.status, 201, JSON.stringify(published.body));
  }

  await step('a list keeps the zeros of its amounts', async (t) => {
    await page.goto(`${url}/studio/generate?template=listed`);
    await page.getByRole('button', { name: 'two fees' }).click();
    const list = page.getByLabel('Fees');
    await eventually(async () => (await list.inputValue()) !== '');
    t.match(await list.inputValue(), /"amount": 10\.50\n[^]*"amount": 3\.00\n/);
    await picture(page, 'fill-list');
    const asked = page.waitForRequest('**/v1/generate');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    t.match((await asked).postData(), /"amount":10\.50/);
    await page.getByRole('button', { name: 'Download', exact: true }).waitFor();
  });

  await step('a template without samples offers none', async (t) => {
    await page.goto(`${url}/studio/generate?template=plain`);
    await label.fill('Boon');
    await page.getByRole('button', { name: 'Empty the form' }).waitFor();
    t.notMatch(await page.locator('.split').innerText(), /Fill from/);
    await picture(page, 'fill-no-samples');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'Empty the form' }).click();
    await eventually(async () => (await label.inputValue()) === '');
  });

  await step('examples are no sample', async (t) => {
    await page.goto(`${url}/studio/generate?template=shown`);
    const fill = page.getByRole('group', { name: 'Fill from:' });
    await fill.getByRole('button', { name: 'Examples' }).click();
    await eventually(async () => (await label.inputValue()) === 'Somsri Jaidee');
    t.notMatch(await page.locator('.split').innerText(), /Fill from a sample/);
    await picture(page, 'fill-examples');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('group', { name: 'เติมจาก:' }).waitFor();
    t.notMatch(await page.locator('.split').innerText(), /เติมจากตัวอย่าง:/);
    await picture(page, 'fill-examples-th');
  });
  t.strictSame(scene.complaints, []);
});
