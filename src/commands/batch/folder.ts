import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { CommandFailed, UsageError, unwritable } from '../console/failure.ts';
import { ensureFolder } from '../console/files/folder.ts';
import { counted } from '../console/output.ts';
import { FAILED_FILES } from './failures.ts';
import type { BatchRecord } from './input.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { Manifest, MANIFEST_FILE } from './manifest.ts';
import { withNames } from './named.ts';
import type { BatchPlan } from './run.ts';

const LOCK_FILE = 'batch.lock';

/** Files in the folder that this batch did not write. */
interface Strange {
  /** Done records of the manifest that this input does not have, or has with other data. */
  readonly others: ReadonlySet<number>;
  /** Those among them that differ in nothing but --name. */
  readonly renamed: number;
  /** Files that the batch would write, and that no batch made. */
  readonly foreign: readonly string[];
}

/** The folder that one batch at a time writes into. */
export class BatchFolder {
  readonly manifest: Manifest;
  readonly #path: string;
  readonly #lock: FolderLock;
  /** Whether this batch made the folder. */
  readonly #isNew: boolean;
  /** Whether no batch has written here before. */
  readonly #isUnused: boolean;

  /** Makes the folder if needed. Throws `CommandFailed` when it is in use or cannot be written. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#isNew = ensureFolder(path);
      this.#lock = lockFolder(join(path, LOCK_FILE), path);
    } catch (error) {
      throw error instanceof CommandFailed ? error : unwritable(path, error);
    }
    try {
      this.#isUnused = !readdirSync(path).includes(MANIFEST_FILE);
      this.manifest = new Manifest(join(path, MANIFEST_FILE));
    } catch (error) {
      this.#lock.release();
      throw error instanceof CommandFailed ? error : unwritable(path, error);
    }
  }

  /**
   * Makes sure that no document here can be taken for one of these records. Throws `UsageError` when
   * the folder holds documents of another input, unless `plan.overwrite` lets it remove them.
   */
  async review(
    plan: BatchPlan,
    read: () => AsyncGenerator<BatchRecord, void, undefined>,
  ): Promise<void> {
    const { strange, numbers } = await this.#compare(plan, read);
    const { others, foreign } = strange;
    if (others.size + foreign.length > 0 && !plan.overwrite) {
      throw new UsageError(this.#describe(strange));
    }
    try {
      // A document goes before its line: if this is cut short, the next batch finds the line.
      for (const { number, file } of this.manifest.made) {
        if (others.has(number)) rmSync(join(this.#path, file), { force: true });
      }
      for (const file of foreign) rmSync(join(this.#path, file), { force: true });
      this.manifest.drop((number) => others.has(number) || !numbers.has(number));
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  /** Lets other batches write here. */
  close(): void {
    this.#lock.release();
    if (this.#isNew && readdirSync(this.#path).length === 0) rmdirSync(this.#path);
  }

  async #compare(
    plan: BatchPlan,
    read: () => AsyncGenerator<BatchRecord, void, undefined>,
  ): Promise<{ readonly strange: Strange; readonly numbers: ReadonlySet<number> }> {
    const numbers = new Set<number>();
    const same = new Set<number>();
    const unknown = this.#unknownFiles();
    const foreign = new Set(
      [...unknown.values()].filter((file) => Object.values(FAILED_FILES).includes(file)),
    );
    let renamed = 0;
    // A folder that holds nothing yet needs no reading of the whole input.
    if (!this.manifest.isEmpty || unknown.size > 0) {
      for await (const { number, input, name, file } of withNames(plan, read(), this.manifest)) {
        numbers.add(number);
        const made = this.manifest.find(number);
        const isSame = made?.input === input && made.name === name;
        if (isSame) same.add(number);
        else if (made?.input === input) renamed += 1;
        const there = unknown.get(file.toLowerCase());
        if (there !== undefined) foreign.add(there);
      }
    }
    const made = [...this.manifest.made].map(({ number }) => number);
    const others = new Set(made.filter((number) => !same.has(number)));
    return { strange: { others, renamed, foreign: [...foreign] }, numbers };
  }

  /** Files here that no line of the manifest explains, by their name in lower case. */
  #unknownFiles(): ReadonlyMap<string, string> {
    const known = new Set([...this.manifest.made].map(({ file }) => file.toLowerCase()));
    const { leftSinceMs } = this.#lock;
    const files = readdirSync(this.#path).filter((file) => {
      if (Object.values(FAILED_FILES).includes(file)) return this.#isUnused;
      if (!file.toLowerCase().endsWith('.pdf') || known.has(file.toLowerCase())) return false;
      // A batch that was killed between a document and its line in the manifest left it.
      return leftSinceMs === null || statSync(join(this.#path, file)).mtimeMs < leftSinceMs;
    });
    return new Map(files.map((file) => [file.toLowerCase(), file]));
  }

  #describe({ others, renamed, foreign }: Strange): string {
    const ways =
      'Nothing was made or changed. Give another --out; or --overwrite, which removes them first.';
    if (others.size === 0) {
      const what = foreign.length === 1 ? 'a file' : `${foreign.length} files`;
      const [first = ''] = foreign;
      const them = foreign.length === 1 ? first : `${first} is the first`;
      return `${this.#path} holds ${what} that this batch would replace: ${them}. ${ways}`;
    }
    const all = counted([...this.manifest.made].length, 'document');
    const which =
      renamed === others.size
        ? 'are named by another --name'
        : 'are of another input, or of another template, version, mode or options';
    const first = Math.min(...others);
    return (
      `${this.#path} holds ${all} of an earlier batch, and ${others.size} of them ${which}:` +
      ` record ${first} is the first. ${ways}`
    );
  }
}
