import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute, normalize, sep } from 'node:path';
import { S3Client } from './s3-client.ts';
import { isNoSuchKey, type Window, windowOf } from './s3-answers.ts';
import { S3File, WINDOW_BYTES } from './s3.ts';
import {
  SourceChanged,
  type SourceRefusal,
  StorageUnavailable,
  type StoredFile,
} from '../terms.ts';

/** A folder or bucket prefix that one team may read from, or every team when `teamId` is null. */
type AllowedPlace =
  | { readonly kind: 'folder'; readonly teamId: string | null; readonly path: string }
  | { readonly kind: 's3'; readonly teamId: string | null; readonly client: S3Client };

const PATH_LENGTH_MAX = 1_024;
/** An entry of the setting, as the constructor of SourceFiles describes it. */
const ENTRY = /^(?:(?<teamId>[^/=\s]{1,128})=)?(?<place>\/[^\p{Cc}]+|s3:\/\/\S+)$/u;
/** Opening must not block on a FIFO, nor follow a link that replaced the file since the check. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens files that callers name, if they lie in a place that the operator allows. */
export class SourceFiles {
  readonly #places: readonly AllowedPlace[];

  /** `entries`: `[teamId=]/folder` or `[teamId=]s3://accessKey:secret@host[:port]/bucket[/prefix]`. */
  constructor(entries: readonly string[], timeoutMs: number) {
    this.#places = entries.map((entry) => placeOf(entry, timeoutMs));
  }

  /**
   * Opens `/folder/…/file` or `s3://bucket/…/key` for a team. Throws StorageUnavailable when the
   * disk or the object store does not answer; reading throws `SourceChanged` when the file has
   * changed meanwhile.
   */
  async open(teamId: string, path: string): Promise<StoredFile | SourceRefusal> {
    const places = this.#places.filter((place) => place.teamId === null || place.teamId === teamId);
    if (places.length === 0) return 'off';
    if (!isPlain(path)) return 'outside';
    for (const place of places) {
      if (place.kind === 'folder') {
        if (path.startsWith(`${place.path}/`)) return openBelow(place.path, path);
      } else {
        const bucket = `s3://${place.client.bucket}/`;
        if (path.startsWith(bucket + place.client.prefix)) {
          return openObject(place.client, path.slice(bucket.length));
        }
      }
    }
    return 'outside';
  }

  async close(): Promise<void> {
    for (const place of this.#places) if (place.kind === 's3') await place.client.close();
  }
}

function placeOf(entry: string, timeoutMs: number): AllowedPlace {
  const { teamId = null, place } = ENTRY.exec(entry)?.groups ?? {};
  if (place === undefined) throw new StorageUnavailable('a source of runs is not an address');
  return place.startsWith('s3:')
    ? { kind: 's3', teamId, client: new S3Client(place, timeoutMs) }
    : { kind: 'folder', teamId, path: normalize(place).replace(/\/+$/, '') };
}

/** Whether the path has no `..`, empty segment or control character, so that its prefix is true. */
function isPlain(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX || /\p{Cc}/u.test(path)) return false;
  const inside = path.startsWith('s3://') ? path.slice('s3:/'.length) : path;
  return isAbsolute(inside) && normalize(inside) === inside && !inside.endsWith('/');
}

/** Opens a file that must lie below the folder, even when parts of its path are links. */
async function openBelow(folder: string, path: string): Promise<StoredFile | SourceRefusal> {
  let handle: FileHandle | null = null;
  try {
    const [root, real] = await Promise.all([realpath(folder), realpath(path)]);
    if (!real.startsWith(root + sep)) return 'outside';
    if (!(await stat(real)).isFile()) return 'no_file';
    handle = await open(real, OPEN_FLAGS);
    // A folder of the path may have become a link since the check: ask the kernel what was opened.
    const openedPath = await realpath(`/proc/self/fd/${handle.fd}`);
    if (!openedPath.startsWith(root + sep)) return 'outside';
    const { size, mtimeMs } = await handle.stat();
    const file = new FolderFile(handle, size, mtimeMs);
    handle = null; // The file closes it.
    return file;
  } catch (error) {
    return refusalOf(error);
  } finally {
    await handle?.close();
  }
}

function refusalOf(error: unknown): SourceRefusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return 'absent';
  if (['EACCES', 'EPERM'].includes(code)) return 'unreadable';
  if (code === 'ELOOP') return 'outside';
  if (code === '') throw error;
  throw new StorageUnavailable(`a source of a run cannot be read: ${code}`, { cause: error });
}

class FolderFile implements StoredFile {
  readonly bytes: number;
  readonly #handle: FileHandle;
  readonly #mtimeMs: number;

  constructor(handle: FileHandle, bytes: number, mtimeMs: number) {
    this.#handle = handle;
    this.bytes = bytes;
    this.#mtimeMs = mtimeMs;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    const buffer = Buffer.allocUnsafe(wanted);
    for (let at = 0; at < wanted;) {
      const { bytesRead } = await this.#read(buffer, at, position + at);
      if (bytesRead === 0) throw new SourceChanged();
      at += bytesRead;
    }
    if (position + wanted >= this.bytes) await this.#checkUnchanged();
    return buffer;
  }

  async #read(buffer: Buffer, at: number, position: number): Promise<{ bytesRead: number }> {
    try {
      return await this.#handle.read(buffer, at, buffer.length - at, position);
    } catch (error) {
      throw new StorageUnavailable('a source of a run cannot be read', { cause: error });
    }
  }

  async #checkUnchanged(): Promise<void> {
    const { size, mtimeMs } = await this.#handle.stat();
    if (size !== this.bytes || mtimeMs !== this.#mtimeMs) throw new SourceChanged();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Opens an object. Later reads demand the ETag of the first, so that a change is noticed. */
async function openObject(client: S3Client, key: string): Promise<StoredFile | SourceRefusal> {
  let etag: string | null = null;
  const fetchWindow = async (
    position: number,
    length: number,
  ): Promise<Window | 'absent' | 'unreadable'> => {
    const range = `bytes=${position}-${position + length - 1}`;
    const headers = etag === null ? { range } : { range, 'if-match': etag };
    const answer = await client.request({ method: 'GET', key, headers, bytesMax: length });
    if (isNoSuchKey(answer)) return 'absent';
    switch (answer.status) {
      case 206:
        break;
      case 403:
        return 'unreadable';
      case 412:
        throw new SourceChanged();
      case 416:
        // The object is empty, so it has no range.
        return { position: 0, bytes: new Uint8Array(), total: 0 };
      default:
        throw new StorageUnavailable(`the object store answered ${answer.status}, asked for rows`);
    }
    const tag = answer.headers['etag'];
    if (typeof tag === 'string') etag ??= tag;
    return windowOf(answer, position);
  };
  const first = await fetchWindow(0, WINDOW_BYTES);
  if (typeof first === 'string') return first;
  return new S3File(first, async (position, length) => {
    const window = await fetchWindow(position, length);
    if (typeof window === 'string') throw new SourceChanged();
    return window;
  });
}
