/**
 * Tells the kind of a file by its first bytes, and how to make a template of it. Null: it may be a
 * PDF.
 */
export function otherKindOf(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)).trimStart();
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
  if (start.startsWith('{')) return 'JSON: say which system it comes from with --from';
  return null;
}
