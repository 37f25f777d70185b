import { existsSync } from 'node:fs';
import { MIGRATIONS } from '../database/migrations.ts';
import { digest, fromHex } from '../ids.ts';
import type { SealKey } from '../seals/seal-key.ts';
import { StorageUnavailable } from '../terms.ts';
import { type BackupFolder, writeWhole } from './folder.ts';
import type { TableFile } from './rows.ts';

/*
 * The manifest names every other file of the backup with its SHA-256: the rows of each table, and the
 * list of files (file-list.ts), which names each file. It ends with its own SHA-256, and with a seal
 * when the audit has a key: an HMAC over the same text. So a change of any byte of a backup is found,
 * and only who has the key can make a manifest that fits a changed one.
 */

const MANIFEST = 'manifest.json';
const FORMAT = 2;
/** What earlier versions wrote: no list of files, no digest of the manifest, no seal. */
const OLD_FORMAT = 1;
/** Manifests of earlier versions name each file of runs, in 120 bytes. */
const MANIFEST_BYTES_MAX = 64 * 1024 * 1024;
const SEAL_NAME = 'intaglio backup 1';

/** What manifests of both formats say. */
interface Content {
  /** Migrations applied to the database that was backed up. */
  readonly schema: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly tables: Readonly<Record<string, TableFile>>;
  readonly files: number;
  readonly bytes: number;
}

/** A manifest without its seal, in the order in which it is written. */
export interface NewManifest extends Content {
  /** Lowercase hex SHA-256 of the list of files. */
  readonly fileList: string;
}

interface Seal {
  /** Lowercase hex. */
  readonly mac: string;
  /** Distinguishes keys without revealing them. */
  readonly keyId: string;
}

export type Manifest = OldManifest | (NewManifest & { readonly format: typeof FORMAT });

export interface OldManifest extends Content {
  readonly format: typeof OLD_FORMAT;
  /** Digests of the files of runs, by id; digests of documents are in their rows. */
  readonly runFiles: Readonly<Record<string, string>>;
  /** Documents and files of runs that expired during the backup, which lacks their files. */
  readonly expired: readonly string[];
}

/** `accepted`: an operator took a backup that no seal vouches for. */
export type Authenticity = 'sealed' | 'unsealed' | 'accepted';

/** How a backup is to be trusted. */
export interface Trust {
  /** null: the audit has no key. */
  readonly sealKey: SealKey | null;
  /** An operator confirmed that nobody has changed the backup. */
  readonly isUnsealedAccepted: boolean;
}

/** Writes the manifest, which marks the backup as complete. */
export async function writeManifest(
  folder: string,
  content: NewManifest,
  sealKey: SealKey | null,
): Promise<Manifest> {
  const manifest = { format: FORMAT, ...content } as const;
  const text = JSON.stringify(manifest);
  const seal = sealKey === null ? null : { mac: macOf(sealKey, text), keyId: sealKey.id };
  const whole = { ...manifest, sha256: digest(text).toString('hex'), seal };
  await writeWhole(`${folder}/${MANIFEST}`, `${JSON.stringify(whole, null, 2)}\n`);
  return manifest;
}

/**
 * Reads the manifest of a backup. Throws StorageUnavailable when it is absent, too new, was changed or
 * cut, or when nothing shows that it is the one that was written and no operator has accepted that.
 */
export async function readManifest(
  folder: BackupFolder,
  trust: Trust,
): Promise<{ readonly manifest: Manifest; readonly authenticity: Authenticity }> {
  const bytes = await folder.readOrNull(MANIFEST, MANIFEST_BYTES_MAX);
  if (bytes === null) {
    const why = existsSync(folder.path)
      ? `holds no complete backup: it has no ${MANIFEST}`
      : 'holds no backup: there is no such folder';
    throw new StorageUnavailable(`${folder.path} ${why}`);
  }
  const path = folder.pathOf(MANIFEST);
  const value = parse(bytes.toString('utf8'));
  if (!isRecord(value)) throw changed(path);
  const { format, schema } = value;
  if (!isCount(format) || !isCount(schema)) throw changed(path);
  if (format > FORMAT || schema > MIGRATIONS.length) {
    throw new StorageUnavailable(`the backup was made by a newer version: update this one first`);
  }
  const isOld = format === OLD_FORMAT;
  if (!(isOld ? isOldManifest(value) : isSealedManifest(value))) throw changed(path);
  if (isOldManifest(value)) {
    demandAccepted(trust, 'an earlier version made it, which wrote no digest of the manifest');
    return { manifest: value, authenticity: 'accepted' };
  }
  if (!isSealedManifest(value)) throw changed(path);
  const { sha256, seal, ...manifest } = value;
  const text = JSON.stringify(manifest);
  if (digest(text).toString('hex') !== sha256) throw changed(path);
  return { manifest, authenticity: authenticityOf(trust, text, seal) };
}

