import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../lab/service/command-line.ts';
import { callAs, missing, picture, select, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

t.test(
  'the page of a template tells what its list and this browser hold',
  { skip: missing() },
  async (t) => {
    const scene = await startScene(t, { somchai: 'Admin' });
    const { url } = scene;
    const page = await scene.openAs('somchai');
    const template = `${url}/v1/templates/lease`;
    const call = (method: string, tail: string, body?: unknown) =>
      callAs(page.context(), method, `${template}${tail}`, body);
    for (const line of ['First', 'Second']) {
      const draft = {
        templateId: 'lease',
        name: 'Lease',
        fields: [
          { name: 'rent', type: 'number', required: true },
          { name: 'deposit', type: 'number', value: 'rent * 2' },
          { name: 'note', type: 'text' },
        ],
        document: { content: [line, '{{rent}} {{deposit}} {{note}}'] },
      };
      t.equal((await call('PUT', '/draft', draft)).status, 200);
      const { body: check } = await call('GET', '/draft/check');
      const { body: state } = await call('GET', '');
      const { hash } = state['draft'] as { hash: string };
      const changes = (check['changes'] as { id: string }[]).map(({ id }) => id);
      const compared = { draft: hash, published: check['published'], changes };
      t.equal((await call('POST', '/publish', { compared })).status, 201);
    }
    t.equal((await call('POST', '/rollback', { version: 1 })).status, 201);

    await page.goto(`${url}/studio/templates/lease`);
    const row = page.getByRole('row').filter({ hasText: 'current' });
    await row.getByText('as version 1').waitFor();
    t.equal(await page.getByText(/^as version/).count(), 1);
    const fields = page.getByRole('region', { name: 'Fields of the current version' });
    t.same(await fields.locator('tbody tr').allInnerTexts(), [
      'rent\tnumber\tyes',
      'deposit\tnumber\tcomputed, not to be sent',
      'note\ttext\tno',
    ]);
    t.equal(await page.getByText('keeps text of the draft').count(), 0);
    await picture(page, 'template-as-version');
    t.strictSame(await seriousFindings(page), []);

    await page.goto(`${url}/studio/templates/lease/edit`);
    await page.locator('.cm-content').waitFor();
    await select(page, '"First"');
    await page.keyboard.type('First');
    await page.locator('.slip').waitFor();
    await page.goto(`${url}/studio/templates/lease`);
    await page.getByText('This browser keeps text of the draft that is not saved').waitFor();
    await picture(page, 'template-unsaved');
    t.strictSame(await seriousFindings(page), []);

    const draft = { templateId: 'lease', name: 'Lease', document: { content: ['Third'] } };
    t.equal((await call('PUT', '/draft', draft)).status, 200);
    await page.goto(`${url}/studio/templates/lease/publish`);
    await page.getByLabel('I have read the template: it has no sample to look at.').waitFor();

    const env = environment(join(t.testdirName, 'demo'));
    const withdraw = ['templates', 'unpublish', '--team', 'demo', 'lease', '--version'];
    for (const version of ['1', '2', '3']) {
      t.equal((await intaglio(env, ...withdraw, version)).code, 0, version);
    }
    await page.reload();
    const first = page.locator('.notice.info');
    await first.waitFor();
    t.equal(
      await first.innerText(),
      'All published versions were withdrawn: there is nothing to compare with.',
    );
    await picture(page, 'publish-all-withdrawn');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('เวอร์ชันที่เผยแพร่ถูกถอนทั้งหมดแล้ว').waitFor();
    await picture(page, 'publish-all-withdrawn-th');
    t.strictSame(scene.complaints, []);
  },
);
