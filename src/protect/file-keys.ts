import { randomBytes } from 'node:crypto';
import { encryptionOf } from './check.ts';
import { type Offset, OpenSsl } from './openssl.ts';
import { HASH_BYTES, HASH_MEMORY_BYTES, hashPassword } from './password-hash.ts';

/** The passwords of a document, as UTF-8 bytes. */
interface FilePasswords {
  readonly userPassword: Uint8Array;
  readonly ownerPassword: Uint8Array;
}

/**
 * Values of the encryption dictionary, as slices of the file: hexadecimal digits, except for
 * `revision`.
 */
interface Values {
  readonly revision: Buffer;
  readonly user: ValuePair;
  readonly owner: ValuePair;
}

/** /U and /UE, or /O and /OE. */
interface ValuePair {
  readonly check: Buffer;
  readonly wrapped: Buffer;
}

const CHECK_BYTES = 48;
const SALT_BYTES = 8;
const LATIN = 'latin1';
const NOTHING = new Uint8Array();

const FILE_KEY: Offset = HASH_MEMORY_BYTES;
const HASH: Offset = FILE_KEY + HASH_BYTES;
const WRAPPED: Offset = HASH + HASH_BYTES;
const INPUT: Offset = WRAPPED + HASH_BYTES;
const MEMORY_BYTES = INPUT + 256;

/**
 * Replaces the password of a file. qpdf encrypts a file with a random file key. The encryption
 * dictionary holds that key, wrapped with each password (ISO 32000-2 §7.6.4.4.7 and §7.6.4.4.8):
 *
 *   /U  hash(password, salt a), salt a, salt b      /UE  AES-256(hash(password, salt b), file key)
 *   /O  hash(password, salt c, /U), salt c, salt d  /OE  AES-256(hash(password, salt d, /U), file key)
 *
 * The hash is SHA-256 in revision 5 and `hashPassword` in revision 6; nothing else differs.
 * Therefore qpdf encrypts in revision 5 with a random password, and this class then writes the
 * values of revision 6 for the real passwords. In this way the real passwords never enter qpdf's
 * memory. It is also faster: qpdf's hash of revision 6 takes 1.5 times as long as `hashPassword`,
 * because it passes 16 bytes at a time to AES.
 */
export class FileKeys {
  readonly #openSsl = new OpenSsl(MEMORY_BYTES);

  /**
   * Changes the file in place. Returns false, with the file unchanged, unless qpdf wrote it in
   * revision 5 with the user password `given`.
   */
  replacePassword(pdf: Buffer, given: Uint8Array, passwords: FilePasswords): boolean {
    const values = valuesOf(pdf);
    if (values === null) return false;
    try {
      if (!this.#unwrapFileKey(values.user, given)) return false;
      const userKey = this.#writePair(values.user, passwords.userPassword, NOTHING);
      this.#writePair(values.owner, passwords.ownerPassword, userKey);
      values.revision.write('6', LATIN);
      return true;
    } finally {
      this.#openSsl.wipe();
    }
  }

  /**
   * Decrypts the file key, by the hash of revision 5. Returns false if `given` is not the password.
   */
  #unwrapFileKey({ check, wrapped }: ValuePair, given: Uint8Array): boolean {
    const { memory } = this.#openSsl;
    const value = bytesOf(check);
    const hash = (salt: Uint8Array): Uint8Array => {
      memory.set(given, INPUT);
      memory.set(salt, INPUT + given.byteLength);
      this.#openSsl.digest('sha256', INPUT, given.byteLength + salt.byteLength, HASH);
      return memory.subarray(HASH, HASH + HASH_BYTES);
    };
    const isGiven = value.subarray(0, HASH_BYTES).equals(hash(validationSalt(value)));
    if (!isGiven) return false;
    hash(keySalt(value));
    memory.set(bytesOf(wrapped), WRAPPED);
    this.#openSsl.unwrap(HASH, WRAPPED, FILE_KEY);
    return true;
  }

  /** Writes both values for a password. Returns the bytes of the first one, /U or /O. */
  #writePair(pair: ValuePair, password: Uint8Array, userKey: Uint8Array): Buffer {
    const openSsl = this.#openSsl;
    const { memory } = openSsl;
    const value = randomBytes(CHECK_BYTES);
    hashPassword(openSsl, { password, salt: validationSalt(value), userKey }, HASH);
    value.set(memory.subarray(HASH, HASH + HASH_BYTES));
    hashPassword(openSsl, { password, salt: keySalt(value), userKey }, HASH);
    openSsl.wrap(HASH, FILE_KEY, WRAPPED);
    pair.check.write(value.toString('hex'), LATIN);
    const wrapped = Buffer.from(memory.subarray(WRAPPED, WRAPPED + HASH_BYTES));
    pair.wrapped.write(wrapped.toString('hex'), LATIN);
    return value;
  }
}

/** The salts are the last 16 bytes of /U and /O. */
function validationSalt(value: Buffer): Buffer {
  return value.subarray(HASH_BYTES, HASH_BYTES + SALT_BYTES);
}

function keySalt(value: Buffer): Buffer {
  return value.subarray(HASH_BYTES + SALT_BYTES, CHECK_BYTES);
}

function bytesOf(digits: Buffer): Buffer {
  return Buffer.from(digits.toString(LATIN), 'hex');
}

/** Null if a value is missing or is not in the form in which qpdf writes it. */
function valuesOf(pdf: Buffer): Values | null {
  const encryption = encryptionOf(pdf);
  if (encryption === null) return null;
  const { from, text } = encryption;
  const valueAfter = (pattern: RegExp): Buffer | null => {
    const found = pattern.exec(text);
    if (found === null) return null;
    const end = from + found.index + found[0].length;
    return pdf.subarray(end - (found[1] ?? '').length, end);
  };
  const revision = valueAfter(/ \/R (5)(?= )/);
  const [userCheck, ownerCheck, userWrapped, ownerWrapped] = [
    valueAfter(/ \/U <([0-9a-f]{96})(?=>)/),
    valueAfter(/ \/O <([0-9a-f]{96})(?=>)/),
    valueAfter(/ \/UE <([0-9a-f]{64})(?=>)/),
    valueAfter(/ \/OE <([0-9a-f]{64})(?=>)/),
  ];
  if (revision === null || !userCheck || !ownerCheck || !userWrapped || !ownerWrapped) return null;
  return {
    revision,
    user: { check: userCheck, wrapped: userWrapped },
    owner: { check: ownerCheck, wrapped: ownerWrapped },
  };
}
