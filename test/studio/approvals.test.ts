import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

const DRAFT = {
  templateId: 'notice',
  name: 'หนังสือแจ้งที่ดิน',
  language: 'th',
  fields: [{ name: 'customer', type: 'text', required: true }],
  document: { content: ['เรียน {{customer}}'] },
  samples: [{ name: 'one', data: { customer: 'กิ๊ฟ' } }],
};
const NOTE = 'ที่อยู่สาขาสยามเปลี่ยน\nตามประกาศ';
const COMMENT = 'รหัสไปรษณีย์ยังเป็นของเดิม';

/** The phone's width, and a picture of the page there. */
async function phone(page: Page, name: string): Promise<number> {
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, `${name}-phone`);
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  await page.setViewportSize({ width: 1_440, height: 900 });
  return excess;
}

/** As text: these sources are checked without the types of a browser. What is cut of the badge. */
const BADGE_CUT = `(() => {
  const side = document.querySelector('.side');
  const badge = document.querySelector('nav .count').getBoundingClientRect();
  const right = side.getBoundingClientRect().left + side.clientWidth;
  return Math.max(badge.right - right, side.scrollWidth - side.clientWidth);
})()`;

/** As text, as above: whether the message stands beside the bar at the foot. */
const APART = `(() => {
  const toast = document.querySelector('.toast').getBoundingClientRect();
  const bar = document.querySelector('.decision').getBoundingClientRect();
  return toast.bottom <= bar.top || toast.top >= bar.bottom;
})()`;

/** Whether a click in the middle of the button, where the page stands now, would meet it. */
async function isHit(page: Page, name: string): Promise<boolean> {
  const box = await page.getByRole('button', { name }).boundingBox();
  if (box === null) return false;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = `document.elementFromPoint(${x}, ${y})?.closest('button')?.textContent ?? ''`;
  return (await page.evaluate<string>(hit)) === name;
}

