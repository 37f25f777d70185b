import type { ErrorBody, ErrorCode, FieldError } from './types.ts';

/** Longest text of a stranger in a message, in UTF-16 units. */
const WORDS_LENGTH_MAX = 2_000;
/** Control characters, line ends and marks that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * The body of a refusal; null: it is not the service's own. A proxy may echo the request, so the API key
 * becomes an ellipsis, and texts are bounded and have no control characters.
 */
export function readRefusal(text: string, apiKey: string | null): ErrorBody | null {
  const value = objectOf(text);
  const { code, error, requestId, fields } = value;
  // The one shape of all codes of the service.
  if (typeof code !== 'string' || !/^[a-z]\w{0,63}$/.test(code)) return null;
  if (typeof error !== 'string' || printable(code, apiKey) !== code) return null;
  return {
    error: printable(error, apiKey),
    // The service may be newer than this client, and have more codes.
    code: code as ErrorCode,
    requestId: printable(requestId, apiKey),
    fields: Array.isArray(fields) ? fields.flatMap((one) => fieldOf(one, apiKey)) : [],
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    // Members of null and of other values than objects are undefined.
    return (JSON.parse(text) ?? {}) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function fieldOf(value: unknown, apiKey: string | null): FieldError[] {
  const { field, reason } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof field !== 'string' || typeof reason !== 'string') return [];
  return [{ field: printable(field, apiKey), reason: printable(reason, apiKey) }];
}

/** A text as a message may hold it; what is no text becomes an empty one. */
function printable(value: unknown, apiKey: string | null): string {
  if (typeof value !== 'string') return '';
  const known = apiKey === null ? value : value.replaceAll(anyCase(apiKey), '…');
  const text = known.replaceAll(UNPRINTABLE, ' ');
  return text.length > WORDS_LENGTH_MAX ? `${text.slice(0, WORDS_LENGTH_MAX)}…` : text;
}

/** Finds a text in whatever case. */
function anyCase(text: string): RegExp {
  return new RegExp(text.replaceAll(/[^A-Za-z0-9]/g, '\\$&'), 'gi');
}
