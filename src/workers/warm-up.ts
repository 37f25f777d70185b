import { readFileSync } from 'node:fs';
import type { RenderJob, RenderResult } from '#engine';
import { renderJob, shareTemplate } from '#engine/light';

/**
 * A document with what most documents have: Thai and Latin text, a table with a row for each entry, a
 * QR code. A richer one (layouts by place, lists, a justified paragraph) saved no more time, and made
 * later documents 2 % slower: V8 compiles a line less well when it has met more kinds of objects.
 */
const FILE = new URL('warm-up.json', import.meta.url);

/**
 * Renders a built-in document before a thread takes jobs: the first document of a caller would
 * otherwise take some 90 ms more, for what is loaded and compiled once. A second document gains
 * nothing. Throws when it cannot be rendered: no other document could be, either.
 */
export async function warmUp(render: (job: RenderJob) => Promise<RenderResult>): Promise<void> {
  const file = readFileSync(FILE);
  // A file of this folder, whose test renders it.
  const { samples } = JSON.parse(file.toString()) as { samples: readonly { data: unknown }[] };
  const data = Buffer.from(JSON.stringify(samples[0]?.data));
  const result = await render(renderJob(shareTemplate(file, 'warm-up'), new Uint8Array(data), 0));
  if (!result.ok) throw new Error(`the warm-up document failed: ${result.message}`);
}
