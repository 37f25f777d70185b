import type { FileSystem } from './disk.ts';

interface Turn {
  /** The sync under way: it may have begun before a newcomer's rename, so it covers none of it. */
  running: Promise<void>;
  /** The one after it, shared by all who came meanwhile. */
  next: Promise<void> | null;
}

/** fsync of folders: callers of one folder that come together share a call. */
export class DirectorySync {
  readonly #fs: Pick<FileSystem, 'open'>;
  readonly #turns = new Map<string, Turn>();

  constructor(fs: Pick<FileSystem, 'open'>) {
    this.#fs = fs;
  }

  /** Resolves when a sync that began after this call has ended. */
  sync(folder: string): Promise<void> {
    const turn = this.#turns.get(folder);
    if (turn === undefined) {
      const fresh: Turn = { running: this.#call(folder), next: null };
      this.#turns.set(folder, fresh);
      this.#endOf(folder, fresh);
      return fresh.running;
    }
    turn.next ??= turn.running.then(
      () => this.#call(folder),
      () => this.#call(folder),
    );
    return turn.next;
  }

  #endOf(folder: string, turn: Turn): void {
    const advance = (): void => {
      if (turn.next === null) {
        this.#turns.delete(folder);
        return;
      }
      turn.running = turn.next;
      turn.next = null;
      this.#endOf(folder, turn);
    };
    turn.running.then(advance, advance);
  }

  async #call(folder: string): Promise<void> {
    const handle = await this.#fs.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turns.size > 0) {
      await Promise.allSettled([...this.#turns.values()].map((turn) => turn.next ?? turn.running));
    }
  }
}