t.test('a draft goes to an approver, back, and is published', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {
    anong: { role: 'Editor', displayName: 'อนงค์ สุขใจ' },
    somchai: { role: 'Admin', displayName: 'สมชาย ใจดี' },
  });
  const { url } = scene;
  const author = await scene.openAs('anong');
  const approver = await scene.openAs('somchai');
  const step = stepsOf(t, scene);
  const badge = approver.locator('nav .count');
  const address = `${url}/v1/templates/notice/draft`;

  await step('the author asks with a note', async (t) => {
    t.equal((await callAs(author.context(), 'PUT', address, DRAFT)).status, 200);
    await approver.goto(`${url}/studio/approvals`);
    await approver.getByText('No requests').waitFor();
    t.equal(await badge.count(), 0);
    await author.goto(`${url}/studio/templates/notice/publish`);
    await author.getByLabel('What was changed, and why?').fill(NOTE);
    await author.getByText('Whoever publishes the draft confirms each of them').waitFor();
    t.equal(await author.getByRole('checkbox').count(), 0, 'an Editor has nothing to confirm');
    const ask = author.getByRole('button', { name: 'Ask for approval' });
    await author.setViewportSize({ width: 1_280, height: 800 });
    await author.evaluate('scrollTo(0, 0)');
    t.ok(await isHit(author, 'Ask for approval'), 'it is in view without scrolling');
    await picture(author, 'approval-ask');
    await ask.click();
    await author.getByText('The request waits for an Admin').waitFor();
    await author.getByRole('button', { name: 'Withdraw the request' }).waitFor();
    await author.locator('.toast').waitFor();
    t.ok(await isHit(author, 'Withdraw the request'), 'the message does not cover it');
    await author.setViewportSize({ width: 390, height: 844 });
    t.ok(await author.evaluate<boolean>(APART), 'nor the bar of a phone');
    await picture(author, 'approval-asked-toast-phone');
    await author.setViewportSize({ width: 1_280, height: 800 });
    await picture(author, 'approval-asked-toast');
    await author.setViewportSize({ width: 1_440, height: 900 });
    // The rule of two persons is off here.
    t.equal(await author.getByText('who did not change the draft').count(), 0);
    await picture(author, 'approval-asked');
    t.strictSame(await seriousFindings(author), []);
    t.equal(await phone(author, 'approval-asked'), 0);
  });

  await step('the approver has a badge and an inbox, and sends it back', async (t) => {
    // Whoever has something to decide starts with the inbox.
    await approver.goto(`${url}/studio`);
    await approver.waitForURL(`${url}/studio/approvals`);
    await approver.goto(`${url}/studio/templates`);
    await badge.waitFor();
    t.equal(await badge.textContent(), '1');
    // Readers may have text of twice the size.
    await approver.evaluate("document.documentElement.style.fontSize = '200%'");
    await picture(approver, 'approval-badge-200');
    t.ok((await approver.evaluate<number>(BADGE_CUT)) <= 0, 'the badge is whole at 200 %');
    await approver.evaluate("document.documentElement.style.fontSize = ''");
    await approver.getByRole('link', { name: /^Approvals/ }).click();
    const request = approver.getByRole('article', { name: 'หนังสือแจ้งที่ดิน' });
    await request.getByText('ที่อยู่สาขาสยามเปลี่ยน').waitFor();
    await request.getByText(/^อนงค์ สุขใจ asked for approval/).waitFor();
    await request.getByText('Changed since the last version by: อนงค์ สุขใจ').waitFor();
    await picture(approver, 'approval-inbox');
    t.strictSame(await seriousFindings(approver), []);
    t.equal(await phone(approver, 'approval-inbox'), 0);
    await request.getByRole('link', { name: 'Compare and decide' }).click();
    await approver.getByRole('heading', { name: 'Samples' }).waitFor();
    const [first = ''] = await approver.locator('main .notice').allInnerTexts();
    t.match(first, /^อนงค์ สุขใจ asked for approval/, 'above the comparison');
    t.ok(first.includes('ที่อยู่สาขาสยามเปลี่ยน'), 'with the note');
    await picture(approver, 'approval-asked-above');
    await approver.getByRole('button', { name: 'Send back' }).click();
    const dialog = approver.getByRole('dialog');
    t.ok(await dialog.getByRole('button', { name: 'Send back' }).isDisabled(), 'why is needed');
    const comment = dialog.getByLabel('What has to be changed?');
    t.ok(await approver.evaluate<boolean>('document.activeElement?.id === "send-back-comment"'));
    await approver.keyboard.type('The words ');
    await approver.keyboard.press('Escape');
    await approver.getByText('Your comment is kept').waitFor();
    await picture(approver, 'approval-comment-kept');
    await approver.getByRole('button', { name: 'Send back' }).click();
    t.equal(await comment.inputValue(), 'The words ');
    await comment.fill(COMMENT);
    await picture(approver, 'approval-back');
    t.equal(await phone(approver, 'approval-back'), 0);
    await dialog.getByRole('button', { name: 'Send back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await approver.getByText('สมชาย ใจดี sent this draft back').waitFor();
    await badge.waitFor({ state: 'detached' });
    await approver.getByText(COMMENT).waitFor();
    await approver.getByText('There is nothing to publish until then').waitFor();
    t.equal(await approver.getByRole('button', { name: 'Publish version 1' }).count(), 0);
    t.equal(await approver.locator('main').getByRole('textbox').count(), 0, 'no note to write');
    t.equal(await approver.getByRole('checkbox').count(), 0, 'nothing to confirm');
    await picture(approver, 'approval-sent-back');
    t.strictSame(await seriousFindings(approver), []);
    t.equal(await phone(approver, 'approval-sent-back'), 0);
  });

  await step('the author reads why, changes the draft and asks again', async (t) => {
    await author.goto(`${url}/studio/approvals`);
    await author.getByRole('heading', { name: 'Waiting for you' }).waitFor();
    await author.getByText(COMMENT).waitFor();
    // Editors read the names of their colleagues, too.
    await author.getByText('สมชาย ใจดี sent this draft back').waitFor();
    t.equal(await author.locator('nav .count').textContent(), '1');
    await author.getByRole('button', { name: 'ไทย' }).click();
    await author.getByText('ส่งฉบับร่างนี้กลับ').waitFor();
    await picture(author, 'approval-returned-th');
    t.equal(await phone(author, 'approval-returned-th'), 0);
    await author.getByRole('button', { name: 'English' }).click();
    const changed = { ...DRAFT, document: { content: ['เรียน {{customer}} 10330'] } };
    t.equal((await callAs(author.context(), 'PUT', address, changed)).status, 200);
    await author.goto(`${url}/studio/templates/notice`);
    await author.getByText('The draft was changed since').waitFor();
    await author.getByRole('link', { name: 'Compare and publish' }).click();
    const ask = author.getByRole('button', { name: 'Ask for approval' });
    await ask.click();
    await author.getByText('The request waits for an Admin').waitFor();
  });

  await step('the approver publishes, and the history says why and by whom', async (t) => {
    await approver.goto(`${url}/studio/templates/notice/publish`);
    const why = approver.getByLabel('Why is this version published?');
    await why.waitFor();
    t.equal(await why.inputValue(), NOTE, 'the note of the author');
    const seen = approver.getByLabel('I have looked at the pages of all samples.');
    for (const change of await approver.locator('.changes input[type="checkbox"]').all()) {
      await change.check();
    }
    await seen.check();
    await approver.getByRole('button', { name: 'Publish version 1' }).click();
    const row = approver.getByRole('row', { name: /อนงค์ สุขใจ.*สมชาย ใจดี/ });
    await row.getByText('ที่อยู่สาขาสยามเปลี่ยน').waitFor();
    const table = approver.url();
    await approver.goto(`${url}/studio/templates/notice/version-1`);
    const facts = approver.locator('.facts');
    await facts.getByText('อนงค์ สุขใจ', { exact: true }).waitFor();
    await facts.getByText('ที่อยู่สาขาสยามเปลี่ยน').waitFor();
    await picture(approver, 'approval-version-facts');
    await approver.goto(table);
    await row.waitFor();
    await picture(approver, 'approval-history');
    t.strictSame(await seriousFindings(approver), []);
    t.equal(await phone(approver, 'approval-history'), 0);
    await approver.goto(`${url}/studio/approvals`);
    await approver.getByText('No requests').waitFor();
  });

  await step('the next draft begins without the words of this one', async (t) => {
    const next = { ...DRAFT, document: { content: ['เรียน {{customer}} 10110'] } };
    t.equal((await callAs(author.context(), 'PUT', address, next)).status, 200);
    await author.goto(`${url}/studio/templates/notice/publish`);
    t.equal(await author.getByLabel('What was changed, and why?').inputValue(), '');
    // The input of the note is far above the button, so the button asks for it.
    await author.getByRole('button', { name: 'Ask for approval' }).click();
    const dialog = author.getByRole('dialog', { name: 'Ask for approval' });
    t.ok(await dialog.getByRole('button', { name: 'Ask for approval' }).isDisabled());
    await picture(author, 'approval-ask-note');
    t.strictSame(await seriousFindings(author), []);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await author.getByRole('button', { name: 'ไทย' }).click();
    await author.getByRole('button', { name: 'ขออนุมัติ' }).click();
    await author.getByRole('button', { name: 'ขอโดยไม่ใส่ข้อความ' }).waitFor();
    await picture(author, 'approval-ask-note-th');
    await author.getByRole('dialog').getByRole('button', { name: 'ยกเลิก' }).click();
    await author.getByRole('button', { name: 'English' }).click();
    await author.getByRole('button', { name: 'Ask for approval' }).click();
    await dialog.getByLabel('What was changed, and why?').fill('The postcode.');
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await author.getByText('The request waits for an Admin').waitFor();
    await author.getByText('The postcode.').waitFor();
  });

  await step('the badge goes with a request that the page tells to count no more', async (t) => {
    await approver.goto(`${url}/studio/templates/notice/publish`);
    await approver.getByRole('button', { name: 'Send back' }).waitFor();
    await badge.waitFor();
    t.equal((await callAs(author.context(), 'PUT', address, DRAFT)).status, 200);
    await approver.getByText('The request counts no more').waitFor();
    // Before the time at which the badge is read anyway.
    await badge.waitFor({ state: 'detached', timeout: 10_000 });
  });
  t.strictSame(scene.complaints, []);
});

