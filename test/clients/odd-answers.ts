import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { PDF, PDF_TYPE } from './described-api.ts';

/** An answer of a proxy, a provider of sign-ins or a broken connection that holds no document. */
interface OddAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** The error that both clients give for it. */
  readonly error: 'NoDocumentError' | 'DigestError';
}

const PAGE = '<!doctype html><title>Sign in</title>';
const OTHER_TAG = `W/"${createHash('sha256').update('another file').digest('hex')}"`;

export const ODD_ANSWERS: readonly OddAnswer[] = [
  { status: 200, headers: { 'content-type': 'text/html' }, body: PAGE, error: 'NoDocumentError' },
  { status: 200, headers: {}, body: PDF, error: 'NoDocumentError' },
  { status: 200, headers: PDF_TYPE, body: PAGE, error: 'NoDocumentError' },
  { status: 200, headers: PDF_TYPE, body: '', error: 'NoDocumentError' },
  { status: 200, headers: PDF_TYPE, body: '%PD', error: 'NoDocumentError' },
  { status: 204, headers: PDF_TYPE, body: '', error: 'NoDocumentError' },
  // Without a length, an end in the middle looks like the end.
  { status: 200, headers: PDF_TYPE, body: PDF.subarray(0, 20), error: 'NoDocumentError' },
  { status: 200, headers: { ...PDF_TYPE, etag: OTHER_TAG }, body: PDF, error: 'DigestError' },
];

/** Gives odd answer `number`; behind the last one a PDF whose tag is weak, as nginx makes it. */
export function answerOddly(response: ServerResponse, number: number): void {
  const etag = `W/"${createHash('sha256').update(PDF).digest('hex')}"`;
  const {
    status = 200,
    headers = { ...PDF_TYPE, etag },
    body = PDF,
  }: Partial<OddAnswer> = ODD_ANSWERS[number] ?? {};
  response.writeHead(status, headers);
  response.end(body);
}
