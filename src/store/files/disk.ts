import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import fsp from 'node:fs/promises';
import { dirname, join, resolve as absolute } from 'node:path';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import { DirectorySync } from './directory-sync.ts';
import { DirectWriter } from './direct-writer.ts';
import {
  type FileEntry,
  type FileKind,
  type FileStore,
  readFileName,
  storedName,
} from './files.ts';
import { isUuid } from '../ids.ts';
import { Outage } from '../outage.ts';
import { reasonOf } from '../reason.ts';
import { FileMissing } from './faults.ts';
import { StillWriting, type StoredFile, StorageUnavailable } from '../terms.ts';
import { writeAll } from './write-all.ts';
import { errorCode } from '../../runtime/error-code.ts';

/** The file system calls of the store; tests replace them to make the Nth call fail. */
export type FileSystem = Pick<
  typeof fsp,
  'open' | 'mkdir' | 'rename' | 'unlink' | 'rmdir' | 'readdir' | 'stat'
>;
export type FileHandle = Awaited<ReturnType<FileSystem['open']>>;

export interface DiskSettings {
  readonly root: string;
  /** Timeout of a call; what a timed-out call still writes is removed when it ends. */
  readonly timeoutMs: number;
  /** Limit of the puts under way; more are refused, so that a hung disk does not grow a queue. */
  readonly putsMax: number;
}

/** Limit of the folders that are remembered as durable. */
const FOLDERS_MAX = 1_024;
const LIST_BATCH = 500;
const ROOT_DEPTH_MAX = 64;
/** Attempts to create a file while the sweep removes its folder. */
const CREATE_TRIES_MAX = 5;
/** Names of the two levels of folders: see DiskFiles. */
const UPPER_FOLDER = /^[0-9a-f]{5}$/;
const LOWER_FOLDER = /^[0-9a-f]{3}$/;
/** Prefix of the files that `probe` writes and removes; a killed process may leave one. */
const PROBE_PREFIX = '.probe-';
/** As much as most documents need: a nearly full disk still takes a small file, and refuses them. */
const PROBE_BYTES = 65_536;
/** The store makes no links: one in the place of a file may lead anywhere. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW;
const WRITER_DIGITS = 8;
/** The name of a temporary file; earlier versions wrote it without its writer and attempt. */
const TEMPORARY = /^\.([^.]+)(?:\.[0-9a-f]+-\d+)?\.tmp$/;

/** Turns an error of the disk into one for callers of the store. */
function unavailable(step: string, error: unknown): Error {
  // A RangeError is that of an id that is none.
  if (error instanceof StorageUnavailable || error instanceof RangeError) return error;
  return new StorageUnavailable(
    `the file store failed to ${step}: ${reasonOf(errorCode(error) || 'unknown')}`,
  );
}

/**
 * Files on a local disk: `root/aaaaa/aaa/<id>.pdf`, where the a's are the first 8 digits of the id.
 * In a UUIDv7 these digits count steps of 65.5 s, so documents of about the same time share a
 * folder and its directory sync; 4,096 folders (3.1 days) share an upper one.
 */
export class DiskFiles implements FileStore {
  readonly #fs: FileSystem;
  readonly #settings: DiskSettings;
  readonly #directories: DirectorySync;
  readonly #direct: DirectWriter;
  /** Folders whose entries in their parents are durable. */
  readonly #folders = new Map<string, Promise<void>>();
  readonly #outage = new Outage('the file store');
  /**
   * Part of the names of temporary files, which differ for each attempt: a process that was killed
   * leaves one behind, and an interrupted restore writes the same ids again. The sweep removes it.
   */
  readonly #writer = randomUUID().slice(0, WRITER_DIGITS);
  #attempts = 0;
  #puts = 0;

  constructor(settings: DiskSettings, fs: FileSystem = fsp) {
    this.#settings = { ...settings, root: absolute(settings.root) };
    this.#fs = fs;
    this.#directories = new DirectorySync(fs);
    this.#direct = new DirectWriter(fs.open);
  }

