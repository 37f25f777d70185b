import { NOTE_CHARACTERS_MAX } from '../../store/store.ts';
import { UsageError } from '../console/failure.ts';

/** Reads the note of a version; throws for one that the API refuses, too. */
export function toNote(text: string): string {
  const isPlain = !/[^\P{Cc}\n\t]/u.test(text);
  if (isPlain && Array.from(text).length <= NOTE_CHARACTERS_MAX) return text;
  throw new UsageError(
    `the note is not allowed; allowed: at most ${NOTE_CHARACTERS_MAX} characters, no control characters`,
  );
}
