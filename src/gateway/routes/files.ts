import { LINK_TOKEN } from '../../api/documents.ts';
import { text } from '../../api/schema.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentRecord } from '../../store/store.ts';
import type { ByteSpan } from '../reply/range.ts';
import { readRange } from '../reply/range.ts';
import type { PlainReply } from '../reply/reply.ts';
import { parameter, PDF } from '../openapi/operation.ts';
import { type Call, describedOpenRoute, type PublicRoute, type Services } from '../route.ts';
import { openDocument, pdfHeaders, recordDownload } from '../pdf-file.ts';

/**
 * GET and HEAD /v1/files/:token: the file of a signed link, which needs no other authentication.
 */
export function filesRoute(services: Services): PublicRoute {
  return describedOpenRoute({
    method: 'GET',
    path: '/v1/files/:token',
    operation: {
      operationId: 'getFile',
      summary: 'The file behind a time-limited link',
      note: 'The link.',
      parameters: [parameter('path', 'token', text, LINK_TOKEN, 'From the url of a document.')],
      replies: {
        200: { description: 'The PDF.', content: PDF },
        206: { description: 'The part asked for by Range.', content: PDF },
      },
      errors: ['not_found', 'gone', 'range_not_satisfiable'],
    },
    run: (call) => serve(services, call),
  });
}

async function serve(services: Services, call: Call): Promise<Outcome<PlainReply>> {
  const { documents } = services.store;
  const link = services.links.read(call.params[0] ?? '');
  if (link === null) return fail('not_found');
  const nowMs = services.nowMs();
  const document = await documents.findAny(link.documentId);
  if (document === null) return fail('not_found');
  if (document.gone) {
    await documents.expire(link.documentId, nowMs);
    return fail('gone');
  }
  if (link.expiresAtMs <= nowMs) {
    return fail('gone', 'This link has expired. Ask for the document again to get a fresh one.');
  }
  const span = spanOf(call, document);
  if (span === 'unsatisfiable') {
    call.exchange.extraHeaders = { 'Content-Range': `bytes */${document.bytes}` };
    return fail('range_not_satisfiable');
  }
  const ownHeaders = await pdfHeaders(services, document);
  const opened = await openDocument(services, document, span === null ? 'through' : 'parts');
  if (!opened.ok) return opened;
  const { from, to } = span ?? { from: 0, to: document.bytes };
  // A reader that asks for a document in ranges leaves one record.
  if (from === 0) {
    const principal = { id: 'link', teamId: document.teamId };
    await recordDownload(services, { ...call, principal }, document, opened.value);
  }
  const headers = { ...ownHeaders, 'Accept-Ranges': 'bytes' };
  const body = { file: opened.value, from, to };
  if (span === null) return succeed({ status: 200, headers, body });
  const range = `bytes ${from}-${to - 1}/${document.bytes}`;
  return succeed({ status: 206, headers: { ...headers, 'Content-Range': range }, body });
}

/** A range is honoured only on GET, and only when If-Range names this file (RFC 9110 §13.1.5). */
function spanOf({ exchange }: Call, document: DocumentRecord): ByteSpan | 'unsatisfiable' | null {
  const { range, ifRange } = exchange.headers;
  if (range === '' || exchange.method !== 'GET') return null;
  if (ifRange !== '' && ifRange !== `"${document.sha256}"`) return null;
  return readRange(range, document.bytes);
}
