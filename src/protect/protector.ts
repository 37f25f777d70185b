import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, fail, type Failure, type Outcome, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { STRIPPED_FLAGS } from '../runtime/thread-flags.ts';
import type { Protection } from '#engine';
import { isProtectedPdf } from './check.ts';
import { libraryOf } from './program-library.ts';
import { type EndNote, frame, FrameReader, PROTECT_BYTES_MAX, type RunNote } from './wire.ts';

/**
 * Password protection by qpdf (AES-256, revision 6) in a small separate process. That process calls
 * qpdf's shared library if it can be loaded, and otherwise starts the qpdf program.
 */
export interface Protector {
  /** Whether qpdf is installed now: it may come and go while the service runs. */
  available(): Promise<boolean>;
  /**
   * The protected file, or a failure: `protection_unavailable` without qpdf, `overloaded` when the
   * queue is full, `internal_error` when qpdf fails, hangs or gives anything but a whole AES-256
   * file. The unprotected input is never returned. `signal` cancels the run and ends qpdf.
   */
  protect(
    pdf: Uint8Array,
    protection: Protection,
    signal?: AbortSignal,
  ): Promise<Outcome<Uint8Array>>;
  /** Ends the host; all unfinished tasks fail. */
  close(): Promise<void>;
}

export interface ProtectorOptions {
  /** Program name, looked up in PATH, or a path. */
  readonly qpdf: string;
  /** Time limit of one qpdf run, without the time in the queue. */
  readonly timeoutMs: number;
  /** How many documents may be protected at the same time. */
  readonly concurrencyMax: number;
}

/** Limit of the queue, for each document that may be protected at the same time. */
const QUEUE_PER_SLOT = 64;
const FULL =
  'Too many documents wait for their password protection. Retry with exponential backoff.';
/** Time beyond qpdf's own limit after which the host counts as hung. */
const HOST_GRACE_MS = 2_000;
/** If the host dies while it protects a document, the second attempt uses the qpdf program. */
const ATTEMPTS_MAX = 2;
/** Encryption adds at most 32 bytes a stream and string; the factor leaves room for tiny objects. */
const OUTPUT_FACTOR = 2;
const OUTPUT_EXTRA_BYTES = 1024 * 1024;

const HOST_FILE = fileURLToPath(new URL('host.ts', import.meta.url));
const HOST_FLAGS = ['--disable-warning=ExperimentalWarning', ...STRIPPED_FLAGS];
/**
 * Settings of glibc. `perturb` overwrites memory when it is freed, so that nothing of a document
 * stays in the host after qpdf has read it. glibc does not overwrite memory that goes into a
 * thread's cache (tcache), so that cache is off.
 */
const HOST_TUNABLES = { GLIBC_TUNABLES: 'glibc.malloc.perturb=90:glibc.malloc.tcache_count=0' };
const HOST_ENV_NAMES = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LANG', 'LC_ALL', 'TMPDIR'];

interface ProtectTask {
  readonly id: number;
  readonly pdf: Uint8Array;
  readonly protection: Protection;
  readonly settle: (outcome: Outcome<Uint8Array>) => void;
  attempts: number;
  watchdog: NodeJS.Timeout | null;
}

interface Host {
  readonly child: ChildProcess;
  readonly link: Duplex;
}

/** Starts the host at once, so that its fork happens while the service is small. */
export function createProtector(options: ProtectorOptions): Protector {
  return new HostedProtector(options);
}

class HostedProtector implements Protector {
  readonly #options: ProtectorOptions;
  readonly #waiting: ProtectTask[] = [];
  readonly #running = new Map<number, ProtectTask>();
  #host: Host | null = null;
  #lastId = 0;
  #isClosed = false;
  /** The path at which qpdf was found last; null if the last search found none. */
  #foundAt: string | null = null;
  /** The shared library that this qpdf loads; null if there is none or it is not known yet. */
  #library: string | null = null;

  constructor(options: ProtectorOptions) {
    this.#options = options;
    this.#startHost();
    void this.available();
  }

