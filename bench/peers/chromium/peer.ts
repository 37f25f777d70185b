import { existsSync } from 'node:fs';
import { serveSubject } from '../../harness/subject.ts';
import type { Sheet } from '../../../lab/shapes/sheet.ts';
import type { QrModule } from '../common.ts';
import { bodyHtml, FONT_CSS, STYLE_CSS } from '../html.ts';

/** Chromium, one page kept open with fonts and style; each document replaces the body. */
interface Page {
  setContent(html: string): Promise<void>;
  evaluate<T>(script: string): Promise<T>;
  pdf(options: Record<string, unknown>): Promise<Uint8Array>;
}

interface Puppeteer {
  launch(options: { executablePath: string; args: string[] }): Promise<{
    newPage(): Promise<Page>;
    version(): Promise<string>;
    close(): Promise<void>;
  }>;
}

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['puppeteer-core', 'qrcode'] as const;
const puppeteer = ((await import(packages[0])) as { default: Puppeteer }).default;
const qr = ((await import(packages[1])) as { default: QrModule }).default;

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
if (executablePath === undefined) throw new Error('chromium is not installed');
const browser = await puppeteer.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
process.on('disconnect', () => void browser.close());
const page = await browser.newPage();
await page.setContent(
  `<!doctype html><style>${FONT_CSS}${STYLE_CSS}</style><body>ก<b>ข</b></body>`,
);
await page.evaluate('document.fonts.ready.then(() => 0)');

serveSubject<Sheet>({
  version: await browser.version(),
  hasChildren: true,
  stage: (_shape, document) => document.sheet(),
  async render(sheet) {
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(bodyHtml(sheet, qr))}; 0`);
    return page.pdf({ preferCSSPageSize: true, tagged: false, outline: false });
  },
});
