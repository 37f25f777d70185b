import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import t from 'tap';
import { callAs, eventually, missing, picture, startScene, stepsOf } from './browser.ts';
import { startRun } from './month-end.ts';

t.setTimeout(900_000);

const inner = [{ name: 'street', type: 'text', label: 'Street' }];
const TEMPLATE = {
  templateId: 'typing',
  name: 'Typing',
  language: 'th',
  fields: [
    { name: 'note', type: 'text', label: 'Note' },
    { name: 'remark', type: 'text', label: 'Remark', validation: { maxLength: 500 } },
    { name: 'code', type: 'qrcode', label: 'Code' },
    { name: 'place', type: 'record', label: 'Place', fields: inner },
    { name: 'rows', type: 'table', label: 'Rows' },
    { name: 'list', type: 'list', label: 'List', fields: inner },
  ],
  document: { content: ['{{note}}'] },
  samples: [
    { name: 'long', data: { note: 'x'.repeat(81) } },
    { name: 'short', data: { note: 'x' } },
  ],
};

const LETTERS = { English: 'abcdefghi ', ไทย: 'ที่อยู่กขค ' };

/** Types over the 80th character and back, one key or one composition of an input method at a time. */
async function typeOver(t: Test, page: Page, input: Locator, letters: string): Promise<void> {
  const keys = await page.context().newCDPSession(page);
  await input.fill('');
  await input.focus();
  await page.evaluate('window.typed = document.activeElement');
  const isThere = (): Promise<boolean> =>
    page.evaluate<boolean>('window.typed.isConnected && window.typed === document.activeElement');
  const check = async (expected: string): Promise<void> => {
    t.equal(await isThere(), true, `the input keeps the focus at ${expected.length} characters`);
    t.equal(await input.inputValue(), expected);
  };
  const text = letters.repeat(9).slice(0, 78);
  await keys.send('Input.insertText', { text });
  await check(text);
  for (let length = 79; length <= 84; length += 1) {
    // An input method shows the letter underlined, and then commits it.
    const letter = letters.slice(0, 1);
    await keys.send('Input.imeSetComposition', {
      text: letter,
      selectionStart: 1,
      selectionEnd: 1,
    });
    await check(text + letter.repeat(length - 78));
    await keys.send('Input.insertText', { text: letter });
    await check(text + letter.repeat(length - 78));
  }
  for (let length = 83; length >= 78; length -= 1) {
    await page.keyboard.press('Backspace');
    await check(text + letters.slice(0, 1).repeat(length - 78));
  }
  // The caret stays where a letter is put in.
  for (let count = 0; count < 4; count += 1) await page.keyboard.press('ArrowLeft');
  for (const key of 'wxyz') await page.keyboard.press(key);
  await check(`${text.slice(0, -4)}wxyz${text.slice(-4)}`);
  await keys.detach();
}

t.test('what is typed arrives, however long it is', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Admin' });
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  const url = `${scene.url}/v1/templates/typing`;
  await callAs(page.context(), 'PUT', `${url}/draft`, TEMPLATE);
  await callAs(page.context(), 'POST', `${url}/publish`, {});
  const inputs: Readonly<Record<string, () => Locator>> = {
    'a text': () => page.getByLabel('Note'),
    'a text that may be long': () => page.getByLabel('Remark'),
    'the text of a code': () => page.getByLabel('Code'),
    'a record': () => page.getByLabel('Street'),
    'a list': () => page.locator('#field-list'),
    'a table': () => page.locator('#field-rows'),
  };

  for (const [place, address] of [
    ['Generate', 'generate?template=typing'],
    ['samples', 'templates/typing/edit'],
  ]) {
    for (const [language, letters] of Object.entries(LETTERS)) {
      await step(`${place}, ${language}`, async (t) => {
        await page.goto(`${scene.url}/studio/${address}`);
        const button = page.getByRole('button', { name: language, exact: true });
        await page.locator('main h1').waitFor();
        if ((await button.count()) > 0) await button.click();
        if (place === 'samples') await page.getByRole('button', { name: /^(Data|ข้อมูล)/ }).click();
        await page.getByLabel('Note').waitFor();
        for (const [name, input] of Object.entries(inputs)) {
          await t.test(name, (t) => typeOver(t, page, input(), letters));
        }
        if (place === 'Generate') await picture(page, `typing-${language}`);
      });
    }
  }

  await step('a sample decides the box anew, and a remark has one from the start', async (t) => {
    await page.goto(`${scene.url}/studio/generate?template=typing`);
    const note = page.getByLabel('Note');
    await note.waitFor();
    const kind = (name: string): Promise<string> =>
      page.evaluate<string>(`document.querySelector('#field-${name}').localName`);
    t.equal(await kind('remark'), 'textarea');
    await page.getByRole('button', { name: 'long', exact: true }).click();
    await eventually(async () => (await kind('note')) === 'textarea');
    await page.getByRole('button', { name: 'short', exact: true }).click();
    await eventually(async () => (await kind('note')) === 'input');
    await note.fill('y'.repeat(90));
    t.equal(await kind('note'), 'input');
    await page.getByRole('link', { name: 'เอกสาร', exact: true }).click();
    await page.getByRole('heading', { name: 'เอกสาร', exact: true }).waitFor();
    await page.goBack();
    await note.waitFor();
    t.equal(await note.inputValue(), 'y'.repeat(90));
    t.equal(await kind('note'), 'textarea', 'when the form is made again');
  });

  await step('a row to correct', async (t) => {
    await page.getByRole('button', { name: 'English', exact: true }).click();
    await startRun(scene, page);
    const cell = page.getByLabel('Line 94 Total total', { exact: true });
    for (const letters of Object.values(LETTERS)) await typeOver(t, page, cell, letters);
  });
  t.strictSame(scene.complaints, []);
});
