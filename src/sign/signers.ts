import { type KeyObject, sign, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import type { Certificate } from 'pkijs';
import type { KeyKind } from './cms.ts';
import { sha256, SignatureFormat } from './cms.ts';
import { ask } from './http.ts';
import { asCertificate } from './long-term/revocation.ts';
import { LongTermData } from './long-term/validation-data.ts';
import { orderChain, readPkcs12 } from './pkcs12.ts';
import { isObject } from '../runtime/json-object.ts';
import { chainFault, validityFault } from './signer-check.ts';
import { PinRefused, SigningError } from './signing-error.ts';
import type { TokenPlace } from './token/messages.ts';
import { TokenKey } from './token/token.ts';

/** The signer of a team: it computes signature values and never exposes its key. */
export interface Signer {
  readonly chain: readonly X509Certificate[];
  readonly kind: KeyKind;
  /** Encodes its signatures. */
  readonly format: SignatureFormat;
  /** URL of the time-stamp authority; null: signatures have no time stamp. */
  readonly timeStampUrl: string | null;
  /** Certificates that are known: those above the signer's, and those that its entry names. */
  readonly authorities: readonly Certificate[];
  readonly timeoutMs: number;
  /** Proofs for long-term verification (PAdES B-LT); null: signatures have none. */
  readonly longTerm: LongTermData | null;
  /** Rows of runs that it signs at a time; more would wait before it, and requests behind them. */
  readonly rowsMax: number;
  /** Signs with SHA-256; ECDSA values are in DER. Throws `SigningError`. */
  sign(toBeSigned: Uint8Array): Promise<Uint8Array>;
}

/** The entry of a team in the signers file; SIGNERS_SCHEMA describes the same. */
interface SignerEntry {
  readonly pkcs12?: string;
  readonly passwordFile?: string;
  readonly url?: string;
  readonly certificates?: string;
  readonly tokenFile?: string;
  readonly pkcs11?: TokenPlace & { readonly pinFile: string };
  readonly timeStampUrl?: string;
  readonly timeStampAuthorities?: string;
  readonly timeoutMs?: number;
  readonly longTerm?: {
    readonly authorities?: string;
    readonly files?: readonly string[];
    readonly hosts?: readonly string[];
    readonly ageSeconds?: number;
  };
}

/** The signers file maps teams to signers. Paths are relative to the file's folder. */
export const SIGNERS_SCHEMA = {
  type: 'object',
  required: ['teams'],
  additionalProperties: false,
  properties: {
    teams: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          pkcs12: { type: 'string', minLength: 1 },
          passwordFile: { type: 'string', minLength: 1 },
          url: { type: 'string', pattern: '^https?://' },
          certificates: { type: 'string', minLength: 1 },
          tokenFile: { type: 'string', minLength: 1 },
          pkcs11: {
            type: 'object',
            required: ['module', 'token', 'key', 'pinFile'],
            additionalProperties: false,
            properties: {
              module: { type: 'string', minLength: 1 },
              token: { type: 'string', minLength: 1 },
              key: { type: 'string', minLength: 1 },
              pinFile: { type: 'string', minLength: 1 },
            },
          },
          timeStampUrl: { type: 'string', pattern: '^https?://' },
          timeStampAuthorities: { type: 'string', minLength: 1 },
          timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000 },
          longTerm: {
            type: 'object',
            additionalProperties: false,
            properties: {
              authorities: { type: 'string', minLength: 1 },
              files: { type: 'array', maxItems: 20, items: { type: 'string', minLength: 1 } },
              hosts: { type: 'array', maxItems: 20, items: { type: 'string', minLength: 1 } },
              ageSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
            },
          },
        },
        dependencies: { longTerm: ['timeStampUrl'], timeStampAuthorities: ['timeStampUrl'] },
        oneOf: [
          { required: ['pkcs12', 'passwordFile'], not: { required: ['certificates'] } },
          { required: ['url', 'certificates'] },
          { required: ['pkcs11', 'certificates'] },
        ],
      },
    },
  },
} as const;

