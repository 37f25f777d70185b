import { request } from 'undici';
import { SigningError } from './signing-error.ts';

/** One request to a signer or an authority. */
export interface Question {
  readonly url: string;
  /** Absent: a GET. */
  readonly body?: Uint8Array | string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/** Sends one request, bounded in time and size; any failure is a `SigningError` without addresses. */
export async function ask(question: Question): Promise<Uint8Array> {
  const { url, body, contentType, headers = {}, timeoutMs, bytesMax } = question;
  try {
    const answer = await request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: contentType === undefined ? headers : { 'content-type': contentType, ...headers },
      body: body ?? null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > bytesMax) throw new SigningError('its response is too large');
      parts.push(part);
    }
    if (answer.statusCode !== 200) throw new SigningError(`it answered ${answer.statusCode}`);
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    throw new SigningError('it cannot be reached, or was too slow');
  }
}
