import type { Outcome } from '../../errors.ts';
import { fail } from '../../errors.ts';
import { parseJson } from './parsed-body.ts';
import { isJson } from '../http/content.ts';
import type { RequestHeaders } from '../http/headers.ts';
import type { Validator } from './validator.ts';

/** A call with its body. */
interface CallWithBody {
  readonly exchange: { readonly headers: RequestHeaders };
  readonly body: Uint8Array;
}

/** Parses and checks the JSON body of a call; fails with `bad_request` and what is wrong. */
export function readJsonBody<T>(call: CallWithBody, validate: Validator<T>): Outcome<T> {
  if (!isJson(call.exchange.headers.contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  const parsed = parseJson(call.body);
  return parsed.ok ? validate(parsed.value) : parsed;
}
