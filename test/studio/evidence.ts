/** Evidence of a failed test: a picture and the last events of each page. */
import { join } from 'node:path';
import type { BrowserContext, Page, Request, Response } from 'playwright-core';

/** Lines kept of each page, the last ones. */
const LINES_MAX = 60;
const PICTURE_MS_MAX = 60_000;
/** Lines of a page's text that are printed: its head and its notices stand at the beginning. */
const TEXT_LINES_MAX = 80;
const TEXT_MS_MAX = 20_000;

/** The events of each page, one line for each. */
const diaries = new WeakMap<Page, string[]>();

/** Notes requests, responses and messages of the page from now on. */
export function keepDiary(page: Page): void {
  const lines: string[] = [];
  diaries.set(page, lines);
  const note = (text: string): void => {
    lines.push(`${new Date().toISOString().slice(11, 23)} ${text}`);
    if (lines.length > LINES_MAX) lines.shift();
  };
  page.on('request', (request) => isCall(request) && note(`> ${named(request)}`));
  page.on('response', (response) => isCall(response.request()) && note(answered(response)));
  page.on('requestfailed', (request) => {
    note(`< ${request.failure()?.errorText ?? 'failed'} ${named(request)}`);
  });
  page.on('framenavigated', (frame) => note(`at ${frame.url()}`));
  page.on('console', (message) => note(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => note(`threw ${error.stack ?? error.message}`));
}

function isCall(request: Request): boolean {
  return request.resourceType() === 'fetch' || request.isNavigationRequest();
}

function named(request: Request): string {
  return `${request.method()} ${new URL(request.url()).pathname}${new URL(request.url()).search}`;
}

function answered(response: Response): string {
  return `< ${response.status()} ${named(response.request())}`;
}

/** Keeps a picture of each open page in `folder`; gives the lines to print, with the page's text. */
export async function evidenceOf(
  contexts: readonly BrowserContext[],
  folder: string,
): Promise<string[]> {
  const lines: string[] = [];
  for (const page of contexts.flatMap((context) => context.pages())) {
    const path = join(folder, `failed-${lines.length}.png`);
    lines.push(`page ${page.url()}, picture ${await pictured(page, path)}`);
    lines.push(...(diaries.get(page) ?? []), ...(await shownText(page)));
  }
  return lines;
}

/** What the page says, line by line. */
async function shownText(page: Page): Promise<string[]> {
  try {
    const text = await page.locator('body').innerText({ timeout: TEXT_MS_MAX });
    const shown = text.split('\n').filter((line) => line.trim() !== '');
    return shown.slice(0, TEXT_LINES_MAX).map((line) => `shows: ${line}`);
  } catch (error) {
    return [`shows: ${String(error)}`];
  }
}

/** A page that hangs has no picture, which must not hide the other pages. */
async function pictured(page: Page, path: string): Promise<string> {
  try {
    await page.screenshot({ path, timeout: PICTURE_MS_MAX });
    return path;
  } catch (error) {
    return String(error);
  }
}
