import { nearest, suggested, SUGGESTION_STEPS_MAX } from '../../../runtime/nearest.ts';
import type { Finding } from '../../job.ts';

/** More findings than this help nobody; the rest is counted. */
const FINDINGS_MAX = 500;
/** Names in a path are the author's, and may be as long as the file. */
const PATH_LENGTH_MAX = 300;
const KEY_LENGTH_MAX = 100;
const MESSAGE_LENGTH_MAX = 1_000;

/**
 * Collects what is wrong with a template, in the order of the file. There is one object per
 * compilation: the walk continues after a fault, so that an author sees all faults at once.
 */
export class Findings {
  readonly #list: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #steps = { left: SUGGESTION_STEPS_MAX };
  #dropped = 0;
  #errors = 0;

  error(path: string, message: string): void {
    this.#errors += 1;
    this.#add('error', path, message);
  }

  /** `; did you mean "x"?` for the nearest of the known words, or nothing. */
  suggestion(word: string, known: Iterable<string>): string {
    const near = this.nearest(word, known);
    return near === null ? '' : suggested(near);
  }

  /**
   * The nearest of the known words; null when none is near, when the list is full and nobody would
   * read it, or when the suggestions before this one took too long.
   */
  nearest(word: string, known: Iterable<string>): string | null {
    return this.isFull ? null : nearest(word, known, this.#steps);
  }

  /** Whether further findings are counted only. */
  get isFull(): boolean {
    return this.#list.length >= FINDINGS_MAX;
  }

  /** An error at a place that has no path: the text is not JSON from there on. */
  errorAt(line: number, column: number, message: string): void {
    this.#errors += 1;
    this.#list.push({ severity: 'error', path: '', message, line, column });
  }

  warning(path: string, message: string): void {
    this.#add('warning', path, message);
  }

  /** The errors found so far. */
  get errors(): number {
    return this.#errors;
  }

  /** Whether an error was found: then there is no compiled template. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  /** All findings; the last one says how many were left out, if any. */
  list(): readonly Finding[] {
    if (this.#dropped === 0) return this.#list;
    const message = `${this.#dropped} more findings are not listed; mend the ones above first.`;
    return [...this.#list, { severity: 'warning', path: '', message }];
  }

  #add(severity: Finding['severity'], longPath: string, longMessage: string): void {
    const path = cut(longPath, PATH_LENGTH_MAX);
    const message = cut(longMessage, MESSAGE_LENGTH_MAX);
    const key = `${path}\n${message}`;
    if (this.#seen.has(key)) return;
    if (this.isFull) {
      this.#dropped += 1;
      return;
    }
    this.#seen.add(key);
    this.#list.push({ severity, path, message });
  }
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

/** The path of a member: `a` + `b` → `a.b`, odd keys quoted. */
export function memberPath(path: string, longKey: string): string {
  const key = cut(longKey, KEY_LENGTH_MAX);
  const member = /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return path === '' && member.startsWith('.') ? key : `${path}${member}`;
}

/** A value as a message shows it: short, never a whole asset. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}
