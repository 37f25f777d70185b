import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, missing, picture, startScene } from './browser.ts';

t.setTimeout(900_000);

const DRAFT = {
  templateId: 'notice',
  name: 'หนังสือแจ้งที่ดิน',
  language: 'th',
  fields: [{ name: 'customer', type: 'text', required: true }],
  document: { content: ['เรียน {{customer}}'] },
};

/** As text: these sources are checked without the types of a browser. What a click in it would meet. */
function hitIn({ x, y, width, height }: Box): string {
  const points = [0.1, 0.5, 0.9].map((part) => [x + width * part, y + height / 2]);
  return `${JSON.stringify(points)}.map(([x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return hit?.closest('.toast') ? 'the message' : hit?.closest('button')?.textContent ?? '';
  })`;
}

type Box = NonNullable<Awaited<ReturnType<ReturnType<Page['locator']>['boundingBox']>>>;

t.test('the message about a request leaves its button free', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { anong: 'Editor', somchai: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('anong');
  await page.setViewportSize({ width: 1_280, height: 800 });
  const saved = await callAs(page.context(), 'PUT', `${url}/v1/templates/notice/draft`, DRAFT);
  t.equal(saved.status, 200);
  await page.goto(`${url}/studio/templates/notice/publish`);
  await page.getByRole('button', { name: 'ไทย' }).click();
  const ask = page.getByRole('button', { name: 'ขออนุมัติ' });
  await page.getByText('ไม่แน่ว่ามีตัวอย่างแสดง').waitFor();
  // At the end of the page the bar stands higher: its button is where messages begin.
  await page.evaluate("document.querySelector('.decision').scrollIntoView({ block: 'start' })");
  // The pointer stays there, so the message appears under it.
  await ask.click();
  await page.getByRole('dialog').getByRole('button', { name: 'ขอโดยไม่ใส่ข้อความ' }).click();
  await page.locator('.toast').waitFor();
  const withdraw = page.getByRole('button', { name: 'ถอนคำขอ' });
  await withdraw.waitFor();
  // Messages are placed anew in the frame after a change of the page.
  await page.evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
  const box = await withdraw.boundingBox();
  const hit = box === null ? [] : await page.evaluate<readonly string[]>(hitIn(box));
  await picture(page, 'asked-toast-th');
  t.equal(await page.locator('.toast').count(), 1, 'it is still shown');
  t.strictSame(hit, ['ถอนคำขอ', 'ถอนคำขอ', 'ถอนคำขอ']);
  t.strictSame(scene.complaints, []);
});
