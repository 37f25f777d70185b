import type { CustomFetch } from 'openid-client';

/** Thrown when a response is larger than the bound; nothing of it is kept. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/**
 * `fetch` that reads at most `bytesMax` bytes of the body, decompressed. The body is read before the
 * promise settles, within the signal of the request.
 */
export function boundedFetch(bytesMax: number): CustomFetch {
  return async (url, { body, ...options }) => {
    const response = await fetch(url, { ...options, body: body ?? null });
    if (response.body === null) return response;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    // Ending the loop cancels the body, which closes the connection.
    for await (const piece of response.body) {
      bytes += piece.byteLength;
      if (bytes > bytesMax) throw new ResponseTooLarge(`more than ${bytesMax} bytes`);
      pieces.push(piece);
    }
    const { status, statusText, headers } = response;
    return new Response(Buffer.concat(pieces), { status, statusText, headers });
  };
}
