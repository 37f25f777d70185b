import { createHash } from 'node:crypto';
import koffi from 'koffi';
import type { TokenPlace } from './messages.ts';

/**
 * The few calls of PKCS#11 (OASIS, version 2.40) that a signature needs, to a module loaded into
 * this process. Structures are bytes in the layout of 64-bit Linux and macOS, where CK_ULONG and
 * pointers have 8 bytes.
 */
export class TokenSession {
  readonly #calls: Calls;
  readonly #session: bigint;
  readonly #key: bigint;

  /** Logs in and finds the key. Throws `TokenError`. */
  constructor(place: TokenPlace, pin: string) {
    this.#calls = loadModule(place.module);
    const { initialize, openSession, login } = this.#calls;
    demand('C_Initialize', initialize(null));
    const slot = findSlot(this.#calls, place.token);
    const handle = Buffer.alloc(WORD);
    demand('C_OpenSession', openSession(slot, SERIAL_SESSION, null, null, handle));
    this.#session = handle.readBigUInt64LE();
    const secret = Buffer.from(pin, 'utf8');
    const state = login(this.#session, USER, secret, BigInt(secret.length));
    secret.fill(0);
    demand('C_Login', state);
    this.#key = findKey(this.#calls, this.#session, place.key);
  }

  /** Signs with SHA-256: PKCS #1 v1.5, or ECDSA as r and s one after the other. */
  sign(data: Uint8Array, kind: 'rsa' | 'ec'): Buffer {
    const { signInit, sign } = this.#calls;
    // Every token with ECDSA signs a digest; hashing in the token is optional.
    const input = kind === 'rsa' ? data : createHash('sha256').update(data).digest();
    const mechanism = words(kind === 'rsa' ? SHA256_RSA_PKCS : ECDSA, 0n, 0n);
    demand('C_SignInit', signInit(this.#session, mechanism, this.#key));
    const value = Buffer.alloc(VALUE_BYTES_MAX);
    const length = words(BigInt(value.length));
    demand('C_Sign', sign(this.#session, input, BigInt(input.length), value, length));
    return value.subarray(0, Number(length.readBigUInt64LE()));
  }
}

/** Finds the token without logging in, which counts no PIN. Throws `TokenError`. */
export function findToken({ module, token }: TokenPlace): void {
  const calls = loadModule(module);
  demand('C_Initialize', calls.initialize(null));
  findSlot(calls, token);
}

/** A call that the token refused. The message names call and code, never the PIN. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** True when a retry could lock the token. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

const WORD = 8;
const VALUE_BYTES_MAX = 1024;
const SLOTS_MAX = 64;
/** CK_TOKEN_INFO has 208 bytes; its first 32 are the label, padded with blanks. */
const TOKEN_INFO_BYTES = 256;
const LABEL_BYTES = 32;
/** CKF_SERIAL_SESSION, CKU_USER, CKO_PRIVATE_KEY, CKA_CLASS, CKA_LABEL. */
const SERIAL_SESSION = 4n;
const USER = 1n;
const PRIVATE_KEY = 3n;
const CLASS = 0n;
const LABEL = 3n;
/** CKM_SHA256_RSA_PKCS, CKM_ECDSA. */
const SHA256_RSA_PKCS = 0x40n;
const ECDSA = 0x1041n;
/** Return values of a refused PIN: a retry may lock the token. */
const FINAL: ReadonlyMap<bigint, string> = new Map([
  [0xa0n, 'the PIN is wrong'],
  [0xa1n, 'the PIN is wrong'],
  [0xa2n, 'the PIN is wrong'],
  [0xa3n, 'the PIN has expired'],
  [0xa4n, 'the PIN is locked'],
  [0x102n, 'the token has no user PIN'],
]);

type Call = (...words: (bigint | Buffer | Uint8Array | null)[]) => number | bigint;

interface Calls {
  readonly initialize: Call;
  readonly getSlotList: Call;
  readonly getTokenInfo: Call;
  readonly openSession: Call;
  readonly login: Call;
  readonly findObjectsInit: Call;
  readonly findObjects: Call;
  readonly findObjectsFinal: Call;
  readonly signInit: Call;
  readonly sign: Call;
}

/** Index in CK_FUNCTION_LIST and parameters: words of 8 bytes (u) and addresses (p). */
const SIGNATURES: Readonly<Record<keyof Calls, readonly [number, string]>> = {
  initialize: [0, 'p'],
  getSlotList: [4, 'upp'],
  getTokenInfo: [6, 'up'],
  openSession: [12, 'uuppp'],
  login: [18, 'uupu'],
  findObjectsInit: [26, 'upu'],
  findObjects: [27, 'upup'],
  findObjectsFinal: [28, 'u'],
  signInit: [42, 'upu'],
  sign: [43, 'upupp'],
};

function loadModule(path: string): Calls {
  let getFunctionList: Call;
  try {
    getFunctionList = koffi.load(path).func('C_GetFunctionList', 'uint64', ['void *']) as Call;
  } catch {
    // The loader's message holds paths of the machine.
    throw new TokenError('the module cannot be loaded, or is not PKCS#11');
  }
  const list = Buffer.alloc(WORD);
  demand('C_GetFunctionList', getFunctionList(list));
  const table = list.readBigUInt64LE();
  const entries = Object.entries(SIGNATURES).map(([name, [index, parameters]]) => {
    const types = Array.from(parameters, (one) => (one === 'u' ? 'uint64' : 'void *'));
    // The list begins with a version, padded to the size of an address.
    const address: unknown = koffi.decode(table, WORD + index * WORD, 'uint64');
    const type = koffi.proto(`CK_${name}`, 'uint64', types);
    return [name, koffi.decode(BigInt(address as number | bigint), type) as Call] as const;
  });
  // One entry for each key of SIGNATURES, which has the keys of Calls.
  return Object.fromEntries(entries) as unknown as Calls;
}

function findSlot({ getSlotList, getTokenInfo }: Calls, label: string): bigint {
  const list = Buffer.alloc(SLOTS_MAX * WORD);
  const count = words(BigInt(SLOTS_MAX));
  const present = 1n;
  demand('C_GetSlotList', getSlotList(present, list, count));
  const slots: bigint[] = [];
  for (let index = 0; index < Number(count.readBigUInt64LE()); index++) {
    const slot = list.readBigUInt64LE(index * WORD);
    const info = Buffer.alloc(TOKEN_INFO_BYTES);
    if (BigInt(getTokenInfo(slot, info)) !== 0n) continue;
    if (info.toString('utf8', 0, LABEL_BYTES).trimEnd() === label) slots.push(slot);
  }
  const [found] = slots;
  if (found === undefined) throw new TokenError('no token has this label');
  // One of them would get the PIN of the other and count it as a wrong one.
  if (slots.length > 1) throw new TokenError('several tokens have this label');
  return found;
}

function findKey(calls: Calls, session: bigint, label: string): bigint {
  const classValue = words(PRIVATE_KEY);
  const labelValue = Buffer.from(label, 'utf8');
  const template = Buffer.concat([
    words(CLASS, koffi.address(classValue), BigInt(classValue.length)),
    words(LABEL, koffi.address(labelValue), BigInt(labelValue.length)),
  ]);
  demand('C_FindObjectsInit', calls.findObjectsInit(session, template, 2n));
  // Asking for two keys shows whether the label is unique.
  const found = Buffer.alloc(2 * WORD);
  const count = words(0n);
  demand('C_FindObjects', calls.findObjects(session, found, 2n, count));
  demand('C_FindObjectsFinal', calls.findObjectsFinal(session));
  if (count.readBigUInt64LE() !== 1n) {
    throw new TokenError('the token has no private key with this label, or several');
  }
  return found.readBigUInt64LE();
}

/** Encodes numbers as CK_ULONGs. */
function words(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * WORD);
  values.forEach((value, index) => bytes.writeBigUInt64LE(value, index * WORD));
  return bytes;
}

/** Throws `TokenError` unless a call returned CKR_OK. */
function demand(call: string, returned: number | bigint): void {
  const code = BigInt(returned);
  if (code === 0n) return;
  const reason = FINAL.get(code);
  const isFinal = reason !== undefined;
  throw new TokenError(reason ?? `${call} failed with 0x${code.toString(16)}`, isFinal);
}
