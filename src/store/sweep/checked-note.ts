import { digest } from '../ids.ts';

/** A note of the file store: the value as a line of JSON, then the line's SHA-256 as another. */
export function noteOf(value: object): Buffer {
  const line = JSON.stringify(value);
  return Buffer.from(`${line}\n${digest(line).toString('hex')}\n`);
}

/** The object in a note; null: the note is damaged. */
export function readNote(bytes: Buffer): ReadonlyMap<string, unknown> | null {
  const [line = '', sha256, ...rest] = bytes.toString('utf8').split('\n');
  if (sha256 !== digest(line).toString('hex') || rest.join('') !== '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}
