import type { FileKind } from '../files/files.ts';
import { fromHex, isUuid } from '../ids.ts';
import type { StorageUnavailable } from '../terms.ts';
import type { BackupFolder, LivingFile } from './folder.ts';
import type { Manifest, OldManifest } from './manifest.ts';
import { changed, linesOf } from './text-file.ts';

/*
 * The list of files: a line for each file that was living when the backup was made, in the order of
 * the rows, with the size and the SHA-256 of its bytes as they are stored, or why it is absent.
 *
 *   ["document","0199…",13824,"ab12…"]
 *   ["run","0199…","expired"]
 */

export const FILE_LIST = 'files.ndjson';

/** Why a backup lacks a file. */
export const ABSENCES = ['expired', 'missing', 'damaged'] as const;
export type Absence = (typeof ABSENCES)[number];

/** The entry of a file in the list of a backup. */
export interface ListedFile {
  readonly kind: FileKind;
  readonly id: string;
  readonly content: ListedContent | Absence;
}

export interface ListedContent {
  /** null: a backup of an earlier version does not say it. */
  readonly bytes: number | null;
  /** Lowercase hex; null: only the rows say it. */
  readonly sha256: string | null;
  /** Whether the backup certainly held the file when it was written. */
  readonly isCertain: boolean;
}

/** A line of the list. */
export function lineOf({ kind, id, content }: ListedFile): string {
  const cells = typeof content === 'string' ? [content] : [content.bytes, content.sha256];
  return `${JSON.stringify([kind, id, ...cells])}\n`;
}

/** Yields each file of the rows with what the backup says of it. */
export async function* withListed(
  folder: BackupFolder,
  manifest: Manifest,
  living: AsyncIterable<LivingFile>,
): AsyncGenerator<{ readonly file: LivingFile; readonly listed: ListedFile }> {
  if (manifest.format === 1) {
    const expired = new Set(manifest.expired);
    for await (const file of living) yield { file, listed: listedBefore(manifest, expired, file) };
    return;
  }
  const list = listedFiles(folder, manifest.fileList);
  try {
    for await (const file of living) {
      const { value: listed } = await list.next();
      if (listed === undefined || listed.id !== file.id || listed.kind !== file.kind) {
        throw changed(folder, FILE_LIST);
      }
      yield { file, listed };
    }
    if ((await list.next()).done !== true) throw changed(folder, FILE_LIST);
  } finally {
    await list.return(undefined);
  }
}

/** Yields the ids of files that expired while the backup was made. */
export async function* expiredIds(
  folder: BackupFolder,
  manifest: Manifest,
): AsyncGenerator<string> {
  if (manifest.format === 1) {
    yield* manifest.expired;
    return;
  }
  for await (const { id, content } of listedFiles(folder, manifest.fileList)) {
    if (content === 'expired') yield id;
  }
}

/** The entry of a file in a backup that an earlier version wrote. */
function listedBefore(
  { runFiles }: OldManifest,
  expired: ReadonlySet<string>,
  { kind, id }: LivingFile,
): ListedFile {
  if (expired.has(id)) return { kind, id, content: 'expired' };
  const sha256 = (Object.hasOwn(runFiles, id) ? runFiles[id] : null) ?? null;
  // It names the files of runs that it holds; those of documents may be missing unsaid.
  if (kind === 'run' && sha256 === null) return { kind, id, content: 'missing' };
  return { kind, id, content: { bytes: null, sha256, isCertain: kind === 'run' } };
}

async function* listedFiles(
  folder: BackupFolder,
  sha256: string,
): AsyncGenerator<ListedFile, undefined> {
  for await (const lines of linesOf(folder, FILE_LIST, sha256)) {
    for (const line of lines) yield listedIn(line) ?? fail(changed(folder, FILE_LIST));
  }
  return undefined;
}

function fail(error: StorageUnavailable): never {
  throw error;
}

/** null: this is no line of a list. */
function listedIn(line: string): ListedFile | null {
  const cells = parse(line);
  if (!Array.isArray(cells)) return null;
  const [kind, id, third, sha256] = cells as readonly unknown[];
  if ((kind !== 'document' && kind !== 'run') || !isUuid(id)) return null;
  const absence = ABSENCES.find((name) => name === third);
  if (absence !== undefined) return { kind, id, content: absence };
  if (typeof third !== 'number' || typeof sha256 !== 'string' || fromHex(sha256) === null)
    return null;
  return { kind, id, content: { bytes: third, sha256, isCertain: true } };
}

/** null: the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
