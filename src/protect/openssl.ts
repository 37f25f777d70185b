import koffi from 'koffi';

/** A `uintptr_t`. Addresses of a process are below 2^53, so a number holds them exactly. */
type Address = number;
type Call = (...parameters: readonly number[]) => number;

/** An offset into `OpenSsl.memory`. */
export type Offset = number;

export type Digest = 'sha256' | 'sha384' | 'sha512';
type Digests = Readonly<Record<Digest, readonly [init: Call, update: Call, final: Call]>>;

/** Room for the state of a digest. The largest, `SHA512_CTX`, has 216 bytes. */
const CONTEXT_BYTES = 512;
const VECTOR_BYTES = 16;
/** Room for the `int` that receives the length of a cipher's output. */
const LENGTH_BYTES = 16;
const WRAPPED_BYTES = 32;
const ENCRYPT = 1;
const DECRYPT = 0;

/**
 * AES and SHA-2 by the OpenSSL that is built into Node, on one block of memory outside the
 * JavaScript heap. Input, output and the state of digests lie in that block, so `wipe` can
 * overwrite them. node:crypto is not used for two reasons: it creates an object for each cipher and
 * digest, whose memory is freed only when the garbage collector runs; and it takes 1.5 times as
 * long for the 300 ciphers and digests of a document.
 */
export class OpenSsl {
  /** The caller's part of the block. OpenSSL's working memory follows it. */
  readonly memory: Uint8Array;
  readonly #all: Uint8Array;
  readonly #at: Address;
  readonly #context: Address;
  readonly #zeros: Address;
  readonly #length: Address;
  readonly #digests: Digests;
  readonly #aes128: (key: Address, vector: Address) => Call;
  readonly #wrap: (key: Address, vector: Address) => Call;
  readonly #unwrap: (key: Address, vector: Address) => Call;

  /** `bytes`: length of `memory`. Throws an Error if this Node does not export the functions. */
  constructor(bytes: number) {
    const length = bytes + CONTEXT_BYTES + VECTOR_BYTES + LENGTH_BYTES;
    const piece: object = koffi.alloc('uint8', length);
    this.#at = Number(koffi.address(piece));
    this.#context = this.#at + bytes;
    this.#zeros = this.#context + CONTEXT_BYTES;
    this.#length = this.#zeros + VECTOR_BYTES;
    this.#all = new Uint8Array(koffi.view(piece, length));
    this.memory = this.#all.subarray(0, bytes);
    this.#digests = {
      sha256: digestCalls(256),
      sha384: digestCalls(384),
      sha512: digestCalls(512),
    };
    this.#aes128 = cipherCalls('aes_128', ENCRYPT);
    this.#wrap = cipherCalls('aes_256', ENCRYPT);
    this.#unwrap = cipherCalls('aes_256', DECRYPT);
    this.wipe();
  }

  /** Writes the digest of `length` bytes. */
  digest(name: Digest, from: Offset, length: number, to: Offset): void {
    const [init, update, final] = this.#digests[name];
    const isDone =
      init(this.#context) === 1 &&
      update(this.#context, this.#at + from, length) === 1 &&
      final(this.#at + to, this.#context) === 1;
    if (!isDone) throw new Error(`${name} failed`);
  }

  /**
   * Encrypts a multiple of 16 bytes with AES-128 in CBC mode, without padding. At `key` lie the 16
   * bytes of the key, then the initialization vector.
   */
  encrypt(key: Offset, from: Offset, length: number, to: Offset): void {
    const at = this.#at;
    const update = this.#aes128(at + key, at + key + VECTOR_BYTES);
    if (update(at + to, this.#length, at + from, length) !== 1) throw new Error('AES-128 failed');
  }

  /**
   * Encrypts 32 bytes with AES-256 in CBC mode, with an initialization vector of zeros and without
   * padding.
   */
  wrap(key: Offset, from: Offset, to: Offset): void {
    this.#convert(this.#wrap(this.#at + key, this.#zeros), from, to);
  }

  /** The reverse of `wrap`. */
  unwrap(key: Offset, from: Offset, to: Offset): void {
    this.#convert(this.#unwrap(this.#at + key, this.#zeros), from, to);
  }

  #convert(update: Call, from: Offset, to: Offset): void {
    const isDone = update(this.#at + to, this.#length, this.#at + from, WRAPPED_BYTES) === 1;
    if (!isDone) throw new Error('AES-256 failed');
  }

  /** Overwrites the memory and the keys that the cipher contexts hold. */
  wipe(): void {
    this.#all.fill(0);
    for (const init of [this.#aes128, this.#wrap, this.#unwrap]) init(this.#at, this.#zeros);
  }
}

function callOf(name: string, result: string, parameters: readonly string[]): Call {
  // koffi's types cannot express the parameters that the strings declare.
  return koffi.load(null).func(name, result, [...parameters]);
}

/** Functions that keep the state of a digest in memory of the caller. */
function digestCalls(bits: number): Digests[Digest] {
  const at = 'uintptr_t';
  return [
    callOf(`SHA${bits}_Init`, 'int', [at]),
    callOf(`SHA${bits}_Update`, 'int', [at, at, 'size_t']),
    callOf(`SHA${bits}_Final`, 'int', [at, at]),
  ];
}

/**
 * Creates a cipher context that is never freed. The returned function sets its key and
 * initialization vector, and returns `EVP_CipherUpdate` for that context.
 */
function cipherCalls(name: string, direction: number): (key: Address, vector: Address) => Call {
  const at = 'uintptr_t';
  const context = callOf('EVP_CIPHER_CTX_new', at, [])();
  const cipher = callOf(`EVP_${name}_cbc`, at, [])();
  const init = callOf('EVP_CipherInit_ex', 'int', [at, at, at, at, at, 'int']);
  const setPadding = callOf('EVP_CIPHER_CTX_set_padding', 'int', [at, 'int']);
  const update = callOf('EVP_CipherUpdate', 'int', [at, at, at, at, 'int']);
  if (context === 0 || init(context, cipher, 0, 0, 0, direction) !== 1)
    throw new Error('AES is not available');
  setPadding(context, 0);
  const updateThis: Call = (to, length, from, bytes) => update(context, to, length, from, bytes);
  return (key, vector) => {
    if (init(context, 0, 0, key, vector, direction) !== 1) throw new Error('AES refuses the key');
    return updateThis;
  };
}
