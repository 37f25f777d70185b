import { readFileSync } from 'node:fs';
import { type Invoice, ROBOTO, sheetOf } from '../document.ts';

/** Draws an invoice; the caller owns the bytes. */
export type Render = (data: Invoice) => Promise<Uint8Array>;

// Packages of the libraries are installed on demand, so they cannot be imported statically.
const PACKAGES = ['jspdf', '@cantoo/pdf-lib', '@cantoo/fontkit', 'pdfkit'] as const;

interface JsPdf {
  addFileToVFS(name: string, base64: string): void;
  addFont(file: string, name: string, style: string): void;
  setFont(name: string, style: string): void;
  setFontSize(size: number): void;
  setLineWidth(width: number): void;
  text(text: string, x: number, y: number, options: { align: 'left' | 'right' }): void;
  line(x1: number, y1: number, x2: number, y2: number): void;
  output(type: 'arraybuffer'): ArrayBuffer;
}

/** Without compression, which would cost it more time. */
export async function jspdf(): Promise<Render> {
  const module = (await import(PACKAGES[0])) as {
    jsPDF: new (options: { unit: 'pt'; format: 'a4' }) => JsPdf;
  };
  const files = [ROBOTO.regular, ROBOTO.bold].map((path) => readFileSync(path, 'base64'));
  return async (data) => {
    const pdf = new module.jsPDF({ unit: 'pt', format: 'a4' });
    for (const [index, style] of ['normal', 'bold'].entries()) {
      pdf.addFileToVFS(`${style}.ttf`, files[index] ?? '');
      pdf.addFont(`${style}.ttf`, 'Roboto', style);
    }
    const { texts, rules } = sheetOf(data);
    for (const { text, x, y, size, bold, right } of texts) {
      pdf.setFont('Roboto', bold ? 'bold' : 'normal');
      pdf.setFontSize(size);
      pdf.text(text, x, y, { align: right ? 'right' : 'left' });
    }
    pdf.setLineWidth(0.5);
    for (const y of rules) pdf.line(50, y, 545.28, y);
    return new Uint8Array(pdf.output('arraybuffer'));
  };
}

interface LibFont {
  widthOfTextAtSize(text: string, size: number): number;
}

interface LibDocument {
  registerFontkit(fontkit: unknown): void;
  embedFont(bytes: Uint8Array, options: { subset: boolean }): Promise<LibFont>;
  addPage(size: [number, number]): {
    drawText(text: string, options: { x: number; y: number; size: number; font: LibFont }): void;
    drawLine(options: {
      start: { x: number; y: number };
      end: { x: number; y: number };
      thickness: number;
    }): void;
  };
  save(): Promise<Uint8Array>;
}

export async function pdfLib(): Promise<Render> {
  const module = (await import(PACKAGES[1])) as { PDFDocument: { create(): Promise<LibDocument> } };
  const { default: fontkit } = (await import(PACKAGES[2])) as { default: unknown };
  const files = [readFileSync(ROBOTO.regular), readFileSync(ROBOTO.bold)] as const;
  return async (data) => {
    const pdf = await module.PDFDocument.create();
    pdf.registerFontkit(fontkit);
    const regular = await pdf.embedFont(files[0], { subset: true });
    const boldFont = await pdf.embedFont(files[1], { subset: true });
    const page = pdf.addPage([595.28, 841.89]);
    const { texts, rules } = sheetOf(data);
    for (const { text, x, y, size, bold, right } of texts) {
      const font = bold ? boldFont : regular;
      const width = right ? font.widthOfTextAtSize(text, size) : 0;
      page.drawText(text, { x: x - width, y: 841.89 - y, size, font });
    }
    for (const y of rules) {
      const at = 841.89 - y;
      page.drawLine({ start: { x: 50, y: at }, end: { x: 545.28, y: at }, thickness: 0.5 });
    }
    return pdf.save();
  };
}

interface Kit {
  registerFont(name: string, file: Uint8Array): Kit;
  font(name: string): Kit;
  fontSize(size: number): Kit;
  widthOfString(text: string): number;
  text(
    text: string,
    x: number,
    y: number,
    options: { lineBreak: false; baseline: 'alphabetic' },
  ): Kit;
  lineWidth(width: number): Kit;
  moveTo(x: number, y: number): Kit;
  lineTo(x: number, y: number): Kit;
  stroke(): Kit;
  on(event: 'data', listener: (chunk: Buffer) => void): Kit;
  on(event: 'end', listener: () => void): Kit;
  end(): void;
}

export async function pdfkit(): Promise<Render> {
  const { default: Document } = (await import(PACKAGES[3])) as {
    default: new (options: object) => Kit;
  };
  const files = [readFileSync(ROBOTO.regular), readFileSync(ROBOTO.bold)] as const;
  return (data) => {
    const pdf = new Document({ size: 'A4', margin: 0, font: null });
    pdf.registerFont('regular', files[0]).registerFont('bold', files[1]);
    const chunks: Buffer[] = [];
    const made = new Promise<Uint8Array>((settle) => {
      pdf.on('data', (chunk) => chunks.push(chunk)).on('end', () => settle(Buffer.concat(chunks)));
    });
    const { texts, rules } = sheetOf(data);
    for (const { text, x, y, size, bold, right } of texts) {
      pdf.font(bold ? 'bold' : 'regular').fontSize(size);
      const width = right ? pdf.widthOfString(text) : 0;
      pdf.text(text, x - width, y, { lineBreak: false, baseline: 'alphabetic' });
    }
    pdf.lineWidth(0.5);
    for (const y of rules) pdf.moveTo(50, y).lineTo(545.28, y).stroke();
    pdf.end();
    return made;
  };
}
