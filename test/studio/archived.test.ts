import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

t.test(
  'a version of an archived template offers its text alone',
  { skip: missing() },
  async (t) => {
    const scene = await startScene(t, {});
    const page = await scene.open();
    await page.goto(scene.link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    const { url } = scene;
    await page.goto(`${url}/studio/templates/receipt-en`);
    await page.getByText('current', { exact: true }).waitFor();
    const address = `${url}/v1/templates/receipt-en/archive`;
    t.equal((await callAs(page.context(), 'POST', address, {})).status, 200);
    await page.reload();
    await page.getByText(/^Archived since/).waitFor();
    t.equal(await page.getByText('current', { exact: true }).count(), 0, 'no version is in use');
    await page.getByRole('link', { name: /Look at version 1/ }).click();
    await page.getByText('The template is archived: no page is made of it').waitFor();
    t.equal(await page.getByRole('alert').count(), 0, 'nothing was refused');
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await picture(page, 'archived-version');
    t.strictSame(await seriousFindings(page), []);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the template' }).click();
    t.equal((await download).suggestedFilename(), 'receipt-en-v1.json');
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('เทมเพลตนี้เก็บถาวรแล้ว').waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    const change = async (tail: string): Promise<number> =>
      (await callAs(page.context(), 'POST', `${url}/v1/templates/receipt-en/${tail}`, {})).status;
    t.equal(await change('unarchive'), 200);
    await page.goto(`${url}/studio/templates/receipt-en/edit`);
    await page.getByText('Saved', { exact: true }).waitFor();
    const told = page.getByText('it can be published only after an Admin');
    t.equal(await told.count(), 0);
    t.equal(await change('archive'), 200);
    await told.waitFor();
    await page.getByText(/^Archived since/).waitFor();
    await picture(page, 'archived-editor');
    t.strictSame(await seriousFindings(page), []);
    t.equal(await change('unarchive'), 200);
    await told.waitFor({ state: 'detached' });
    t.strictSame(scene.complaints, []);
  },
);
