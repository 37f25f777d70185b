import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MISSING_NAME } from '../../runs/zip/zip.ts';
import { FileError, type WrittenFile } from '#client';
import { unwritable } from '../console/failure.ts';
import { ensureFolder } from '../console/files/folder.ts';
import { keep } from '../console/files/output-file.ts';
import { endWith, writeErr } from '../console/terminal.ts';
import { type CallerOptions, withClient } from './calling.ts';
import { findOtherFormat, type JsonOption, showRun } from './show.ts';

/** Holds the last entry of an archive's directory and the records after it. */
const ARCHIVE_TAIL_BYTES = 256;

interface ReportOptions extends CallerOptions, JsonOption {
  readonly out: string;
  readonly zip?: boolean;
}

/** Fetches the outcome of every row, the faulty rows and, if asked for, the documents. */
export async function report(runId: string, options: ReportOptions): Promise<void> {
  const { out, zip } = options;
  await withClient(options, async ({ runs }) => {
    const run = await runs.get(runId);
    makeFolder(out);
    await fetchInto(join(out, 'manifest.ndjson'), (part) => runs.manifestToFile(runId, part));
    await fetchInto(join(out, 'invalid.csv'), (part) => runs.exceptionsToFile(runId, part));
    if (zip === true) {
      const archive = join(out, 'documents.zip');
      await fetchInto(archive, (part) => runs.zipToFile(runId, part));
      if (listsMissing(archive)) {
        writeErr(`intaglio: documents are missing: see ${MISSING_NAME} in ${archive}\n`);
        endWith(1);
      }
    }
    const otherFormat = options.json === true ? null : await findOtherFormat(runs, run);
    showRun(run, options, otherFormat);
  });
}

/** Makes the folder for downloads; throws `CommandFailed` when it cannot be made. */
export function makeFolder(folder: string): void {
  try {
    ensureFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Downloads a file, which has its name only once it is whole. A file of that name with other content is
 * renamed before, because somebody may have corrected rows in it.
 */
async function fetchInto(
  file: string,
  fetch: (part: string) => Promise<WrittenFile>,
): Promise<void> {
  const part = `${file}.part`;
  try {
    await fetch(part);
    if (existsSync(file) && (await digestOf(file)) !== (await digestOf(part))) keep(file);
    renameSync(part, file);
  } catch (error) {
    if (error instanceof FileError) throw unwritable(file, error.cause);
    if (error instanceof Error && 'syscall' in error && 'path' in error)
      throw unwritable(file, error);
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Whether the last entry of the archive's directory, just before its end, is the list. */
function listsMissing(archive: string): boolean {
  const { size } = statSync(archive);
  const tail = Buffer.alloc(Math.min(ARCHIVE_TAIL_BYTES, size));
  const file = openSync(archive, 'r');
  try {
    readSync(file, tail, 0, tail.length, size - tail.length);
  } finally {
    closeSync(file);
  }
  return tail.includes(MISSING_NAME);
}
