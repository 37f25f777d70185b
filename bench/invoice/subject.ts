import { writeFileSync } from 'node:fs';
import { invoice } from './document.ts';
import { RENDERERS, type RendererName } from './renderers.ts';

/**
 * Draws invoices by one library, in a separate process: `bench invoice` starts it with a channel and
 * the name of the library. It sends `ready`, and answers each `InvoiceRequest` with an `InvoiceReply`.
 */
export interface InvoiceRequest {
  readonly first: number;
  readonly count: number;
  /** Write the last PDF here. */
  readonly keep: string | null;
}

export interface InvoiceReply {
  readonly cpuMs: number;
  readonly bytes: number;
}

const send = process.send?.bind(process);
if (send === undefined) throw new Error('bench invoice starts this process, with a channel');
// The bench passes one of the names.
const render = await RENDERERS[process.argv[2] as RendererName]();

async function draw({ first, count, keep }: InvoiceRequest): Promise<InvoiceReply> {
  const data = Array.from({ length: count }, (_, index) => invoice(first + index));
  let bytes = 0;
  let last: Uint8Array = new Uint8Array(0);
  const before = process.cpuUsage();
  for (const one of data) {
    last = await render(one);
    bytes += last.length;
  }
  const { user, system } = process.cpuUsage(before);
  if (keep !== null) writeFileSync(keep, last);
  return { cpuMs: (user + system) / 1000 / count, bytes: Math.round(bytes / count) };
}

process.on('message', (request: InvoiceRequest) => {
  // A rejection ends the process, which the bench reports with its error.
  void draw(request).then((reply) => send(reply));
});
process.on('disconnect', () => process.exit(0));
send('ready');
