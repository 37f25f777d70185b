import type { FileStore } from '../files/files.ts';
import type { SealKey } from './seal-key.ts';
import type { Seal } from './types.ts';

/** Name of the file, beside the folders of the documents, that holds the last seal. */
export const REMEMBERED_FILE = '.audit-seal';

/**
 * The last seal as the file store remembers it. `changed`: the file holds something else than a seal
 * by this key; a seal by another key counts as one, because an operator may change the key.
 */
export type Remembered = Seal | 'nothing' | 'changed';

/** Reads the last seal from the file store. */
export async function readRemembered(files: FileStore, key: SealKey): Promise<Remembered> {
  const bytes = await files.readNote(REMEMBERED_FILE);
  if (bytes === null) return 'nothing';
  const seal = parse(bytes.toString('utf8'));
  if (seal === null) return 'changed';
  return seal.keyId !== key.id || key.made(seal) ? seal : 'changed';
}

/** Remembers the seal as the last one; durable when this resolves. */
export async function remember(files: FileStore, seal: Seal): Promise<void> {
  await files.writeNote(REMEMBERED_FILE, Buffer.from(`${JSON.stringify(seal)}\n`));
}

function parse(text: string): Seal | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isSeal(value) ? value : null;
}

const NUMBERS = ['number', 'fromMs', 'untilMs', 'records', 'sealedAtMs'] as const;
const TEXTS = ['digest', 'previous', 'seal', 'keyId'] as const;

function isSeal(value: unknown): value is Seal {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    NUMBERS.every((name) => Number.isSafeInteger(fields.get(name))) &&
    TEXTS.every((name) => typeof fields.get(name) === 'string')
  );
}
