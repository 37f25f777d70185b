import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../lab/service/command-line.ts';
import {
  callAs,
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
  untilDraft,
} from './browser.ts';

t.setTimeout(900_000);

const TEXT = {
  templateId: 'notice',
  name: 'Notice of land',
  language: 'en',
  fields: [{ name: 'customer', type: 'text', required: true }],
  document: { content: ['Dear {{customer}}'] },
  samples: [{ name: 'one', data: { customer: 'Boon' } }],
};
/** The guide promises 10 s; a busy machine takes a little longer. */
const NOTICED_MS_MAX = 20_000;

t.test('a draft discarded where no version is in use', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Editor', malee: 'Admin' });
  const { url } = scene;
  const his = await scene.openAs('somchai');
  const hers = await scene.openAs('malee');
  const step = stepsOf(t, scene);
  const address = `${url}/v1/templates/notice`;
  const editor = `${url}/studio/templates/notice/edit`;
  const discarded = his.getByText('This draft was discarded meanwhile');
  const published = his.getByRole('button', { name: 'Take the published version' });
  const nothing = his.getByRole('button', { name: 'Discard my text, too' });
  const keep = his.getByRole('button', { name: 'Save my text as a new draft' });

  const save = async (): Promise<void> => {
    t.equal((await callAs(his.context(), 'PUT', `${address}/draft`, TEXT)).status, 200);
  };
  const draftHash = async (): Promise<string | null> => {
    const { body } = await callAs(hers.context(), 'GET', address);
    const draft = body['draft'] as { hash: string } | null;
    return draft?.hash ?? null;
  };
  const discard = async (): Promise<void> => {
    const headers = { 'if-match': `"${await draftHash()}"` };
    const answer = await hers.request.delete(`${address}/draft`, { headers });
    t.equal(answer.status(), 200);
  };
  const type = async (from: string, to: string): Promise<void> => {
    await select(his, from);
    await his.keyboard.type(to);
    await untilDraft(his, url, `${to} {{customer}}`, 'notice');
    await his.getByText('Saved', { exact: true }).waitFor();
  };

  await save();
  t.equal((await callAs(hers.context(), 'POST', `${address}/publish`, {})).status, 201);
  await save();
  const env = environment(join(t.testdirName, 'demo'));
  const withdrawn = ['templates', 'unpublish', '--team', 'demo', 'notice', '--version', '1'];
  t.equal((await intaglio(env, ...withdrawn)).code, 0);

  await step('the notice offers no published version', async (t) => {
    await his.goto(editor);
    await type('Dear', 'Hello');
    await discard();
    await discarded.waitFor({ timeout: NOTICED_MS_MAX });
    await his.getByText('No version of the template is in use').waitFor();
    t.equal(await published.count(), 0);
    t.equal(await his.getByRole('button', { name: 'Show what differs' }).count(), 0);
    await picture(his, 'discarded-withdrawn');
    t.strictSame(await seriousFindings(his), []);
    await his.getByRole('button', { name: 'ไทย' }).click();
    await his.getByText('ไม่มีเวอร์ชันที่ใช้งานอยู่').waitFor();
    await picture(his, 'discarded-withdrawn-th');
    await his.getByRole('button', { name: 'English' }).click();
    await keep.click();
    await untilDraft(his, url, 'Hello {{customer}}', 'notice');
    await his.getByText('Saved', { exact: true }).waitFor();
  });

  await step('nor does that of a text that was left', async (t) => {
    await his.goto(`${url}/studio/templates`);
    await discard();
    await his.goto(editor);
    await discarded.waitFor();
    await nothing.waitFor();
    t.equal(await published.count(), 0);
    await his.getByText('No draft yet').waitFor();
    await his.reload();
    await nothing.waitFor();
    t.equal(await published.count(), 0);
    t.equal(await draftHash(), null, 'opening saves nothing');
    await picture(his, 'discarded-withdrawn-left');
    t.strictSame(await seriousFindings(his), []);
    await keep.click();
    await untilDraft(his, url, 'Hello {{customer}}', 'notice');
  });

  await step('whoever discards the text, too, is back at the template', async (t) => {
    await discard();
    await discarded.waitFor({ timeout: NOTICED_MS_MAX });
    await nothing.click();
    await his.waitForURL('**/studio/templates/notice');
    await his.getByRole('heading', { name: 'Notice of land' }).waitFor();
    t.equal(await his.getByText('keeps text of the draft').count(), 0);
    t.equal(await draftHash(), null);
  });

  await step('looking into the editor saves nothing, and the first change does', async (t) => {
    await his.getByRole('link', { name: 'Start a draft' }).click();
    await his.getByText('No draft yet').waitFor();
    await his.getByText('Nothing is saved yet').waitFor();
    await his.getByText('The preview appears with your first change').waitFor();
    t.equal(await his.getByRole('link', { name: 'Compare and publish' }).count(), 0);
    await picture(his, 'withdrawn-untyped');
    t.strictSame(await seriousFindings(his), []);
    await his.getByRole('button', { name: 'Data' }).click();
    await his.getByRole('textbox', { name: /customer/ }).fill('Anong');
    // Longer than the pause after which a change of the data is sent.
    await his.waitForTimeout(1_000);
    await his.getByText('No draft yet').waitFor();
    await his.getByRole('link', { name: 'Back to the template' }).click();
    await his.getByRole('link', { name: 'Start a draft' }).waitFor();
    t.equal(await his.getByText('keeps text of the draft').count(), 0);
    t.equal(await draftHash(), null);
    await his.getByRole('link', { name: 'Start a draft' }).click();
    await type('Dear', 'Hello');
    await his.locator('.pdf-pages canvas').first().waitFor();
    t.not(await draftHash(), null);
  });

  await step('an address of no template saves nothing either', async (t) => {
    await his.goto(`${url}/studio/templates/nowhere/edit`);
    await his.getByText('No draft yet').waitFor();
    await his.waitForTimeout(1_000);
    const missing = await callAs(hers.context(), 'GET', `${url}/v1/templates/nowhere`);
    t.equal(missing.status, 404);
  });
  t.strictSame(scene.complaints, []);
});
