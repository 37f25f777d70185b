import type { Page } from 'playwright-core';
import { tabTo, untilDraft } from './browser.ts';

/** Edits, compares, publishes and generates without a pointer. */
export async function walkByKeyboard(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/studio/templates`);
  await page.getByRole('link', { name: 'Receipt', exact: true }).waitFor();
  await tabTo(page, 'Receipt');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Start a draft' }).waitFor();
  await tabTo(page, 'Start a draft');
  await page.keyboard.press('Enter');
  await page.locator('.pdf-pages canvas').first().waitFor();
  await tabTo(page, 'Template text');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('"name": "Receipt"');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.type('"name": "Receipt, new"');
  await page.getByRole('heading', { name: 'Receipt, new' }).waitFor();
  // The page says "Saved" before the typing, too, so the draft of the service is read.
  await untilDraft(page, url, '"name": "Receipt, new"', 'receipt-en');
  await page.getByText('Saved', { exact: true }).waitFor();
  await tabTo(page, 'Compare and publish');
  await page.keyboard.press('Enter');
  await page.locator('.changes input:enabled').waitFor();
  await tabTo(page, 'Changed: name line 4');
  await page.keyboard.press('Space');
  await page.locator('.decision input:enabled').waitFor();
  await tabTo(page, 'I have looked at the comparison of all samples.');
  await page.keyboard.press('Space');
  await tabTo(page, 'Publish version 2');
  await Promise.all([
    page.getByText('Version 2 is published.').waitFor(),
    page.keyboard.press('Enter'),
  ]);
  await tabTo(page, 'Generate');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Template', exact: true }).waitFor();
  await tabTo(page, 'Template');
  await page.keyboard.type('RECEIPT-en');
  // The search is not answered yet.
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Loan fees' }).waitFor();
  await tabTo(page, 'Loan fees');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Store');
  await page.keyboard.press('Enter');
  await page.getByText('The document is stored.').waitFor();
  await tabTo(page, 'Find it in Documents');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open' }).waitFor();
  await tabTo(page, 'Open');
  await page.keyboard.press('Enter');
  await page.locator('dialog .pdf-pages canvas').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
}
