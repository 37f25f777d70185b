import { randomUUID } from 'node:crypto';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import type { PlainReply } from './reply.ts';

/**
 * A reply with two parts (RFC 2046 §5.1.3): JSON, then a PDF. The bytes of the PDF are freed here.
 */
export function mixedReply(
  status: number,
  value: unknown,
  pdf: Uint8Array,
  headers: Readonly<Record<string, string>>,
): PlainReply {
  const boundary = randomUUID();
  const start = Buffer.from(
    `--${boundary}\r\nContent-Type: application/json; charset=utf-8\r\n\r\n` +
      `${JSON.stringify(value)}\r\n--${boundary}\r\nContent-Type: application/pdf\r\n\r\n`,
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  // The memory of a large document belongs to this reply alone, so that it can be freed when sent.
  const body = new Uint8Array(start.length + pdf.length + end.length);
  body.set(start);
  body.set(pdf, start.length);
  body.set(end, start.length + pdf.length);
  releaseBuffer(pdf);
  const type = { 'Content-Type': `multipart/mixed; boundary=${boundary}` };
  return { status, headers: { ...type, ...headers }, body, ownsBody: true };
}
