import { ERRORS, RETRIED_CODES } from '../errors.ts';
import { keysOf, list, object, text, type TypeOf, uuid } from './schema.ts';

/** The body of every refusal, and the headers that come with some. */

export const fieldError = object({ field: text, reason: text });

export const errorCode = {
  type: 'string',
  enum: keysOf(ERRORS),
  description:
    `The same request may be sent again later after ${RETRIED_CODES.join(', ')}: when ` +
    'Retry-After has passed, or after a back-off where the response has none. After every other ' +
    'code, the same request gets the same response.',
} as const;

export const errorBody = object(
  {
    error: { ...text, description: 'The fault, its place, and how to correct it.' },
    code: errorCode,
    requestId: uuid,
    fields: {
      ...list(fieldError),
      description: 'Every defective field of data, with code invalid_data.',
    },
  },
  ['error', 'code', 'requestId'],
);

export type ErrorBody = TypeOf<typeof errorBody>;

export const REQUEST_ID = '3f0e2c9a-7d41-4a6e-9b1d-5a0c8e7f6b2d';

/** Headers of POST /v1/generate with the caller's rate limit. */
export const RATE_HEADERS = {
  'RateLimit-Policy': {
    description: 'Calls allowed (q) in a window of w seconds.',
    schema: text,
    example: '"minute";q=120;w=60',
  },
  RateLimit: {
    description: 'Calls left (r), and seconds until the window ends (t).',
    schema: text,
    example: '"minute";r=87;t=34',
  },
};

export const RETRY_HEADER = {
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
};
