import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { HOME } from '../../lab/home.ts';
import { callAs, type Scene } from './browser.ts';

const PASSWORD = 'open sesame';

/** Stores a protected document and opens it by its id, with a wrong password first. */
export async function openProtected({ url }: Scene, page: Page): Promise<void> {
  const file = readFileSync(join(HOME, 'templates/receipt-en.json'), 'utf8');
  const { samples } = JSON.parse(file) as { samples: readonly { data: object }[] };
  const made = await callAs(page.context(), 'POST', `${url}/v1/generate`, {
    templateId: 'receipt-en',
    mode: 'async',
    data: samples[0]?.data,
    options: { protection: { userPassword: PASSWORD } },
  });
  await page.goto(`${url}/studio/documents?id=${String(made.body['documentId'])}`);
  await page.getByRole('button', { name: 'Open' }).click();
  const dialog = page.getByRole('dialog');
  const enter = async (password: string): Promise<void> => {
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Open' }).click();
  };
  await enter('wrong');
  await dialog.getByText('This file cannot be shown').waitFor();
  await enter(PASSWORD);
  await dialog.locator('.pdf-pages canvas').first().waitFor();
}
