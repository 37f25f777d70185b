import { spawn } from 'node:child_process';
import { serveSubject } from '../../harness/subject.ts';
import type { Sheet } from '../../../lab/shapes/sheet.ts';
import type { QrModule } from '../common.ts';
import { bodyHtml, FONT_CSS, STYLE_CSS } from '../html.ts';

/** WeasyPrint in one Python process that keeps fonts and style between documents. */
// Peers are installed on demand, so their packages cannot be imported statically.
const packageName: string = 'qrcode';
const qr = ((await import(packageName)) as { default: QrModule }).default;

const PYTHON = '/usr/bin/python3';
const child = spawn(PYTHON, [new URL('draw.py', import.meta.url).pathname], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
process.on('disconnect', () => child.kill());

let pending = Buffer.alloc(0);
let deliver: ((body: Buffer) => void) | null = null;

/** Resolves the waiting reader once its whole response has arrived. */
function settle(): void {
  const end = pending.indexOf(10);
  if (end < 0 || deliver === null) return;
  const size = Number(pending.subarray(0, end).toString('latin1'));
  if (pending.length < end + 1 + size) return;
  const body = Buffer.from(pending.subarray(end + 1, end + 1 + size));
  pending = Buffer.from(pending.subarray(end + 1 + size));
  const settled = deliver;
  deliver = null;
  settled(body);
}

child.stdout.on('data', (chunk: Buffer) => {
  pending = Buffer.concat([pending, chunk]);
  settle();
});
child.on('exit', (code) => {
  process.stderr.write(`${PYTHON} ended with ${code}\n`);
  process.exit(1);
});

function readAnswer(): Promise<Buffer> {
  return new Promise((resolve) => {
    deliver = resolve;
    settle();
  });
}

function write(text: string): void {
  const body = Buffer.from(text);
  child.stdin.write(`${body.length}\n`);
  child.stdin.write(body);
}

const version = (await readAnswer()).toString('latin1');
write(FONT_CSS + STYLE_CSS);

serveSubject<Sheet>({
  version,
  hasChildren: true,
  stage: (_shape, document) => document.sheet(),
  render(sheet) {
    write(`<!doctype html><html lang="th"><body>${bodyHtml(sheet, qr)}</body></html>`);
    return readAnswer();
  },
});
