import { constants, createDeflate, deflateSync } from 'node:zlib';

/** Longer content goes to `deflateSync`: it is rare, and its output buffer would be kept. */
const KEPT_BYTES_MAX = 1 << 17;
/** More than deflate makes of any content of that length (zlib's `deflateBound`). */
const OUTPUT_BYTES_MAX = KEPT_BYTES_MAX + (KEPT_BYTES_MAX >> 3) + 256;
/** The major version of Node whose binding this was written for. Another may end the process. */
const KNOWN_NODE = '22';

interface DeflateSettings {
  readonly level: number;
  readonly windowBits: number;
  readonly memLevel: number;
}

/** A deflation of Node's zlib binding, as lib/zlib.js uses it. */
interface Deflation {
  onerror: (message: string) => void;
  init(
    windowBits: number,
    level: number,
    memLevel: number,
    strategy: number,
    left: Uint32Array,
    onWritten: () => void,
    dictionary: undefined,
  ): void;
  /** Leaves in `left` the bytes of output and of input that it did not use. */
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  close(): void;
}

type DeflationClass = new (mode: number) => Deflation;

/**
 * Deflates short contents synchronously, like `deflateSync` and to the same bytes. That function
 * makes a Transform stream with its buffers for every call, an eighth of the time of a page; this
 * uses the binding below Node's streams, if this version of Node is known to have it.
 *
 * Each content gets a new deflation. One that is reset keeps its window, and zlib hashes what lies
 * behind the end of the input there: the bytes would depend on the contents before (those of 9 of
 * 1,000 receipts did).
 */
export class Deflater {
  readonly #settings: DeflateSettings;
  readonly #class: DeflationClass | null;
  readonly #output = new Uint8Array(OUTPUT_BYTES_MAX);
  readonly #left = new Uint32Array(2);

  constructor(settings: DeflateSettings) {
    this.#settings = settings;
    this.#class = process.versions.node.startsWith(`${KNOWN_NODE}.`) ? deflationClass() : null;
  }

  /** The zlib stream of `content`; the bytes are valid until the next call. */
  deflate(content: Uint8Array): Uint8Array {
    const { length } = content;
    if (this.#class === null || length > KEPT_BYTES_MAX) {
      return deflateSync(content, this.#settings);
    }
    const output = this.#output;
    const left = this.#left;
    const { level, windowBits, memLevel } = this.#settings;
    const deflation = new this.#class(DEFLATE);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is no event target.
    deflation.onerror = fail;
    deflation.init(windowBits, level, memLevel, STRATEGY, left, ignore, undefined);
    deflation.writeSync(FINISH, content, 0, length, output, 0, OUTPUT_BYTES_MAX);
    deflation.close();
    const [outputLeft = 0, inputLeft = 0] = left;
    if (outputLeft === 0 || inputLeft > 0) throw new Error('zlib has not finished a stream');
    return output.subarray(0, OUTPUT_BYTES_MAX - outputLeft);
  }
}

const { DEFLATE, Z_DEFAULT_STRATEGY: STRATEGY, Z_FINISH: FINISH } = constants;

function ignore(): void {
  // Only asynchronous writes call back.
}

function fail(message: string): never {
  throw new Error(`zlib: ${message}`);
}

/** The class behind `createDeflate`; null: it is not where it was. */
function deflationClass(): DeflationClass | null {
  // Undocumented. In Node 22 it is an object of the class that `DeflationClass` describes.
  const made = Reflect.get(createDeflate(), '_handle') as Deflation | null | undefined;
  return (made?.constructor as DeflationClass | undefined) ?? null;
}