  async available(): Promise<boolean> {
    const { qpdf } = this.#options;
    // The last place is tried first, so that one call of the file system usually suffices.
    const places = [...(this.#foundAt === null ? [] : [this.#foundAt]), ...placesOf(qpdf)];
    for (const place of places) {
      const isExecutable = await access(place, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isExecutable) {
        await this.#remember(place);
        return true;
      }
    }
    this.#forget();
    return false;
  }

  async #remember(place: string): Promise<void> {
    if (place === this.#foundAt) return;
    this.#library = await libraryOf(place);
    this.#foundAt = place;
  }

  #forget(): void {
    this.#foundAt = null;
    this.#library = null;
  }

  async protect(
    pdf: Uint8Array,
    protection: Protection,
    signal?: AbortSignal,
  ): Promise<Outcome<Uint8Array>> {
    const refusal = this.#refuse(pdf, protection);
    if (refusal !== null) return refusal;
    if (signal?.aborted === true) return fail('internal_error');
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const abort = (): void => this.#abort(task);
      const settle = (outcome: Outcome<Uint8Array>): void => {
        signal?.removeEventListener('abort', abort);
        resolve(outcome);
      };
      const task: ProtectTask = {
        id,
        pdf,
        protection,
        settle,
        attempts: 0,
        watchdog: null,
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(task);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const host = this.#host;
    for (const task of [...this.#waiting.splice(0), ...this.#running.values()]) {
      this.#finish(task, fail('internal_error'));
    }
    if (host === null) return;
    const exit = new Promise((resolve) => host.child.once('exit', resolve));
    // The host ends its children and itself when the link closes.
    host.child.ref();
    host.link.destroy();
    const timer = setTimeout(() => host.child.kill('SIGKILL'), HOST_GRACE_MS);
    if (host.child.exitCode === null && host.child.signalCode === null) await exit;
    clearTimeout(timer);
  }

  #refuse(pdf: Uint8Array, { userPassword, ownerPassword }: Protection): Failure | null {
    if (this.#isClosed) return fail('internal_error');
    // Only 127 bytes of a password count (ISO 32000-2 §7.6.4.3.3). With a longer one, qpdf makes a
    // file that nobody can open.
    const tooLong = [userPassword, ownerPassword].some(
      (password) =>
        Buffer.byteLength(password) > LIMITS.passwordBytesMax || !password.isWellFormed(),
    );
    if (tooLong) return fail('bad_request', 'A password must be at most 127 bytes of UTF-8.');
    if (userPassword === '' && ownerPassword === '') {
      return fail('bad_request', 'Protection needs a userPassword or an ownerPassword.');
    }
    if (pdf.byteLength > (PROTECT_BYTES_MAX - OUTPUT_EXTRA_BYTES) / OUTPUT_FACTOR) {
      return fail('internal_error');
    }
    const queueMax = this.#options.concurrencyMax * QUEUE_PER_SLOT;
    return this.#waiting.length >= queueMax ? fail('overloaded', FULL) : null;
  }

  #dispatch(): void {
    while (this.#running.size < this.#options.concurrencyMax) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      this.#run(task);
    }
  }

  #run(task: ProtectTask): void {
    const host = this.#host ?? this.#startHost();
    if (host === null) {
      this.#finish(task, fail('internal_error'));
      return;
    }
    task.attempts++;
    this.#running.set(task.id, task);
    host.child.ref();
    const { timeoutMs } = this.#options;
    const [user, owner] = passwordsOf(task.protection);
    const note: RunNote = {
      qpdf: this.#options.qpdf,
      // The library may have crashed on this document, so the second attempt runs the program.
      library: task.attempts === 1 ? this.#library : null,
      passwordBytes: { user: user.byteLength, owner: owner.byteLength },
      permissions: task.protection.permissions,
      timeoutMs,
      outputBytesMax: task.pdf.byteLength * OUTPUT_FACTOR + OUTPUT_EXTRA_BYTES,
    };
    host.link.cork();
    for (const chunk of frame(task.id, note, user, owner, task.pdf)) host.link.write(chunk);
    host.link.uncork();
    // A host that does not answer in time is hung. When it ends, its tasks are retried or fail.
    task.watchdog = setTimeout(() => host.child.kill('SIGKILL'), timeoutMs + HOST_GRACE_MS);
  }

  #abort(task: ProtectTask): void {
    const at = this.#waiting.indexOf(task);
    if (at !== -1) this.#waiting.splice(at, 1);
    else for (const chunk of frame(task.id, null)) this.#host?.link.write(chunk);
    this.#finish(task, fail('internal_error'));
  }

