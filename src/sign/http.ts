import { SigningError } from './signing-error.ts';

/** One request to a signer or an authority. */
export interface AuthorityRequest {
  readonly url: string;
  /** Absent: a GET. */
  readonly body?: Uint8Array | string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Limit of the response's size. */
  readonly bytesMax: number;
}

/** Sends a request and returns the body of the response. Throws `SigningError` without addresses. */
export async function ask({
  url,
  body,
  contentType,
  headers = {},
  timeoutMs,
  bytesMax,
}: AuthorityRequest): Promise<Uint8Array> {
  try {
    const { request } = await import('undici');
    const response = await request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: contentType === undefined ? headers : { 'content-type': contentType, ...headers },
      body: body ?? null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new SigningError('its response is too large');
      chunks.push(chunk);
    }
    if (response.statusCode !== 200) throw new SigningError(`it answered ${response.statusCode}`);
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    throw new SigningError('it cannot be reached, or was too slow');
  }
}
