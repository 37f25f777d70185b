import type { Page } from 'playwright-core';
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

const NAME = 'กิ๊ฟ ฎีกาที่ดิน';

/** As text: these sources are checked without the types of a browser. */
const TOO_WIDE = `Math.max(
  document.documentElement.scrollWidth - innerWidth,
  document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth,
)`;

/** Keeps pictures of the page on a phone, in both languages and themes; nothing scrolls sideways. */
async function lookOnPhone(page: Page): Promise<readonly number[]> {
  const widths: number[] = [];
  for (const [language, theme] of [
    ['th', 'light'],
    ['en', 'dark'],
  ] as const) {
    await page.evaluate(`localStorage.setItem('studio.language', '${language}');
      localStorage.setItem('studio.theme', '${theme}')`);
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await page.getByText(NAME).waitFor();
      await picture(page, `users-${language}-${theme}-${width}`);
      widths.push(await page.evaluate<number>(TOO_WIDE));
    }
  }
  await page.evaluate(`localStorage.setItem('studio.language', 'en');
    localStorage.setItem('studio.theme', 'light')`);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.reload();
  return widths;
}

t.test('Admins manage the users of their team', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { anong: 'Admin', ben: 'Admin', mali: 'Viewer' });
  const { url } = scene;
  const step = stepsOf(t, scene);
  const page = await scene.openAs('anong');
  const dialog = page.getByRole('dialog');
  const focused = page.locator(':focus');
  const rowOf = (text: string, on = page) => on.getByRole('row').filter({ hasText: text });

  await step('a user is added, and learns how to sign in', async (t) => {
    await page.goto(`${url}/studio/users`);
    t.equal(await page.getByText(/identity sync|provider/).count(), 0, 'there is none');
    await page.getByRole('button', { name: 'Add a user' }).click();
    t.equal(await dialog.getByText(/provider/).count(), 0);
    // The first input has the focus, not the button that closes the dialog.
    await page.keyboard.type(` ${NAME}`);
    t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), ` ${NAME}`);
    await dialog.getByLabel('Identifier').fill('mali');
    await dialog.getByRole('radio', { name: /^Editor/ }).check();
    await picture(page, 'users-new');
    t.strictSame(await seriousFindings(page), []);
    await dialog.getByRole('button', { name: 'Add the user' }).click();
    const field = dialog.locator('.field', { hasText: 'Identifier' });
    await field.getByText('This user exists already.').waitFor();
    await field.locator('input:focus').waitFor();
    t.equal(await dialog.getByText('The service refused the request.').count(), 0);
    t.ok(await dialog.getByRole('button', { name: 'Add the user' }).isDisabled());
    await picture(page, 'users-exists');
    await dialog.getByLabel('Identifier').fill('Mali');
    t.equal(await field.getByText('This user exists already.').count(), 0, 'that was mali');
    await dialog.getByRole('button', { name: 'Add the user' }).click();
    await field.getByText('The team has the user mali, whose identifier differs only').waitFor();
    await dialog.getByLabel('Identifier').fill('gift');
    await dialog.getByRole('button', { name: 'Add the user' }).click();
    await page.getByRole('dialog', { name: `${NAME} is added` }).waitFor();
    await dialog.getByText('./intaglio sessions link gift').waitFor();
    await dialog.getByText('No identity provider is set up.').waitFor();
    t.equal(await dialog.getByText('at the identity provider').count(), 0);
    await dialog.getByText('Run by the operator where the service runs').waitFor();
    t.equal(await dialog.getByRole('button', { name: 'Cancel' }).count(), 0);
    await picture(page, 'users-added');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await rowOf(NAME).getByText('never').waitFor();
    await rowOf(NAME).getByText('Editor').waitFor();
    t.equal(await rowOf('mali').getByText('never').count(), 0, 'mali has signed in');
    t.strictSame(await lookOnPhone(page), [0, 0, 0, 0]);
    t.strictSame(await seriousFindings(page), []);
  });

  await step('a taken identifier is refused in Thai, too', async () => {
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('button', { name: 'เพิ่มผู้ใช้' }).click();
    await dialog.getByLabel('ชื่อ', { exact: true }).fill('Mali');
    await dialog.getByLabel('รหัสผู้ใช้').fill('mali');
    await dialog.getByRole('button', { name: 'เพิ่มผู้ใช้' }).click();
    await dialog.getByText('มีผู้ใช้ที่ใช้รหัสนี้อยู่แล้ว').waitFor();
    await picture(page, 'users-exists-th');
    await dialog.getByRole('button', { name: 'ยกเลิก' }).click();
    await page.getByRole('button', { name: 'English' }).click();
  });

  await step('each change asks by name, and can be seen at once', async (t) => {
    const row = rowOf(NAME);
    await row.getByRole('button', { name: 'Change the role' }).click();
    await page.getByRole('dialog', { name: `Role of ${NAME}` }).waitFor();
    await dialog.getByText('Publishes and rolls back').waitFor();
    const weight = "getComputedStyle(document.querySelector('dialog .choice .small')).fontWeight";
    t.equal(await page.evaluate(weight), '400', 'only the name of a role is bold');
    await picture(page, 'users-role');
    await dialog
      .getByRole('radio', { name: /^Editor/ })
      .and(focused)
      .waitFor();
    await dialog.getByRole('radio', { name: /^Viewer/ }).check();
    await dialog.getByRole('button', { name: 'Set the role' }).click();
    await row.getByText('Viewer').waitFor();
    await row.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog', { name: `Deactivate ${NAME}?` }).waitFor();
    await picture(page, 'users-deactivate');
    // Without inputs it has the focus itself: a space does not press the button that closes it.
    await page.keyboard.press('Space');
    await dialog.and(focused).waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('not active').waitFor();
    await row.getByRole('button', { name: 'Reactivate' }).click();
    await dialog.getByRole('button', { name: 'Reactivate' }).click();
    await row.getByText('active', { exact: true }).waitFor();
  });

  await step('who deactivates somebody reads what that person leaves open', async (t) => {
    const theirs = await scene.openAs('ben');
    const template = `${url}/v1/templates/lease`;
    const draft = { templateId: 'lease', name: 'Lease', fields: [], document: { content: ['A'] } };
    t.equal((await callAs(theirs.context(), 'PUT', `${template}/draft`, draft)).status, 200);
    const { body } = await callAs(theirs.context(), 'GET', template);
    const asked = { draft: (body['draft'] as { hash: string }).hash };
    const { status } = await callAs(theirs.context(), 'POST', `${template}/approval`, asked);
    t.equal(status, 200);
    const run = { templateId: 'receipt', version: 1, name: 'November', idField: 'row' };
    for (const name of ['November', 'Cancelled']) {
      const made = await callAs(theirs.context(), 'POST', `${url}/v1/runs`, { ...run, name });
      t.equal(made.status, 201);
      const cancel = `${url}/v1/runs/${String(made.body['runId'])}/cancel`;
      if (name === 'Cancelled') await callAs(theirs.context(), 'POST', cancel, {});
    }
    await theirs.context().close();
    await rowOf('ben').getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText('Open requests for approval of this person: Lease.').waitFor();
    await dialog.getByText('Drafts that this person changed: Lease.').waitFor();
    await dialog.getByText('Runs that this person made and that are not done').waitFor();
    t.strictSame(await dialog.getByRole('link').allTextContents(), ['November']);
    await picture(page, 'users-deactivate-work');
    t.strictSame(await seriousFindings(page), []);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await rowOf('ben').getByRole('button', { name: 'ปิดใช้งาน' }).click();
    await dialog.getByText('งานชุดของบุคคลนี้ที่ยังไม่เสร็จ').waitFor();
    await picture(page, 'users-deactivate-work-th');
    await dialog.getByRole('button', { name: 'ยกเลิก' }).click();
    await page.getByRole('button', { name: 'English' }).click();
  });

  await step('all sessions of a user end', async (t) => {
    const theirs = await scene.openAs('mali');
    const state = async () => (await callAs(theirs.context(), 'GET', `${url}/v1/session`)).status;
    t.equal(await state(), 200);
    await rowOf('mali').getByRole('button', { name: 'End all sessions' }).click();
    await dialog.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('All sessions of mali have ended.').waitFor();
    t.equal(await state(), 401);
  });

  await step('of two Admins, the later one learns what the other did', async (t) => {
    const other = await scene.openAs('ben');
    await other.goto(`${url}/studio/users`);
    await rowOf(NAME, other).getByRole('button', { name: 'Change the role' }).click();
    const address = `${url}/v1/users/gift/role`;
    t.equal((await callAs(page.context(), 'POST', address, { role: 'Editor' })).status, 200);
    const asked = other.getByRole('dialog');
    await asked.getByRole('radio', { name: /^Admin/ }).check();
    await asked.getByRole('button', { name: 'Set the role' }).click();
    await asked.getByText('Another Admin has changed this role meanwhile').waitFor();
    const { body } = await callAs(page.context(), 'GET', `${url}/v1/users`);
    t.match(JSON.stringify(body), /"userId":"gift".*?"role":"Editor"/);
    await other.context().close();
  });

  await step('a new key can be given up, and its form says how long a key is valid', async (t) => {
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/keys`);
    await tab.getByRole('button', { name: 'New API key' }).click();
    await tab.getByLabel('Calls per minute').fill('3');
    await tab
      .getByText(/Each call to generate counts, also one that fails\. A run counts/)
      .waitFor();
    await tab.getByLabel('Valid for days').fill('');
    await tab.getByText('Without a number of days the key is valid until it is revoked.').waitFor();
    await picture(tab, 'new-key');
    t.strictSame(await seriousFindings(tab), []);
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await tab.getByRole('dialog').waitFor({ state: 'detached' });
    await tab.close();
  });

  await step('the audit finds by a first name what was done to a user', async (t) => {
    const tab = await scene.openTab(page);
    const others = { displayName: 'Demo Person', email: '', role: 'Viewer' };
    const user = { ...others, userId: 'demo-2' };
    t.equal((await callAs(page.context(), 'POST', `${url}/v1/users`, user)).status, 201);
    await tab.goto(`${url}/studio/audit`);
    await tab.getByRole('columnheader', { name: 'Details' }).waitFor();
    // The names are known by then.
    await tab.locator('#audit-principals option').first().waitFor({ state: 'attached' });
    await tab.getByLabel('User or key').fill(NAME.slice(0, NAME.indexOf(' ')));
    await tab.getByText('Found: 5').waitFor();
    const actions = await tab.locator('tbody .mono:not(.id)').allTextContents();
    for (const action of ['users.create', 'users.role', 'users.deactivate', 'users.reactivate']) {
      t.ok(actions.includes(action), action);
    }
    await picture(tab, 'audit-first-name');
    await tab.getByLabel('User or key').fill('Dem');
    await tab.getByText('Who is meant?').waitFor();
    await picture(tab, 'audit-who');
    t.strictSame(await seriousFindings(tab), []);
    await tab.getByRole('button', { name: 'Demo Person (demo-2)' }).click();
    await tab.getByText('Found: 1').waitFor();
    t.equal(await tab.getByLabel('User or key').inputValue(), 'demo-2');
    await tab.close();
  });

  await step('a request of a person who is not active is marked', async (t) => {
    const ben = `${url}/v1/users/ben`;
    t.equal((await callAs(page.context(), 'POST', `${ben}/deactivate`, {})).status, 200);
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/approvals`);
    await tab.getByText('ben (not active) asked for approval').waitFor();
    await picture(tab, 'approvals-not-active');
    await tab.getByRole('button', { name: 'ไทย' }).click();
    await tab.getByText('ben (ปิดใช้งานแล้ว) ขออนุมัติ').waitFor();
    await tab.getByRole('button', { name: 'English' }).click();
    await tab.close();
  });

  await step('the own user is left to another Admin, and may end its sessions', async (t) => {
    const own = rowOf('anong');
    await own.getByText('This is you.').waitFor();
    t.strictSame(await own.getByRole('button').allTextContents(), ['End all sessions']);
    const { body } = await callAs(page.context(), 'GET', `${url}/v1/audit?action=users.create`);
    t.match(JSON.stringify(body), /user gift, Editor/);
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/templates`);
    await tab.getByRole('heading', { name: 'Templates' }).waitFor();
    await own.getByRole('button', { name: 'End all sessions' }).click();
    await dialog.getByText('You are signed out everywhere').waitFor();
    await dialog.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('All your sessions have ended, on every device').waitFor();
    t.equal(await page.getByRole('row').count(), 0, 'nothing of the team is shown any more');
    await picture(page, 'users-signed-out-everywhere');
    await tab.getByText('Your session has ended').waitFor();
    await eventually(
      async () => (await callAs(page.context(), 'GET', `${url}/v1/session`)).status === 401,
    );
  });
  t.strictSame(scene.complaints, []);
});