  #finish(task: ProtectTask, outcome: Outcome<Uint8Array>): void {
    if (task.watchdog !== null) clearTimeout(task.watchdog);
    this.#running.delete(task.id);
    if (this.#running.size === 0) this.#host?.child.unref();
    task.settle(outcome);
    this.#dispatch();
  }

  #receive(requestId: number, note: EndNote, bytes: Buffer): void {
    const task = this.#running.get(requestId);
    // The task was cancelled while the host's reply was under way.
    if (task === undefined) return;
    if (note.end === 'absent') this.#forget();
    this.#finish(task, outcomeOf(note, bytes));
  }

  #startHost(): Host | null {
    const env = Object.fromEntries(
      HOST_ENV_NAMES.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const child = spawn(process.execPath, [...HOST_FLAGS, HOST_FILE], {
      cwd: '/',
      env: { ...env, ...HOST_TUNABLES },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const link = child.stdio[3];
    child.once('error', () => this.#lose(child));
    child.once('exit', () => this.#lose(child));
    if (!(link instanceof Duplex)) return null;
    const reader = new FrameReader((requestId, note, bytes) => {
      // The host sends EndNotes only.
      this.#receive(requestId, note as EndNote, bytes);
    });
    link.on('data', (chunk: Buffer) => {
      if (!reader.push(chunk)) child.kill('SIGKILL');
    });
    // `#lose` handles the child's exit.
    link.on('error', () => child.kill('SIGKILL'));
    if ('unref' in link && typeof link.unref === 'function') link.unref();
    child.unref();
    this.#host = { child, link };
    return this.#host;
  }

  /** The host has died: each of its tasks is retried once in a new one. */
  #lose(child: ChildProcess): void {
    if (this.#host?.child !== child) return;
    this.#host = null;
    const tasks = [...this.#running.values()];
    this.#running.clear();
    for (const task of tasks) {
      if (task.watchdog !== null) clearTimeout(task.watchdog);
      if (this.#isClosed || task.attempts >= ATTEMPTS_MAX) task.settle(fail('internal_error'));
      else this.#waiting.unshift(task);
    }
    if (!this.#isClosed) this.#dispatch();
  }
}

/** The paths at which a program may be: its path, or its name in the folders of PATH. */
function placesOf(program: string): readonly string[] {
  if (program.includes('/')) return [program];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, program));
}

function outcomeOf(note: EndNote, bytes: Buffer): Outcome<Uint8Array> {
  const code = codeOf(note);
  if (code !== null) return fail(code);
  return isProtectedPdf(bytes) ? succeed(bytes) : fail('internal_error');
}

/** The error of a run; null: it succeeded, with exit code 0, or with 3 for warnings on the input. */
function codeOf(note: EndNote): ErrorCode | null {
  switch (note.end) {
    case 'exit':
      return note.code === 0 || note.code === 3 ? null : 'internal_error';
    case 'absent':
      return 'protection_unavailable';
    case 'busy':
      return 'overloaded';
    case 'timeout':
    case 'signal':
    case 'oversize':
    case 'cancelled':
    case 'failed':
      return 'internal_error';
  }
}

/**
 * The user and the owner password. An empty owner password would open everything, so the user
 * password stands in for it, as the spec's default does.
 */
function passwordsOf({ userPassword, ownerPassword }: Protection): readonly [Buffer, Buffer] {
  const owner = ownerPassword === '' ? userPassword : ownerPassword;
  return [Buffer.from(userPassword), Buffer.from(owner)];
}