/** Defaults of `timeoutMs` and `longTerm.ageSeconds`. */
const TIMEOUT_MS = 5_000;
const AGE_SECONDS = 300;
/** A token signs one after the other in one session: the next digest waits there already. */
const TOKEN_ROWS_MAX = 2;
/** Requests to an HTTP signer at a time, for rows. */
const REMOTE_ROWS_MAX = 8;
/** Limit of the response of an HTTP signer. */
const RESPONSE_BYTES_MAX = 64 * 1024;

/** The file does not follow docs/signing.md. The message names the place, never a secret. */
export class SignersError extends Error {
  override readonly name = 'SignersError';
  /** Whether a token refused a PIN, which must not be tried again. */
  readonly isPinRefused: boolean;

  constructor(message: string, isPinRefused = false) {
    super(message);
    this.isPinRefused = isPinRefused;
  }
}

/** Whether tokens are opened: `find` looks for them without logging in, which counts no PIN. */
type TokenUse = 'open' | 'find';

/**
 * Reads the signers file and all keys and certificates that it names, and checks them. Throws
 * `SignersError` for the first signer that could not sign now.
 */
export async function readSigners(
  path: string,
  use: TokenUse = 'open',
): Promise<ReadonlyMap<string, Signer>> {
  const folder = dirname(path);
  const source = await readSource(path);
  const signers = new Map<string, Signer>();
  for (const [teamId, entry] of Object.entries(source.teams)) {
    try {
      signers.set(teamId, await openSigner(entry, folder, use));
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it cannot be used';
      throw new SignersError(`teams.${teamId}: ${why}`, error instanceof PinRefused);
    }
  }
  return signers;
}

async function readSource(
  path: string,
): Promise<{ readonly teams: Readonly<Record<string, SignerEntry>> }> {
  const text = await readFile(path, 'utf8');
  let source: unknown;
  try {
    source = JSON.parse(text);
  } catch {
    throw new SignersError('it is not JSON');
  }
  const validate = new Ajv({ allErrors: false, strictRequired: false }).compile<{
    teams: Record<string, SignerEntry>;
  }>(SIGNERS_SCHEMA);
  if (validate(source)) return source;
  const [first] = validate.errors ?? [];
  throw new SignersError(`${first?.instancePath ?? ''} ${first?.message ?? 'is wrong'}`.trim());
}

async function openSigner(entry: SignerEntry, folder: string, use: TokenUse): Promise<Signer> {
  const { timeStampUrl = null, timeoutMs = TIMEOUT_MS } = entry;
  const pathOf: PathOf = (file) => resolve(folder, file);
  const key = await openKey(entry, pathOf, timeoutMs, use);
  const named = await readAuthorities(entry, pathOf);
  // The signer's own certificate is no authority.
  const authorities = [...key.chain.slice(1), ...named].map(asCertificate);
  if (timeStampUrl !== null && authorities.length === 0) {
    throw new SignersError('timeStampAuthorities: name the certificates above the authority');
  }
  const longTerm = openLongTerm(entry, authorities, pathOf, timeoutMs);
  const format = new SignatureFormat(key.chain, key.kind);
  return { ...key, format, timeStampUrl, authorities, timeoutMs, longTerm };
}

/** The certificates that an entry names beside the chain. */
async function readAuthorities(
  { timeStampAuthorities, longTerm }: SignerEntry,
  pathOf: PathOf,
): Promise<readonly X509Certificate[]> {
  const all: X509Certificate[] = [];
  for (const [key, path] of [
    ['timeStampAuthorities', timeStampAuthorities],
    ['longTerm.authorities', longTerm?.authorities],
  ] as const) {
    if (path === undefined) continue;
    all.push(...readCertificates(await readFile(pathOf(path), 'utf8'), key));
  }
  return all;
}

/** Resolves a path of the signers file. */
type PathOf = (file: string) => string;
/** The part of a signer that depends on where its key is. */
type Key = Pick<Signer, 'chain' | 'kind' | 'rowsMax' | 'sign'>;

async function openKey(
  entry: SignerEntry,
  pathOf: PathOf,
  timeoutMs: number,
  use: TokenUse,
): Promise<Key> {
  if (entry.url !== undefined) {
    const pem = await readFile(pathOf(entry.certificates ?? ''), 'utf8');
    const token = entry.tokenFile === undefined ? '' : await readSecret(pathOf(entry.tokenFile));
    return remoteSigner(entry.url, token, usable(readChain(pem, 'certificates')), timeoutMs);
  }
  if (entry.pkcs11 !== undefined) return openToken(entry, entry.pkcs11, pathOf, timeoutMs, use);
  const password = await readSecret(pathOf(entry.passwordFile ?? ''));
  const { key, chain } = await readPkcs12(await readFile(pathOf(entry.pkcs12 ?? '')), password);
  const rowsMax = availableParallelism();
  return { chain: usable(chain), kind: kindOf(key), rowsMax, sign: (data) => signWith(key, data) };
}

