import { isPlain, type Setting, textMatching } from './setting.ts';

const KEY_BYTES = 32;
const HEX = /^[0-9a-f]{64}$/i;
/** Standard or URL-safe base64 of 32 bytes, with or without padding. */
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Parses keys separated by commas or white space; undefined: one of them is not a key. */
export function readKeyList(text: string): readonly Uint8Array[] | undefined {
  const encodedKeys = text.split(/[\s,]+/).filter((word) => word !== '');
  const keys: Uint8Array[] = [];
  for (const encoded of encodedKeys) {
    if (!HEX.test(encoded) && !BASE64.test(encoded)) return undefined;
    // Node's base64 decoder accepts both alphabets.
    const key = Buffer.from(encoded, HEX.test(encoded) ? 'hex' : 'base64');
    if (key.byteLength !== KEY_BYTES) return undefined;
    keys.push(key);
  }
  return keys.length === 0 ? undefined : keys;
}

const encryptionKeys: Setting<readonly Uint8Array[] | null> = {
  variable: 'INTAGLIO_ENCRYPTION_KEYS',
  unit: '',
  preset: '',
  allowed: 'comma list of keys of 32 bytes, each in base64 or hexadecimal',
  help: 'Encrypt stored files: the first encrypts, all decrypt. Unset: files are not encrypted.',
  secret: true,
  read: readKeyList,
  absent: () => null,
};

/** Settings of the encryption of stored files. */
export const ENCRYPTION = {
  encryptionKeys,
  encryptionKeysCommand: textMatching(
    'INTAGLIO_ENCRYPTION_KEYS_COMMAND',
    null,
    'shell command',
    'Prints such a list; run at the start, every 15 minutes, and when a file needs a further key.',
    isPlain,
  ),
} as const;

/** A fault when both sources of keys are set, which would disagree after a rotation. */
export function encryptionFaults(isGiven: (variable: string) => boolean): string[] {
  const { encryptionKeys: list, encryptionKeysCommand: command } = ENCRYPTION;
  const lists = [list.variable, `${list.variable}_FILE`];
  if (!isGiven(command.variable) || !lists.some(isGiven)) return [];
  return [
    `${list.variable} and ${command.variable} are both set; keep one of them, and unset the other`,
  ];
}