/** As text, as above: the page counts as one in the background, so that it reads nothing at intervals. */
const HIDE = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })";

/** Opens the dialog that sends the draft back, and says why. */
async function prepareSendBack(at: Page): Promise<void> {
  await at.getByRole('button', { name: 'Send back' }).click();
  await at.getByRole('dialog').getByLabel('What has to be changed?').fill(COMMENT);
}

t.test('an open page notices what others decide', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { anong: 'Editor', somchai: 'Admin', malee: 'Admin' });
  const { url } = scene;
  const author = await scene.openAs('anong');
  const approver = await scene.openAs('somchai');
  const publishing = await scene.openAs('malee');
  const sending = await scene.openTab(publishing);
  const step = stepsOf(t, scene);
  const page = `${url}/studio/templates/notice/publish`;
  const ask = author.getByRole('button', { name: 'Ask for approval' });
  const waits = author.getByText('The request waits for an Admin');
  const reads: string[] = [];
  publishing.on('request', (request) => {
    if (request.url().endsWith('/v1/templates/notice')) reads.push(request.url());
  });

  /** Opens the request and confirms what there is to confirm. */
  async function look(at: Page): Promise<void> {
    await at.goto(page);
    const seen = at.getByLabel('I have looked at the pages of all samples.');
    await seen.waitFor();
    await at.locator('.changes input[type="checkbox"]').first().waitFor();
    for (const change of await at.locator('.changes input[type="checkbox"]').all()) {
      await change.check();
    }
    await seen.check();
  }

  await step('who sends back what another Admin sent back reads who did', async (t) => {
    const address = `${url}/v1/templates/notice/draft`;
    t.equal((await callAs(author.context(), 'PUT', address, DRAFT)).status, 200);
    await author.goto(page);
    await ask.click();
    await author.getByRole('button', { name: 'Ask without a note' }).click();
    await waits.waitFor();
    for (const at of [approver, sending]) await at.goto(page);
    await sending.getByRole('button', { name: 'Send back' }).waitFor();
    await sending.evaluate(HIDE);
    await prepareSendBack(sending);
    await prepareSendBack(approver);
    await approver.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
    await author.getByText('somchai sent this draft back').waitFor({ timeout: 30_000 });
    await sending.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
    await sending.getByText('somebody else decided about this draft first').waitFor();
    const unsent = sending.locator('.notice').filter({ hasText: 'Your comment was not sent' });
    await unsent.getByText('somchai sent this draft back').waitFor({ timeout: 30_000 });
    await unsent.getByText(COMMENT).waitFor();
    t.equal(await sending.getByRole('dialog').count(), 0);
    await picture(sending, 'approval-comment-unsent');
    t.strictSame(await seriousFindings(sending), []);
    t.equal(await phone(sending, 'approval-comment-unsent'), 0);
    await sending.getByRole('button', { name: 'ไทย' }).click();
    await sending.getByText('ความเห็นของคุณยังไม่ได้ส่ง').waitFor();
    await picture(sending, 'approval-comment-unsent-thai');
    await sending.getByRole('button', { name: 'English' }).click();
    await unsent.getByRole('button', { name: 'Copy the comment' }).waitFor();
    await unsent.getByRole('button', { name: 'Discard the comment' }).click();
    await unsent.waitFor({ state: 'detached' });
  });

  await step('who publishes or sends back what was published reads by whom', async (t) => {
    await author.getByLabel('What was changed, and why?').fill(NOTE);
    await ask.click();
    await waits.waitFor();
    for (const at of [publishing, sending, approver]) await look(at);
    for (const at of [publishing, sending]) await at.evaluate(HIDE);
    await prepareSendBack(sending);
    const inbox = await scene.openTab(author);
    await inbox.goto(`${url}/studio/approvals`);
    await inbox.getByRole('article').waitFor();
    const template = await scene.openTab(author);
    await template.goto(`${url}/studio/templates/notice`);
    await template.getByText('asked for approval').first().waitFor();
    const before = reads.length;
    await approver.getByRole('button', { name: 'Publish version 1' }).click();
    await approver.getByText('Version 1 is published').waitFor();

    await author.getByText('This draft was published meanwhile').waitFor({ timeout: 30_000 });
    await author.getByText('somchai published version 1').waitFor();
    await inbox.getByText('No requests').waitFor({ timeout: 30_000 });
    await template.getByRole('row', { name: /anong.*somchai/ }).waitFor({ timeout: 30_000 });
    t.equal(await waits.count(), 0);
    t.equal(await author.getByRole('button', { name: 'Withdraw the request' }).count(), 0);
    t.equal(reads.length, before, 'a hidden page reads nothing');
    await picture(author, 'approval-published-meanwhile');
    t.strictSame(await seriousFindings(author), []);
    t.equal(await phone(author, 'approval-published-meanwhile'), 0);

    await publishing.getByRole('button', { name: 'Publish version 1' }).click();
    await sending.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
    for (const at of [publishing, sending]) {
      await at.getByText('somchai published version 1').first().waitFor({ timeout: 30_000 });
      t.equal(await at.getByText('This is not there, or not yours').count(), 0);
      t.equal(await at.getByRole('button', { name: 'Try again' }).count(), 0);
      t.equal(await at.getByRole('dialog').count(), 0);
    }
    const unsent = sending.locator('.notice').filter({ hasText: 'Your comment was not sent' });
    await unsent.getByText('somchai published version 1').waitFor();
    await unsent.getByText(COMMENT).waitFor();
    await publishing.getByRole('button', { name: 'ไทย' }).click();
    await publishing.getByText('ฉบับร่างนี้ถูกเผยแพร่ไปแล้ว').waitFor();
    await publishing.getByRole('button', { name: 'English' }).click();
    await publishing.getByRole('link', { name: 'Open version 1' }).click();
    await publishing.waitForURL('**/templates/notice/version-1');
  });

  await step('an Admin who changed a draft reads what may be done about it', async () => {
    const own = { ...DRAFT, templateId: 'own' };
    const draft = `${url}/v1/templates/own`;
    t.equal((await callAs(approver.context(), 'PUT', `${draft}/draft`, own)).status, 200);
    const { body } = await callAs(approver.context(), 'GET', draft);
    const { hash } = body['draft'] as { hash: string };
    const asked = { draft: hash, note: NOTE };
    t.equal((await callAs(approver.context(), 'POST', `${draft}/approval`, asked)).status, 200);
    await approver.goto(`${url}/studio/approvals`);
    await approver.getByText('As an Admin you may publish them yourself').waitFor();
    await picture(approver, 'approval-own-admin');
  });
  t.strictSame(scene.complaints, []);
});