/** Logs into the token, so that a wrong PIN or label stops the start. */
async function openToken(
  { certificates = '' }: SignerEntry,
  { pinFile, ...place }: NonNullable<SignerEntry['pkcs11']>,
  pathOf: PathOf,
  timeoutMs: number,
  use: TokenUse,
): Promise<Key> {
  const chain = usable(readChain(await readFile(pathOf(certificates), 'utf8'), 'certificates'));
  const [certificate] = chain;
  if (certificate === undefined) throw new SignersError('certificates: none');
  const kind = kindOf(certificate.publicKey);
  const token = new TokenKey(place, await readSecret(pathOf(pinFile)), timeoutMs);
  await (use === 'open' ? token.open() : token.find());
  return { chain, kind, rowsMax: TOKEN_ROWS_MAX, sign: (data) => token.sign(data, kind) };
}

function openLongTerm(
  { longTerm }: SignerEntry,
  authorities: readonly Certificate[],
  pathOf: PathOf,
  timeoutMs: number,
): LongTermData | null {
  if (longTerm === undefined) return null;
  const { files = [], hosts = null, ageSeconds = AGE_SECONDS } = longTerm;
  const ageMsMax = ageSeconds * 1_000;
  return new LongTermData({ authorities, files: files.map(pathOf), hosts, ageMsMax, timeoutMs });
}

async function readSecret(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
}

function readCertificates(pem: string, key: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new SignersError(`${key}: no certificate in PEM`);
  return blocks.map((block) => new X509Certificate(block));
}

/** Reads the certificates of a PEM file, the signer's certificate first. */
function readChain(pem: string, key: string): readonly X509Certificate[] {
  const [first, ...others] = readCertificates(pem, key);
  if (first === undefined) throw new SignersError(`${key}: no certificate in PEM`);
  return orderChain(first, others);
}

/** The chain, if it can sign now: a signature that no reader accepts is worse than none. */
function usable(chain: readonly X509Certificate[]): readonly X509Certificate[] {
  const fault = chainFault(chain) ?? validityFault(chain, Date.now());
  if (fault !== null) throw new SignersError(fault);
  return chain;
}

const signAsync = promisify(sign);

/** Signs on libuv's thread pool, because RSA-3072 takes milliseconds. */
function signWith(key: KeyObject, data: Uint8Array): Promise<Uint8Array> {
  return signAsync('sha256', data, key);
}

function kindOf(key: KeyObject): KeyKind {
  const { asymmetricKeyType } = key;
  if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ec') return asymmetricKeyType;
  throw new SignersError('the key is neither RSA nor ECDSA');
}

/**
 * A key behind an HTTP signer, which receives the SHA-256 of the bytes to sign and returns the
 * signature, both as base64 in JSON. The file and its data never leave this service.
 */
function remoteSigner(
  url: string,
  token: string,
  chain: readonly X509Certificate[],
  timeoutMs: number,
): Key {
  const [certificate] = chain;
  if (certificate === undefined) throw new SignersError('certificates: none');
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  return {
    chain,
    kind: kindOf(certificate.publicKey),
    rowsMax: REMOTE_ROWS_MAX,
    sign: async (toBeSigned) => {
      const digest = sha256(toBeSigned).toString('base64');
      const body = JSON.stringify({ algorithm: 'SHA-256', digest });
      const contentType = 'application/json';
      const bytesMax = RESPONSE_BYTES_MAX;
      return signatureIn(await ask({ url, body, contentType, headers, timeoutMs, bytesMax }));
    },
  };
}

function signatureIn(response: Uint8Array): Uint8Array {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(response).toString('utf8'));
    if (isObject(parsed) && typeof parsed['signature'] === 'string') {
      return Buffer.from(parsed['signature'], 'base64');
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new SigningError('the signer returned no signature');
}