  #folderOf(documentId: string): string {
    return join(this.#settings.root, documentId.slice(0, 5), documentId.slice(5, 8));
  }

  #pathOf(id: string, kind: FileKind): string {
    return join(this.#folderOf(id), storedName(id, kind));
  }

  put(
    id: string,
    bytes: Uint8Array | readonly Uint8Array[],
    kind: FileKind = 'document',
  ): Promise<void> {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    return this.#outage.guard(() => this.#put(id, pieces, kind));
  }

  async #put(id: string, pieces: readonly Uint8Array[], kind: FileKind): Promise<void> {
    if (this.#puts >= this.#settings.putsMax) {
      throw new StorageUnavailable('too many files are being written');
    }
    this.#puts += 1;
    let isTimedOut = false;
    const work = this.#write(id, pieces, kind).finally(() => {
      this.#puts -= 1;
    });
    try {
      await this.#inTime('write a file', work, () => {
        isTimedOut = true;
      });
    } catch (error) {
      if (isTimedOut) {
        // The caller is told of a failure, so a file that the disk still completes must not stay.
        work.then(
          () => this.#discard(this.#pathOf(id, kind)),
          () => undefined,
        );
        throw new StillWriting(unavailable('write a file', error).message);
      }
      throw unavailable('write a file', error);
    }
  }

  async #write(id: string, pieces: readonly Uint8Array[], kind: FileKind): Promise<void> {
    const folder = this.#folderOf(id);
    const path = this.#pathOf(id, kind);
    this.#attempts += 1;
    const temporary = join(folder, `.${id}.${this.#writer}-${this.#attempts}.tmp`);
    const handle = await this.#create(folder, temporary);
    try {
      try {
        const written = await this.#direct.write(temporary, pieces);
        await writeAll(handle, pieces, written);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#fs.rename(temporary, path);
    } catch (error) {
      await this.#discard(temporary);
      throw error;
    }
    for (const piece of pieces) releaseBuffer(piece);
    try {
      await this.#directories.sync(folder);
    } catch (error) {
      await this.#discard(path);
      throw error;
    }
  }

  /**
   * The sweep, also that of another instance, may remove the new folder before it holds a file, or
   * an empty upper folder before the lower one is created; then try again.
   */
  async #create(folder: string, temporary: string): Promise<FileHandle> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#ensureFolder(folder);
        return await this.#fs.open(temporary, 'wx', 0o600);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT' || tries >= CREATE_TRIES_MAX) throw error;
        this.#folders.delete(folder);
      }
    }
  }

  #ensureFolder(folder: string): Promise<void> {
    const earlier = this.#folders.get(folder);
    if (earlier !== undefined) return earlier;
    if (this.#folders.size >= FOLDERS_MAX) this.#folders.clear();
    const making = this.#makeFolder(folder);
    this.#folders.set(folder, making);
    making.catch(() => this.#folders.delete(folder));
    return making;
  }

  /**
   * A folder's entry must be durable before a file in it is. A process that died may have created
   * the folder without syncing its parents, so they are synced even when it exists.
   */
  async #makeFolder(folder: string): Promise<void> {
    const upper = dirname(folder);
    await this.#makeRoot();
    await this.#mkdir(upper);
    await this.#mkdir(folder);
    await this.#directories.sync(upper);
    await this.#directories.sync(this.#settings.root);
  }

  /** Creates the root and the missing folders above it, and syncs the parent of each new folder. */
  async #makeRoot(): Promise<void> {
    const missing: string[] = [];
    let path = this.#settings.root;
    let outcome = await this.#mkdir(path);
    while (outcome === 'no parent') {
      missing.push(path);
      if (missing.length > ROOT_DEPTH_MAX) throw new StorageUnavailable('no folder for files');
      path = dirname(path);
      outcome = await this.#mkdir(path);
    }
    if (outcome === 'made') await this.#directories.sync(dirname(path));
    for (const folder of missing.toReversed()) {
      await this.#mkdir(folder);
      await this.#directories.sync(dirname(folder));
    }
  }

  /** Creates one folder. The option `recursive` would never return below /proc. */
  async #mkdir(path: string): Promise<'made' | 'exists' | 'no parent'> {
    try {
      await this.#fs.mkdir(path, { mode: 0o700 });
      return 'made';
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 'no parent';
      if (errorCode(error) === 'EEXIST') return 'exists';
      throw error;
    }
  }

  /** Makes one attempt: the sweep removes a file that stays behind. */
  async #discard(path: string): Promise<void> {
    await this.#fs.unlink(path).catch(() => undefined);
  }

  open(id: string, kind: FileKind = 'document'): Promise<StoredFile> {
    return this.#outage.guard(() => this.#open(id, kind));
  }

  async #open(id: string, kind: FileKind): Promise<StoredFile> {
    try {
      const work = this.#openFile(this.#pathOf(id, kind));
      return await this.#inTime('open a file', work, () => {
        work.then(
          (file) => file.close(),
          () => undefined,
        );
      });
    } catch (error) {
      // ELOOP: a link lies in its place.
      const isMissing = ['ENOENT', 'ELOOP'].includes(errorCode(error));
      throw isMissing ? new FileMissing(id) : unavailable('open a file', error);
    }
  }

  async #openFile(path: string): Promise<StoredFile> {
    const handle = await this.#fs.open(path, OPEN_FLAGS);
    try {
      const { size } = await handle.stat();
      return new DiskFile(handle, size, (step, work) => this.#inTime(step, work));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async remove(id: string, kind: FileKind = 'document'): Promise<void> {
    await this.#unlink(this.#pathOf(id, kind), this.#folderOf(id));
  }

  async removeEntry(entry: FileEntry): Promise<void> {
    const path = join(this.#settings.root, entry.name);
    await this.#unlink(path, dirname(path));
  }

  async #unlink(path: string, folder: string): Promise<void> {
    const work = async (): Promise<void> => {
      try {
        await this.#fs.unlink(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        throw error;
      }
      await this.#directories.sync(folder);
    };
    try {
      await this.#inTime('remove a file', work());
    } catch (error) {
      throw unavailable('remove a file', error);
    }
  }

  async modifiedAtMs(entry: FileEntry): Promise<number | null> {
    try {
      return (await this.#fs.stat(join(this.#settings.root, entry.name))).mtimeMs;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw unavailable('look at a file', error);
    }
  }

  async *list(): AsyncGenerator<readonly FileEntry[]> {
    const { root } = this.#settings;
    const names = await this.#namesIn(root);
    yield names.filter((name) => name.startsWith(PROBE_PREFIX)).map(probeEntry);
    let failure: unknown = null;
    for (const upper of names.filter((name) => UPPER_FOLDER.test(name))) {
      try {
        yield* this.#listUpper(upper);
      } catch (error) {
        // List the other folders even if one cannot be read.
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
  }

  async *#listUpper(upper: string): AsyncGenerator<readonly FileEntry[]> {
    const { root } = this.#settings;
    const upperNames = await this.#namesIn(join(root, upper));
    const lowers = upperNames.filter((name) => LOWER_FOLDER.test(name));
    for (const lower of lowers) {
      const folder = join(upper, lower);
      const names = await this.#namesIn(join(root, folder));
      // This fails with ENOTEMPTY when a file was created meanwhile; then the folder stays.
      if (names.length === 0) await this.#fs.rmdir(join(root, folder)).catch(() => undefined);
      for (let at = 0; at < names.length; at += LIST_BATCH) {
        const batch = names.slice(at, at + LIST_BATCH);
        yield batch.flatMap((name) => entryOf(folder, name) ?? []);
      }
    }
    if (lowers.length === 0) await this.#fs.rmdir(join(root, upper)).catch(() => undefined);
  }

  async #namesIn(folder: string): Promise<readonly string[]> {
    try {
      return await this.#fs.readdir(folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw unavailable('list a folder', error);
    }
  }

  async writeNote(name: string, bytes: Uint8Array): Promise<void> {
    const { root } = this.#settings;
    const temporary = join(root, `${PROBE_PREFIX}${randomUUID()}`);
    const work = async (): Promise<void> => {
      await this.#makeRoot();
      const handle = await this.#fs.open(temporary, 'wx', 0o600);
      try {
        await writeAll(handle, [bytes]);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#fs.rename(temporary, join(root, name));
      await this.#directories.sync(root);
    };
    try {
      await this.#inTime('write a note', work());
    } catch (error) {
      await this.#discard(temporary);
      throw unavailable('write a note', error);
    }
  }

  async readNote(name: string): Promise<Buffer | null> {
    try {
      const file = await this.#inTime(
        'read a note',
        this.#openFile(join(this.#settings.root, name)),
      );
      try {
        return Buffer.from(await file.read(0, file.bytes));
      } finally {
        await file.close();
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw unavailable('read a note', error);
    }
  }

  async probe(): Promise<void> {
    const { root } = this.#settings;
    const path = join(root, `${PROBE_PREFIX}${randomUUID()}`);
    const work = async (): Promise<void> => {
      await this.#makeRoot();
      const handle = await this.#fs.open(path, 'wx', 0o600);
      try {
        await writeAll(handle, [Buffer.alloc(PROBE_BYTES, 'probe')]);
        await handle.sync();
      } finally {
        await handle.close();
        await this.#fs.unlink(path);
      }
    };
    try {
      await this.#inTime('write a probe', work());
    } catch (error) {
      throw unavailable('write a probe', error);
    }
  }

  async close(): Promise<void> {
    await this.#directories.settled();
  }

  /** Waits for the work, but not longer than the timeout; `onTimeout` is called before it rejects. */
  #inTime<T>(step: string, work: Promise<T>, onTimeout?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // The disk hangs: further callers fail at once instead of waiting as well.
        this.#outage.begin();
        onTimeout?.();
        reject(new StorageUnavailable(`the file store took too long to ${step}`));
      }, this.#settings.timeoutMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

/** The entry of a file; null: the store did not write it. */
function entryOf(folder: string, name: string): FileEntry | null {
  const [, temporaryId] = TEMPORARY.exec(name) ?? [];
  const temporary = temporaryId !== undefined;
  const file = temporary ? { kind: 'document' as const, id: temporaryId } : readFileName(name);
  if (file === null) return null;
  const { id: documentId, kind } = file;
  if (!isUuid(documentId) || !documentId.startsWith(folder.replace('/', ''))) return null;
  return { documentId, kind, name: join(folder, name), temporary };
}

function probeEntry(name: string): FileEntry {
  return { documentId: '', kind: 'document', name, temporary: true };
}

class DiskFile implements StoredFile {
  readonly bytes: number;
  readonly #handle: FileHandle;
  readonly #inTime: <T>(step: string, work: Promise<T>) => Promise<T>;

  constructor(
    handle: FileHandle,
    bytes: number,
    inTime: <T>(step: string, work: Promise<T>) => Promise<T>,
  ) {
    this.#handle = handle;
    this.bytes = bytes;
    this.#inTime = inTime;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    const buffer = Buffer.allocUnsafe(wanted);
    try {
      for (let at = 0; at < wanted;) {
        const work = this.#handle.read(buffer, at, wanted - at, position + at);
        const { bytesRead } = await this.#inTime('read a file', work);
        if (bytesRead === 0) throw new StorageUnavailable('a stored file is shorter than it was');
        at += bytesRead;
      }
    } catch (error) {
      throw unavailable('read a file', error);
    }
    return buffer;
  }

  /** The bytes have been read already, so a failing close has no consequence. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}
