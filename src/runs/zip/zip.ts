import { crc32 } from 'node:zlib';
import type { ManifestRow, RunStore } from '../../store/runs/types.ts';
import type { Store } from '../../store/store.ts';
import { LeftOut } from './left-out.ts';
import { ZipNames } from './zip-names.ts';
import {
  type DocumentFinding,
  type DocumentReads,
  type Finding,
  type ReadDocument,
  readDocuments,
} from '../stored-documents.ts';

/*
 * Streams a ZIP archive (APPNOTE 6.3.9): first the files, uncompressed because a PDF is compressed
 * already, then the directory, for which the manifest is read a second time. So neither the files nor
 * the directory are ever in memory as a whole.
 */

/** Signatures of the records. */
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
/** Sizes of the records without their variable fields. */
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END64_BYTES = 56;
const LOCATOR64_BYTES = 20;
const EXTRA_BYTES = 12;
/** 4.5: the version of the format with ZIP64. */
const VERSION = 45;
/** Flag: names are in UTF-8. */
const FLAGS = 0x0800;
/** A field with this value is in a ZIP64 record instead. */
const UINT16_MAX = 0xffff;
const UINT32_MAX = 0xffffffff;

interface Entry {
  readonly name: Buffer;
  readonly bytes: number;
  readonly crc32: number;
}

type ZipStore = DocumentReads &
  Pick<Store, 'names'> & { readonly runs: Pick<RunStore, 'manifest' | 'openPack'> };

/** A run, and how many documents it has stored. */
interface ZipRun {
  readonly runId: string;
  readonly documents: number;
}

/** The last file of an archive without some documents: it lists them. */
export const MISSING_NAME = 'missing-documents.txt';

/**
 * Archives the documents of a run, named as their template declares or after their rows. A document
 * that is damaged, missing or expired is left out and listed in the last file of the archive; those
 * that are damaged or missing are reported to `onMissing`.
 */
export async function* writeZip(
  store: ZipStore,
  { runId, documents }: ZipRun,
  atMs: number,
  onMissing: (documentId: string, finding: Finding) => void,
): AsyncGenerator<Uint8Array> {
  const stamp = dosTime(atMs);
  let offset = 0;
  let count = 0;
  const leftOut = new LeftOut();
  const names = new ZipNames(store.names, documents);
  for await (const rows of store.runs.manifest(runId)) {
    await names.read(rows);
    const lost = new Map<string, DocumentFinding>();
    for await (const { row, file, finding } of readStored(store, rows)) {
      if (file === null) {
        const { documentId = '' } = row;
        lost.set(documentId, finding);
        if (finding !== 'expired') onMissing(documentId, finding);
        continue;
      }
      const entry = entryOf(row, file, names);
      const head = localHeader(entry, stamp);
      yield Buffer.concat([head, entry.name, file]);
      offset += head.length + entry.name.length + entry.bytes;
      count += 1;
    }
    leftOut.add(rows, lost);
  }
  const listOffset = offset;
  const again = () => store.runs.manifest(runId);
  const listEntry = leftOut.isEmpty ? null : yield* writeList(leftOut, again, stamp);
  if (listEntry !== null) offset += LOCAL_BYTES + listEntry.name.length + listEntry.bytes;
  const directoryOffset = offset;
  let entryOffset = 0;
  let listed = 0;
  // The same names again, because the rows come in the same order.
  names.restart();
  for await (const rows of store.runs.manifest(runId)) {
    await names.read(rows);
    const headers: Buffer[] = [];
    for (const entry of entriesOf(rows, leftOut, names)) {
      // Documents that were stored since the first pass are not in the archive.
      if (listed === count) break;
      headers.push(centralHeader(entry, stamp, entryOffset));
      entryOffset += LOCAL_BYTES + entry.name.length + entry.bytes;
      listed += 1;
    }
    const piece = Buffer.concat(headers);
    offset += piece.length;
    if (piece.length > 0) yield piece;
  }
  if (entryOffset !== listOffset) throw changedMeanwhile();
  if (listEntry !== null) {
    const header = centralHeader(listEntry, stamp, listOffset);
    yield header;
    offset += header.length;
    count += 1;
  }
  yield archiveEnd(count, directoryOffset, offset - directoryOffset);
}

function changedMeanwhile(): Error {
  return new Error('the run changed while its archive was written');
}

