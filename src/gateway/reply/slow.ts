/**
 * Interval of the sweep: less than the 10 s after which uWebSockets.js closes a connection that
 * takes nothing.
 */
const SWEEP_MS = 4_000;
/**
 * A reader without progress for this long is cut. The kernel reports progress in steps of a third
 * of its send buffer (1 to 2 MB), so this is a minimum rate of about 20 KB/s.
 */
const STALLED_MS_MAX = 60_000;

const MEGABYTE = 1_048_576;
/** Bytes that slow responses may hold together. Above this, stalled readers are cut sooner … … */
const HELD_BYTES_MAX = 32 * MEGABYTE;
const PRESSED_STALLED_MS_MAX = 250;
const PRESSED_SWEEP_MS = 100;
/** … and above this at once. */
const HELD_BYTES_END = 128 * MEGABYTE;

/** The part of an exchange that `SlowWrites` uses. */
export interface SlowWrite {
  /** Bytes of the body that the socket has taken. */
  readonly offset: number;
  /** Size of the buffer that stays in memory until the socket has taken the rest of it. */
  readonly heldBytes: number;
  /** The caller's id; '' at a public address. */
  readonly caller: string;
  /** Extends the idle timeout of a response whose reader is slow. */
  keepAlive(): void;
  cut(): void;
}

interface Watched {
  offset: number;
  sinceMs: number;
  readonly heldBytes: number;
  readonly caller: string;
}

/**
 * Responses that their clients read slower than the service writes. Their memory is bounded: beyond
 * the limit, the caller that holds most loses the response that has stalled for longest.
 */
export class SlowWrites {
  readonly #writes = new Map<SlowWrite, Watched>();
  readonly #heldOf = new Map<string, number>();
  #heldBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #pressedTimer: NodeJS.Timeout | null = null;

  add(write: SlowWrite): void {
    if (this.#writes.has(write)) return;
    const { offset, heldBytes, caller } = write;
    this.#writes.set(write, { offset, heldBytes, caller, sinceMs: performance.now() });
    this.#hold(caller, heldBytes);
    this.#timer ??= setInterval(() => this.sweep(performance.now()), SWEEP_MS).unref();
    if (this.#heldBytes <= HELD_BYTES_MAX) return;
    this.#pressedTimer ??= setInterval(() => this.relieve(), PRESSED_SWEEP_MS).unref();
    if (this.#heldBytes > HELD_BYTES_END) this.relieve();
  }

  remove(write: SlowWrite): void {
    const watched = this.#writes.get(write);
    if (watched === undefined) return;
    this.#writes.delete(write);
    this.#hold(watched.caller, -watched.heldBytes);
    if (this.#writes.size > 0) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopRelieving();
  }

  get size(): number {
    return this.#writes.size;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Cuts stalled responses and keeps the others alive. */
  sweep(nowMs: number): void {
    for (const [write, watched] of this.#writes) {
      follow(write, watched, nowMs);
      if (nowMs - watched.sinceMs >= STALLED_MS_MAX) write.cut();
      else write.keepAlive();
    }
  }

  /** Cuts stalled responses until the rest is within the limit or none is stalled. */
  relieve(nowMs = performance.now()): void {
    for (const [write, watched] of this.#writes) follow(write, watched, nowMs);
    // A single response stays, however large it is.
    while (this.#heldBytes > HELD_BYTES_MAX && this.#writes.size > 1) {
      const stalled = this.#longestStalled(this.#largestCaller());
      if (stalled === null) break;
      const [write, { sinceMs }] = stalled;
      const isLate = nowMs - sinceMs >= PRESSED_STALLED_MS_MAX;
      if (!isLate && this.#heldBytes <= HELD_BYTES_END) break;
      this.remove(write);
      write.cut();
    }
    if (this.#heldBytes <= HELD_BYTES_MAX) this.#stopRelieving();
  }

  #stopRelieving(): void {
    if (this.#pressedTimer !== null) clearInterval(this.#pressedTimer);
    this.#pressedTimer = null;
  }

  #hold(caller: string, bytes: number): void {
    this.#heldBytes += bytes;
    const held = (this.#heldOf.get(caller) ?? 0) + bytes;
    if (held > 0) this.#heldOf.set(caller, held);
    else this.#heldOf.delete(caller);
  }

  #largestCaller(): string {
    let largest = '';
    let most = -1;
    for (const [caller, bytes] of this.#heldOf) {
      if (bytes <= most) continue;
      largest = caller;
      most = bytes;
    }
    return largest;
  }

  #longestStalled(caller: string): [SlowWrite, Watched] | null {
    let longest: [SlowWrite, Watched] | null = null;
    for (const entry of this.#writes) {
      if (entry[1].caller !== caller) continue;
      if (longest === null || entry[1].sinceMs < longest[1].sinceMs) longest = entry;
    }
    return longest;
  }
}

/** Records progress since the last call. */
function follow(write: SlowWrite, watched: Watched, nowMs: number): void {
  if (write.offset <= watched.offset) return;
  watched.offset = write.offset;
  watched.sinceMs = nowMs;
}
