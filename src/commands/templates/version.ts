import { InvalidArgumentError } from 'commander';

/** Parses a version number of the command line. */
export function toVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError('Allowed: integer from 1.');
  }
  return Number(text);
}

/** Parses a version number of the command line, or the word for the draft. */
export function toVersionOrDraft(text: string): number | 'draft' {
  return text === 'draft' ? text : toVersion(text);
}
