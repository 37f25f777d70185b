import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** The text of a file as three programs copy it, which find words by different rules. */
export interface CopiedTexts {
  readonly poppler: string;
  readonly mupdf: string;
  readonly pdfjs: string;
}

/** Writes the document to `file` and copies its text with each program. */
export async function copyText(pdf: Uint8Array, file: string): Promise<CopiedTexts> {
  writeFileSync(file, pdf);
  const poppler = execFileSync('pdftotext', [file, '-'], { maxBuffer: 1 << 28 }).toString();
  const draw = ['draw', '-q', '-F', 'txt', file];
  const mupdf = execFileSync('mutool', draw, { maxBuffer: 1 << 28, stdio: 'pipe' }).toString();
  return { poppler, mupdf, pdfjs: await pdfjsText(pdf) };
}

async function pdfjsText(pdf: Uint8Array): Promise<string> {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  try {
    const document = await task.promise;
    let text = '';
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      for (const item of items) {
        if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
      }
      text += '\n';
    }
    return text;
  } finally {
    await task.destroy();
  }
}
