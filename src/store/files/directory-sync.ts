import type { FileSystem } from './disk.ts';

interface FolderSync {
  /** The sync under way. It may miss the rename of a caller that comes after it has begun. */
  running: Promise<void>;
  /** The sync after that, shared by all callers that came meanwhile. */
  next: Promise<void> | null;
}

/** Syncs folders; concurrent callers for the same folder share an fsync. */
export class DirectorySync {
  readonly #fs: Pick<FileSystem, 'open'>;
  readonly #syncs = new Map<string, FolderSync>();

  constructor(fs: Pick<FileSystem, 'open'>) {
    this.#fs = fs;
  }

  /** Resolves when a sync that began after this call has ended. */
  sync(folder: string): Promise<void> {
    const sync = this.#syncs.get(folder);
    if (sync === undefined) {
      const first: FolderSync = { running: this.#syncNow(folder), next: null };
      this.#syncs.set(folder, first);
      this.#followUp(folder, first);
      return first.running;
    }
    sync.next ??= sync.running.then(
      () => this.#syncNow(folder),
      () => this.#syncNow(folder),
    );
    return sync.next;
  }

  /** When the sync under way has ended, puts the next one in its place, or forgets the folder. */
  #followUp(folder: string, sync: FolderSync): void {
    const advance = (): void => {
      if (sync.next === null) {
        this.#syncs.delete(folder);
        return;
      }
      sync.running = sync.next;
      sync.next = null;
      this.#followUp(folder, sync);
    };
    sync.running.then(advance, advance);
  }

  async #syncNow(folder: string): Promise<void> {
    const handle = await this.#fs.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#syncs.size > 0) {
      await Promise.allSettled([...this.#syncs.values()].map((sync) => sync.next ?? sync.running));
    }
  }
}
