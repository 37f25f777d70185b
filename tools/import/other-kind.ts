/** PNG, JPEG, GIF, WebP and TIFF begin with these bytes. */
const PICTURE_STARTS = [
  '\u0089PNG',
  '\u00FF\u00D8\u00FF',
  'GIF8',
  'RIFF',
  'II*\u0000',
  'MM\u0000*',
] as const;
/** Control characters that stand in no text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000E-\u001A\u001C-\u001F\u007F]/;
const TAKEN =
  'templates import takes a fillable PDF, and JSON of the systems that --from lists (docs/import.md)';

/**
 * Tells the kind of a file by its first bytes, and how to make a template of it. Null: it may be a
 * PDF.
 */
export function otherKindOf(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1').trimStart();
  if (start.includes('%PDF-')) return null;
  if (start.startsWith('PK\u0003\u0004') || start.startsWith('\u00D0\u00CF\u0011\u00E0')) {
    return (
      'a file of an office program, such as .docx or .xlsx: there, export it as a PDF, with form ' +
      'fields where the data goes, and import that (docs/import.md)'
    );
  }
  if (start.startsWith('<') || start.startsWith('ï»¿<')) {
    return 'HTML or XML: in a browser, print it into a PDF and import that (docs/import.md)';
  }
  if (PICTURE_STARTS.some((one) => start.startsWith(one))) {
    return (
      'a picture: a template takes PNG, JPEG, GIF and WebP as data URLs in document.images; for a ' +
      'draft around its page, print it into a PDF and import that (docs/import.md)'
    );
  }
  if (start.startsWith('{')) return 'JSON: say which system it comes from with --from';
  if (isText(bytes.subarray(0, 1_024))) return `text: ${TAKEN}`;
  return null;
}

/** Whether bytes that may end within a character are text with something in it. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return text.trim() !== '' && !CONTROL.test(text);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