/** Yields the last file and returns its entry. It is made twice: its size and CRC come first. */
async function* writeList(
  leftOut: LeftOut,
  rows: () => AsyncIterable<readonly ManifestRow[]>,
  stamp: number,
): AsyncGenerator<Uint8Array, Entry> {
  let bytes = 0;
  let crc = 0;
  for await (const piece of leftOut.list(rows())) {
    bytes += piece.byteLength;
    crc = crc32(piece, crc);
  }
  const entry = { name: Buffer.from(MISSING_NAME), bytes, crc32: crc };
  yield Buffer.concat([localHeader(entry, stamp), entry.name]);
  let again = 0;
  for await (const piece of leftOut.list(rows())) {
    yield piece;
    again = crc32(piece, again);
  }
  if (again !== crc) throw changedMeanwhile();
  return entry;
}

function entriesOf(
  rows: readonly ManifestRow[],
  leftOut: LeftOut,
  names: ZipNames,
): readonly Entry[] {
  return rows
    .filter((row) => row.outcome === 'stored' && leftOut.findingOf(row) === null)
    .map((row) => ({ name: names.of(row), bytes: row.bytes ?? 0, crc32: row.crc32 ?? 0 }));
}

/** Throws if the CRC in the row differs: the file passed its digest, so the row was changed. */
function entryOf(row: ManifestRow, file: Uint8Array, names: ZipNames): Entry {
  const crc = crc32(file);
  if (crc !== row.crc32) throw new Error('a row of the run has another CRC than its document');
  return { name: names.of(row), bytes: file.byteLength, crc32: crc };
}

/** Reads the documents of rows of one chunk, which are in one pack. */
async function* readStored(
  store: DocumentReads,
  rows: readonly ManifestRow[],
): AsyncGenerator<ReadDocument> {
  const stored = rows.filter(({ outcome }) => outcome === 'stored');
  const packId = stored[0]?.packId ?? null;
  if (packId !== null) yield* readDocuments(store, packId, stored);
}

/** Date and time as MS-DOS packs them: the date in the upper, the time in the lower 16 bits. */
function dosTime(atMs: number): number {
  const at = new Date(atMs);
  const date =
    ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x10000 + time;
}

/** The fields that the local and the central header share, from the version on. */
function writeCommon(header: Buffer, at: number, entry: Entry, stamp: number): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(0, at + 4);
  header.writeUInt32LE(stamp, at + 6);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(entry.bytes, at + 14);
  header.writeUInt32LE(entry.bytes, at + 18);
  header.writeUInt16LE(entry.name.length, at + 22);
}

function localHeader(entry: Entry, stamp: number): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(LOCAL, 0);
  writeCommon(header, 4, entry, stamp);
  return header;
}

function centralHeader(entry: Entry, stamp: number, offset: number): Buffer {
  const needsZip64 = offset >= UINT32_MAX;
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, entry, stamp);
  header.writeUInt16LE(needsZip64 ? EXTRA_BYTES : 0, 30);
  header.writeUInt32LE(needsZip64 ? UINT32_MAX : offset, 42);
  if (!needsZip64) return Buffer.concat([header, entry.name]);
  const extra = Buffer.alloc(EXTRA_BYTES);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(offset), 4);
  return Buffer.concat([header, entry.name, extra]);
}

/** Writes both end records, so that readers without ZIP64 work up to the limits of plain ZIP. */
function archiveEnd(count: number, directoryOffset: number, directoryBytes: number): Buffer {
  const end64 = Buffer.alloc(END64_BYTES);
  end64.writeUInt32LE(END64, 0);
  // The size of the rest of the record.
  end64.writeBigUInt64LE(BigInt(END64_BYTES - 12), 4);
  end64.writeUInt16LE(VERSION, 12);
  end64.writeUInt16LE(VERSION, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directoryBytes), 40);
  end64.writeBigUInt64LE(BigInt(directoryOffset), 48);
  const locator = Buffer.alloc(LOCATOR64_BYTES);
  locator.writeUInt32LE(LOCATOR64, 0);
  locator.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(Math.min(count, UINT16_MAX), 8);
  end.writeUInt16LE(Math.min(count, UINT16_MAX), 10);
  end.writeUInt32LE(Math.min(directoryBytes, UINT32_MAX), 12);
  end.writeUInt32LE(Math.min(directoryOffset, UINT32_MAX), 16);
  return Buffer.concat([end64, locator, end]);
}
