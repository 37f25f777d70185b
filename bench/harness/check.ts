import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Facts about a measured PDF: pages, validity, how many strings of its data are read back. */
export interface PdfCheck {
  readonly pages: number;
  /** Whether `qpdf --check` reports nothing; null when qpdf is not installed. */
  readonly valid: boolean | null;
  readonly stringsFound: number;
  readonly strings: number;
  /** The first few that were not found. */
  readonly missing: readonly string[];
}

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const MISSING_SHOWN_MAX = 5;

/** Programs that read what the engine and its peers have drawn. */
const READERS = ['pdfinfo', 'pdftotext'] as const;
const READ_BENCHES: ReadonlySet<string> = new Set(['all', 'engine']);

/** The program without which this bench would fail after it has measured; null: all are there. */
export function missingTool(bench: string): string | null {
  if (!READ_BENCHES.has(bench)) return null;
  // Each prints its version and ends; only one that cannot be started counts.
  const missing = READERS.find((name) => spawnSync(name, ['-v']).error !== undefined);
  if (missing === undefined) return null;
  return `bench ${bench} needs ${missing}: apt-get install poppler-utils`;
}

/** Drops white space, because lines may break anywhere between words. */
function squeeze(text: string): string {
  return text.replace(/[\s\u200b\u00ad\f]+/g, '');
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, [...args], { maxBuffer: OUTPUT_BYTES_MAX });
  return stdout;
}

async function isValid(path: string): Promise<boolean | null> {
  try {
    await run('qpdf', ['--check', path]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    return false;
  }
}

/** Reads a PDF with poppler's and qpdf's tools. Throws where poppler-utils is not installed. */
export async function checkPdf(path: string, strings: readonly string[]): Promise<PdfCheck> {
  const [info, flowed, raw, valid] = await Promise.all([
    output('pdfinfo', [path]),
    output('pdftotext', ['-enc', 'UTF-8', path, '-']),
    output('pdftotext', ['-raw', '-enc', 'UTF-8', path, '-']),
    isValid(path),
  ]);
  const texts = [squeeze(flowed), squeeze(raw)];
  const missing = strings.filter((text) => !texts.some((read) => read.includes(squeeze(text))));
  return {
    pages: Number(/^Pages:\s+(\d+)/m.exec(info)?.[1] ?? 0),
    valid,
    stringsFound: strings.length - missing.length,
    strings: strings.length,
    missing: missing.slice(0, MISSING_SHOWN_MAX),
  };
}
