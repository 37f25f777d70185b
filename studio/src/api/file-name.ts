/** The file name that a response proposes (RFC 6266); '' when it has none. */
export function proposedName(disposition: string | null): string {
  const [, encoded] = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition ?? '') ?? [];
  if (encoded !== undefined) return decoded(encoded);
  const [, plain = ''] = /;\s*filename="([^"]*)"/i.exec(disposition ?? '') ?? [];
  return plain;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A proxy may have cut the header.
    if (error instanceof URIError) return '';
    throw error;
  }
}
