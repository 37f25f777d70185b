/** Resolves with the promise, and rejects if `limit` is aborted before. */
export function unlessAborted(promise: Promise<void>, limit: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason as Error));
    promise.then(resolve, reject);
  });
}
