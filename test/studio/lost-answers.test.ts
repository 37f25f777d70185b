import type { Page, Route } from 'playwright-core';
import t from 'tap';
import { breakInBody } from './broken-answer.ts';
import { callAs, eventually, missing, picture, select, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

const TEXT = {
  templateId: 'notice',
  name: 'Notice of land',
  language: 'en',
  fields: [{ name: 'customer', type: 'text', required: true }],
  document: { content: ['Dear {{customer}}'] },
  samples: [{ name: 'one', data: { customer: 'Boon' } }],
};
const SAVES = '**/v1/templates/notice/draft*';
/** As text: these sources are checked without the types of a browser. */
const KEPT = 'JSON.stringify({ ...localStorage })';
const FORGET = `for (const name of Object.keys(localStorage)) {
  if (name.includes('studio.draft.')) localStorage.removeItem(name);
}`;

t.test('saves without an answer', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Editor', malee: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('somchai');
  const hers = await scene.openAs('malee');
  const step = stepsOf(t, scene);
  const address = `${url}/v1/templates/notice/draft`;
  const editor = `${url}/studio/templates/notice/edit`;
  const elsewhere = page.getByText('You changed this draft in another window');
  const changed = page.getByText('Somebody else changed this draft');
  const told = elsewhere.or(changed);
  const saved = page.getByText('Saved', { exact: true });

  const draft = async (): Promise<string> =>
    JSON.stringify((await callAs(page.context(), 'GET', address)).body);
  const save = async (who: Page, word: string): Promise<void> => {
    const text = { ...TEXT, document: { content: [`${word} {{customer}}`] } };
    t.equal((await callAs(who.context(), 'PUT', address, text)).status, 200);
  };
  /**
   * Opens the editor with a draft that holds a word. The step before may have left the editor before
   * it heard of its last save, and the text that it kept then would be another one.
   */
  const open = async (word: string): Promise<void> => {
    await page.goto(`${url}/studio/templates`);
    await page.evaluate(FORGET);
    await save(page, word);
    await page.goto(editor);
    await page.locator('.cm-content').filter({ hasText: word }).waitFor();
    await saved.waitFor();
  };
  /** The service has the text and the editor says so; or the notice is there, which fails. */
  const goesOn = async (word: string): Promise<void> => {
    await eventually(
      async () => (await told.count()) > 0 || (await draft()).includes(`${word} {{customer}}`),
    );
    await told.or(saved).first().waitFor();
    t.equal(await told.count(), 0, 'there is no other window');
    t.match(await draft(), `${word} {{customer}}`);
  };
  /** The service gets the saves; `answer` says what becomes of their answers. */
  const answerSaves = async (answer: (route: Route) => Promise<void>): Promise<void> => {
    await page.route(SAVES, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await route.fetch();
      await answer(route);
    });
  };
  const type = async (word: string, more: string): Promise<void> => {
    await select(page, word);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.insertText(more);
  };
  /** Types while the answer to a save is lost; the page says that it is not saved. */
  const typeUnheard = async (word: string, more: string): Promise<void> => {
    await answerSaves((route) => route.abort());
    await type(word, more);
    await page.getByText('Not saved: kept in this browser').waitFor();
    t.match(await draft(), `${word}${more} {{customer}}`, 'the service has it');
    await page.unroute(SAVES);
  };
  /** Types, and types on while the answer waits; the browser keeps the whole text. */
  const typeBeforeAnswer = async (word: string, first: string, then: string): Promise<void> => {
    const stored = Promise.withResolvers<void>();
    await answerSaves(async () => stored.resolve());
    await type(word, first);
    await stored.promise;
    await page.keyboard.insertText(then);
    await eventually(async () => (await page.evaluate<string>(KEPT)).includes(word + first + then));
    t.match(await draft(), `${word}${first} {{customer}}`);
    // However slow the machine is, the page does not try again before it is left.
    await page.route('**/v1/**', (route) => route.abort());
  };
  /** Leaves the editor, whose saves got no answer, and opens it again. */
  const comeBack = async (): Promise<void> => {
    await page.goto('about:blank');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(editor);
  };

  await step('the answer to a save is lost, and the person types on', async (t) => {
    await open('Hello');
    await typeUnheard('Hello', 'One');
    await page.keyboard.insertText('Two');
    await goesOn('HelloOneTwo');
    // Later changes go to the same draft.
    await page.keyboard.insertText('Three');
    await goesOn('HelloOneTwoThree');
    t.strictSame(scene.complaints, []);
  });

  await step('the connection breaks in the body of an answer', async (t) => {
    await open('Good');
    await page.route(SAVES, (route) =>
      route.request().method() === 'PUT' ? breakInBody(t, route) : route.continue(),
    );
    await type('Good', 'One');
    await page.getByText('Not saved: kept in this browser').waitFor();
    await picture(page, 'answer-broken-in-body');
    await page.unroute(SAVES);
    await goesOn('GoodOne');
    await page.keyboard.insertText('Two');
    await goesOn('GoodOneTwo');
    t.strictSame(scene.complaints, []);
  });

  await step('so it is for a text that is not JSON, until it is', async (t) => {
    await open('Letter');
    await typeUnheard('Letter', 'One');
    await page.keyboard.insertText('"zz');
    await page.getByText('Not saved yet').waitFor();
    await page.reload();
    await page.getByText('Not saved yet').waitFor();
    t.equal(await told.count(), 0);
    await select(page, '"zz');
    await page.keyboard.press('Delete');
    await goesOn('LetterOne');
  });

  await step('the page is loaded again before the answer', async (t) => {
    await open('Morning');
    await typeBeforeAnswer('Morning', 'AA', 'BB');
    await comeBack();
    await page.getByText('Restored what this browser had kept').waitFor();
    await goesOn('MorningAABB');
    await picture(page, 'restored-after-lost-answer');
    t.equal(await page.locator('.work-notice').count(), 0);
  });

  await step('the editor is left for another page before the answer', async () => {
    await open('Evening');
    await typeBeforeAnswer('Evening', 'AA', 'BB');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(`${url}/studio/templates`);
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    await page.goto(editor);
    await goesOn('EveningAABB');
  });

  await step('another window of the same person is told of', async () => {
    await open('Noon');
    await typeUnheard('Noon', 'One');
    await save(page, 'Midnight');
    await page.keyboard.insertText('Two');
    await elsewhere.waitFor();
    await page.reload();
    await elsewhere.waitFor();
    t.match(await draft(), 'Midnight {{customer}}', 'nothing is overwritten');
    await page.getByRole('button', { name: 'Take the other, discard this text' }).click();
    await saved.waitFor();
  });

  await step('another person is told of, also one who saved the same text', async () => {
    await open('Spring');
    await typeBeforeAnswer('Spring', 'AA', 'BB');
    await save(hers, 'Summer');
    await comeBack();
    await changed.waitFor();
    t.match(await draft(), 'Summer {{customer}}', 'nothing is overwritten');
    await page.getByRole('button', { name: 'Take theirs, discard mine' }).click();
    await saved.waitFor();
    await open('Autumn');
    await typeBeforeAnswer('Autumn', 'AA', 'BB');
    const sent = await (await page.context().request.get(address)).text();
    await save(hers, 'Winter');
    const again = await hers.context().request.put(address, {
      data: sent,
      headers: { 'content-type': 'application/json' },
    });
    t.equal(again.status(), 200);
    await comeBack();
    await changed.waitFor();
  });
  t.strictSame(scene.complaints, []);
});
