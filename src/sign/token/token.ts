import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createCMSECDSASignature } from 'pkijs';
import { STRIPPED_FLAGS } from '../../runtime/thread-flags.ts';
import type { KeyKind } from '../cms.ts';
import { PinRefused, SigningError } from '../signing-error.ts';
import type { TokenAnswer, TokenPlace, TokenRequest } from './messages.ts';

const HOST_FILE = fileURLToPath(new URL('host.ts', import.meta.url));
/** Environment variables that modules of tokens read. */
const ENV_NAMES = /^(PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|HOME|SOFTHSM2_CONF|.*(HSM|PKCS11).*)$/;
/** Hides Node's warning that it strips types. */
const HOST_FLAGS = ['--disable-warning=ExperimentalWarning', ...STRIPPED_FLAGS];
/** How long a token that could not be opened is left alone. */
const PAUSE_MS = 5_000;

/** A request to the host that is not answered yet. */
interface Waiting {
  readonly host: ChildProcess;
  readonly resolve: (value: string) => void;
  readonly reject: (error: SigningError) => void;
  readonly sentMs: number;
  readonly watchdog: NodeJS.Timeout;
}

/**
 * A key on a PKCS#11 token. Its session is in a process beside the service (host.ts). A host that
 * hangs or dies is replaced at the next signature. A host that is slow but still answers is left
 * alone: only the signature that has waited too long fails. A token that is away is looked for again
 * after a pause. After the token has refused the PIN nothing is tried again, because tokens count
 * wrong PINs and lock.
 */
export class TokenKey {
  readonly #place: TokenPlace;
  readonly #pin: string;
  readonly #timeoutMs: number;
  readonly #hostFile: string;
  readonly #pauseMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #opened: Promise<ChildProcess> | null = null;
  /** The process that `#opened` resolves to, known before it resolves. */
  #current: ChildProcess | null = null;
  #refusal: PinRefused | null = null;
  /** Why the token could not be opened last, and when that was. */
  #failure: { readonly error: SigningError; readonly atMs: number } | null = null;
  #lastId = 0;
  /** When a process answered last, on the monotonic clock. */
  #answeredMs = 0;

  constructor(
    place: TokenPlace,
    pin: string,
    timeoutMs: number,
    { hostFile = HOST_FILE, pauseMs = PAUSE_MS } = {},
  ) {
    this.#place = place;
    this.#pin = pin;
    this.#timeoutMs = timeoutMs;
    this.#hostFile = hostFile;
    this.#pauseMs = pauseMs;
  }

  /** Logs in. Throws `SigningError` with what the token answered. */
  async open(): Promise<void> {
    await this.#host();
  }

  /** Looks for the token without logging in. Throws `SigningError`. */
  async find(): Promise<void> {
    const host = this.#fork();
    try {
      await this.#ask(host, { kind: 'find', id: ++this.#lastId, place: this.#place });
    } finally {
      host.kill('SIGKILL');
    }
  }

  /** Signs with SHA-256; ECDSA values are in DER. */
  async sign(data: Uint8Array, keyKind: KeyKind): Promise<Uint8Array> {
    const host = await this.#host();
    const base64 = Buffer.from(data).toString('base64');
    const id = ++this.#lastId;
    const value = await this.#ask(host, { kind: 'sign', id, keyKind, data: base64 });
    const bytes = Buffer.from(value, 'base64');
    if (keyKind === 'rsa') return bytes;
    return new Uint8Array(createCMSECDSASignature(new Uint8Array(bytes).buffer));
  }

  async #host(): Promise<ChildProcess> {
    if (this.#refusal !== null) throw this.#refusal;
    const failure = this.#failure;
    if (failure !== null && performance.now() < failure.atMs + this.#pauseMs) throw failure.error;
    this.#opened ??= this.#start().catch((cause: unknown) => {
      this.#opened = null;
      const isExpected = cause instanceof SigningError;
      const why = 'PKCS#11: the process of the module cannot be started';
      const error = isExpected ? cause : new SigningError(why);
      this.#failure = { error, atMs: performance.now() };
      throw error;
    });
    return this.#opened;
  }

  #fork(): ChildProcess {
    const env = Object.entries(process.env).filter(([name]) => ENV_NAMES.test(name));
    const host = fork(this.#hostFile, [], {
      env: Object.fromEntries(env),
      execArgv: HOST_FLAGS,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    host.on('message', (answer: TokenAnswer) => this.#settle(answer));
    host.on('error', () => this.#drop(host));
    host.on('exit', () => this.#drop(host));
    return host;
  }

  async #start(): Promise<ChildProcess> {
    const host = this.#fork();
    this.#current = host;
    const id = ++this.#lastId;
    await this.#ask(host, { kind: 'open', id, place: this.#place, pin: this.#pin });
    // The process must not keep the service from ending.
    host.unref();
    host.channel?.unref();
    return host;
  }

  #ask(host: ChildProcess, request: TokenRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      const watchdog = setTimeout(() => this.#giveUp(request.id), this.#timeoutMs);
      const sentMs = performance.now();
      this.#waiting.set(request.id, { host, resolve, reject, sentMs, watchdog });
      host.send(request, (error) => {
        if (error !== null) this.#drop(host);
      });
    });
  }

  /**
   * Fails the request; also ends a process that has answered nothing since the request was sent.
   */
  #giveUp(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (this.#answeredMs < waiting.sentMs) {
      this.#drop(waiting.host);
      return;
    }
    this.#waiting.delete(id);
    waiting.reject(new SigningError('PKCS#11: the token is too slow for so many signatures'));
  }

  #settle(answer: TokenAnswer): void {
    this.#answeredMs = performance.now();
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.watchdog);
    if (answer.ok) {
      waiting.resolve(answer.value);
      return;
    }
    const why = `PKCS#11: ${answer.reason}`;
    if (answer.isFinal) this.#refusal = new PinRefused(why);
    waiting.reject(this.#refusal ?? new SigningError(why));
    // A session that failed once may be lost: the next signature opens a new one.
    this.#drop(waiting.host);
  }

  /** Ends a host and fails its requests; the next signature starts another host. */
  #drop(host: ChildProcess): void {
    host.kill('SIGKILL');
    if (this.#current === host) this.#opened = null;
    for (const [id, waiting] of this.#waiting) {
      if (waiting.host !== host) continue;
      clearTimeout(waiting.watchdog);
      this.#waiting.delete(id);
      waiting.reject(new SigningError('PKCS#11: the module hung or crashed'));
    }
  }
}
