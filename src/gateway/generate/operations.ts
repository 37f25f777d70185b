import { GENERATE_EXAMPLE, generateBody, PREVIEW_EXAMPLE } from '../../api/document-requests.ts';
import { ACKNOWLEDGEMENT_EXAMPLE, acknowledgement, DOCUMENT_HEADERS } from '../../api/documents.ts';
import { LIMITS } from '../../limits.ts';
import { json, type Operation, parameter, PDF } from '../openapi/operation.ts';

/** POST /v1/generate in /openapi.json. */
export const GENERATE = {
  operationId: 'generateDocument',
  summary: 'Generate a document',
  parameters: [
    parameter(
      'header',
      'Idempotency-Key',
      { type: 'string', minLength: 1, maxLength: 255 },
      'R-2026-0042',
      'Mode async: a repeated call makes no second one. 1 to 255 printable ASCII characters.',
    ),
  ],
  body: json(generateBody, GENERATE_EXAMPLE),
  replies: {
    200: {
      description: 'Mode sync: the PDF. Nothing is stored.',
      headers: DOCUMENT_HEADERS,
      content: PDF,
    },
    201: {
      description: 'Mode async: stored.',
      headers: DOCUMENT_HEADERS,
      content: json(acknowledgement, ACKNOWLEDGEMENT_EXAMPLE),
    },
  },
  errors: [
    'bad_request',
    'invalid_data',
    'draft_requires_user',
    'not_found',
    'template_archived',
    'idempotency_conflict',
    'gone',
    'payload_too_large',
    'render_failed',
    'rate_limited',
    'not_implemented',
    'protection_unavailable',
    'signing_unavailable',
    'overloaded',
  ],
} satisfies Operation;

/** POST /v1/previews in /openapi.json. */
export const PREVIEW = {
  operationId: 'previewDraft',
  summary: 'Render a draft with the given data',
  note:
    'The body is that of generateDocument with draft true. Previews have a separate limit: ' +
    `${LIMITS.previewsPerMinuteMax} a minute for each user, one at a time.`,
  body: json(generateBody, PREVIEW_EXAMPLE),
  replies: {
    200: {
      description: 'The PDF. Nothing is stored.',
      headers: DOCUMENT_HEADERS,
      content: PDF,
    },
  },
  errors: [
    'bad_request',
    'invalid_data',
    'not_found',
    'payload_too_large',
    'render_failed',
    'rate_limited',
    'overloaded',
  ],
} satisfies Operation;