function authenticityOf(trust: Trust, text: string, seal: Seal | null): Authenticity {
  const { sealKey } = trust;
  if (seal === null) {
    if (sealKey === null) return 'unsealed';
    demandAccepted(trust, 'it was made without INTAGLIO_AUDIT_KEY, which is set here');
    return 'accepted';
  }
  if (sealKey === null) {
    demandAccepted(
      trust,
      `it is sealed with the key ${seal.keyId}: set INTAGLIO_AUDIT_KEY to that key, with which the seal` +
        ' is compared',
    );
    return 'accepted';
  }
  if (seal.keyId !== sealKey.id) {
    demandAccepted(
      trust,
      `it is sealed with the key ${seal.keyId}, and INTAGLIO_AUDIT_KEY is the key ${sealKey.id}: set` +
        ' that of the time of the backup',
    );
    return 'accepted';
  }
  if (macOf(sealKey, text) === seal.mac) return 'sealed';
  demandAccepted(
    trust,
    'its seal was not made with INTAGLIO_AUDIT_KEY: somebody changed the backup',
  );
  return 'accepted';
}

function demandAccepted({ isUnsealedAccepted }: Trust, why: string): void {
  if (isUnsealedAccepted) return;
  throw new StorageUnavailable(
    `nothing shows that the backup is as it was written: ${why}. Its rows would be believed, keys and` +
      ' users among them: only if you know that nobody could change it, confirm that by' +
      ' --accept-unsealed',
  );
}

function macOf(key: SealKey, text: string): string {
  return key.mac([SEAL_NAME, text]);
}

function changed(path: string): StorageUnavailable {
  return new StorageUnavailable(
    `the backup is damaged: ${path} was changed or cut; copy the backup again, or take another one`,
  );
}

/** undefined: the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const CONTENT = ['format', 'schema', 'createdAt', 'tables', 'files', 'bytes'] as const;

function isSealedManifest(
  value: Fields,
): value is Fields & Extract<Manifest, { format: typeof FORMAT }> & { sha256: string; seal: Seal } {
  return (
    hasFields(value, [...CONTENT, 'fileList', 'sha256', 'seal']) &&
    isContent(value) &&
    isDigest(value['fileList']) &&
    isDigest(value['sha256']) &&
    (value['seal'] === null || isSeal(value['seal']))
  );
}

function isOldManifest(value: Fields): value is Fields & OldManifest {
  const { format, runFiles, expired } = value;
  return (
    format === OLD_FORMAT &&
    hasFields(value, [...CONTENT, 'runFiles', 'expired']) &&
    isContent(value) &&
    isRecord(runFiles) &&
    Object.values(runFiles).every(isDigest) &&
    Array.isArray(expired) &&
    expired.every((id) => typeof id === 'string')
  );
}

function isContent({ createdAt, tables, files, bytes }: Fields): boolean {
  return (
    typeof createdAt === 'string' &&
    Number.isFinite(Date.parse(createdAt)) &&
    isRecord(tables) &&
    Object.values(tables).every(isTableFile) &&
    isCount(files) &&
    isCount(bytes)
  );
}

function isTableFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { rows, sha256, damaged = 0 } = value;
  const names = ['rows', 'sha256', ...('damaged' in value ? ['damaged'] : [])];
  return hasFields(value, names) && isCount(rows) && isDigest(sha256) && isCount(damaged);
}

function isSeal(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasFields(value, ['mac', 'keyId']) &&
    isDigest(value['mac']) &&
    typeof value['keyId'] === 'string' &&
    /^[0-9a-f]{8}$/.test(value['keyId'])
  );
}

function hasFields(value: Fields, names: readonly string[]): boolean {
  return (
    Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))
  );
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && fromHex(value) !== null;
}
