import { execFileSync } from 'node:child_process';

/**
 * A file's objects as qpdf writes them in JSON (version 2): names are "/Name", references "7 0 R",
 * strings "u:text" or "b:hex".
 */
export type Value = null | boolean | number | string | readonly Value[] | Dictionary;
export interface Dictionary {
  readonly [key: string]: Value;
}

interface Entry {
  readonly value?: Value;
  readonly stream?: { readonly dict: Dictionary; readonly data?: string };
}

/** Objects of a file, read by qpdf alone. */
export class Objects {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly trailer: Dictionary;

  constructor(file: string) {
    const wanted = ['--json=2', '--json-stream-data=inline', '--decode-level=generalized'];
    const output = execFileSync('qpdf', [...wanted, file], { maxBuffer: 1 << 29 });
    // The format is that of qpdf's manual.
    const { qpdf } = JSON.parse(output.toString()) as { qpdf: [object, Record<string, Entry>] };
    this.#entries = new Map(Object.entries(qpdf[1]));
    const trailer = this.#entries.get('trailer')?.value;
    this.trailer = isDictionary(trailer) ? trailer : {};
  }

  resolve(value: Value | undefined): Value {
    const isReference = typeof value === 'string' && /^\d+ \d+ R$/.test(value);
    if (!isReference) return value ?? null;
    const entry = this.#entries.get(`obj:${value}`);
    return entry?.value ?? entry?.stream?.dict ?? null;
  }

  get(holder: Value | undefined, ...keys: readonly string[]): Value {
    let at = this.resolve(holder);
    for (const key of keys) at = isDictionary(at) ? this.resolve(at[key]) : null;
    return at;
  }

  /** The entry of a dictionary as it is written, a reference perhaps. */
  raw(holder: Value | undefined, key: string): Value {
    const owner = this.resolve(holder);
    return isDictionary(owner) ? (owner[key] ?? null) : null;
  }

  list(holder: Value | undefined, ...keys: readonly string[]): readonly Value[] {
    const value = this.get(holder, ...keys);
    if (value === null) return [];
    return Array.isArray(value) ? (value as readonly Value[]) : [value];
  }

  dictionary(holder: Value | undefined, ...keys: readonly string[]): Dictionary {
    const value = this.get(holder, ...keys);
    return isDictionary(value) ? value : {};
  }

  /** The bytes of the stream that a reference leads to. */
  bytes(reference: Value | undefined): Buffer {
    const entry = this.#entries.get(`obj:${idOf(reference)}`);
    return Buffer.from(entry?.stream?.data ?? '', 'base64');
  }

  /** References to the pages, in order. */
  pages(): readonly string[] {
    const pages: string[] = [];
    const walk = (reference: Value): void => {
      if (this.get(reference, '/Type') === '/Page') pages.push(idOf(reference));
      else this.list(reference, '/Kids').forEach(walk);
    };
    walk(this.raw(this.raw(this.trailer, '/Root'), '/Pages'));
    return pages;
  }
}

export function isDictionary(value: Value | undefined): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a string; null when it is none. */
export function textOf(value: Value): string | null {
  if (typeof value !== 'string') return null;
  if (value.startsWith('u:')) return value.slice(2);
  return value.startsWith('b:') ? Buffer.from(value.slice(2), 'hex').toString('latin1') : null;
}

/** A reference or a name as a string; '' for other values. */
export function idOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}
