import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { LIMITS } from '../../limits.ts';
import { CommandFailed } from '../console/failure.ts';

/** A file name without a folder, for a file beside the template. */
const FILE_NAME = /^[^/\\]+\.pdf$/i;

/**
 * Replaces names of PDFs beside a template file by data URLs of their content. Line numbers do not
 * change, so that findings name the lines of the author's file.
 */
export function withPdfFiles(
  bytes: Uint8Array<ArrayBuffer>,
  folder: string,
): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('"pdfs"')) return bytes;
  let replaced = text;
  for (const [name, file] of Object.entries(namedFiles(text))) {
    const path = join(folder, file);
    if (!FILE_NAME.test(file) || !existsSync(path)) continue;
    const pdf = readFileSync(path);
    if (pdf.length > LIMITS.pdfBytesMax) {
      throw new CommandFailed(`${path} has ${pdf.length} bytes; at most ${LIMITS.pdfBytesMax}`);
    }
    const entry = new RegExp(
      `(${escaped(JSON.stringify(name))}\\s*:\\s*)${escaped(JSON.stringify(file))}`,
    );
    const url = `data:application/pdf;base64,${pdf.toString('base64')}`;
    replaced = replaced.replace(entry, (_, key: string) => `${key}"${url}"`);
  }
  return new Uint8Array(new TextEncoder().encode(replaced));
}

/** Entries of `document.pdfs` that are not data URLs; none when the file is not a template. */
function namedFiles(text: string): Record<string, string> {
  let pdfs: unknown;
  try {
    pdfs = (JSON.parse(text) as { document?: { pdfs?: unknown } } | null)?.document?.pdfs;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  if (typeof pdfs !== 'object' || pdfs === null) return {};
  const files = Object.entries(pdfs).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && !entry[1].startsWith('data:'),
  );
  return Object.fromEntries(files);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
