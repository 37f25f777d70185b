import { PDFDocument } from '@cantoo/pdf-lib';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram } from '../../lab/process/programs.ts';

/** Facts about a measured PDF: pages, validity, how many strings of its data are read back. */
export interface PdfCheck {
  readonly pages: number;
  /** Whether `qpdf --check` reports nothing; null when qpdf is not installed. */
  readonly valid: boolean | null;
  /** null when pdftotext is not installed. */
  readonly stringsFound: number | null;
  readonly strings: number;
  /** The first few that were not found. */
  readonly missing: readonly string[];
}

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const MISSING_SHOWN_MAX = 5;

/** Drops white space, because lines may break anywhere between words. */
function squeeze(text: string): string {
  return text.replace(/[\s\u200b\u00ad\f]+/g, '');
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, [...args], { maxBuffer: OUTPUT_BYTES_MAX });
  return stdout;
}

async function isValid(path: string): Promise<boolean | null> {
  if (findProgram('qpdf') === null) return null;
  try {
    await run('qpdf', ['--check', path]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Strings that pdftotext does not give back; null where it is not installed. */
async function missingStrings(
  path: string,
  strings: readonly string[],
): Promise<readonly string[] | null> {
  if (findProgram('pdftotext') === null) return null;
  const [flowed, raw] = await Promise.all([
    output('pdftotext', ['-enc', 'UTF-8', path, '-']),
    output('pdftotext', ['-raw', '-enc', 'UTF-8', path, '-']),
  ]);
  const texts = [squeeze(flowed), squeeze(raw)];
  return strings.filter((text) => !texts.some((read) => read.includes(squeeze(text))));
}

async function countPages(path: string): Promise<number> {
  const pdf = await PDFDocument.load(readFileSync(path), { updateMetadata: false });
  return pdf.getPageCount();
}

/** Reads a PDF, by poppler's and qpdf's tools as far as they are installed. */
export async function checkPdf(path: string, strings: readonly string[]): Promise<PdfCheck> {
  const [pages, missing, valid] = await Promise.all([
    countPages(path),
    missingStrings(path, strings),
    isValid(path),
  ]);
  return {
    pages,
    valid,
    stringsFound: missing === null ? null : strings.length - missing.length,
    strings: strings.length,
    missing: missing?.slice(0, MISSING_SHOWN_MAX) ?? [],
  };
}
