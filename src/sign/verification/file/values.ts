/** The objects of a PDF file (ISO 32000-2 §7.3), as the verification of signatures reads them. */

export type PdfValue =
  | null
  | boolean
  | number
  | PdfName
  | PdfString
  | PdfReference
  | PdfStream
  | PdfDictionary
  | readonly PdfValue[];

export interface PdfName {
  readonly kind: 'name';
  readonly name: string;
}

export interface PdfString {
  readonly kind: 'string';
  readonly bytes: Buffer;
  /** Offset of its first delimiter in the bytes that were parsed. */
  readonly from: number;
}

export interface PdfReference {
  readonly kind: 'reference';
  readonly number: number;
  readonly generation: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;

export interface PdfStream {
  readonly kind: 'stream';
  readonly dictionary: PdfDictionary;
  /** As the file has them, before any filter is undone. */
  readonly data: Buffer;
}

/** The file does not follow the syntax; the message names the place. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

export function isDictionary(value: PdfValue): value is PdfDictionary {
  return value instanceof Map;
}

export function isList(value: PdfValue): value is readonly PdfValue[] {
  return Array.isArray(value);
}

export function isName(value: PdfValue | undefined, name: string): boolean {
  return nameIn(value) === name;
}

/** The text of a name; null: the value is something else. */
export function nameIn(value: PdfValue | undefined): string | null {
  const isTagged = value !== null && typeof value === 'object' && 'kind' in value;
  return isTagged && value.kind === 'name' ? value.name : null;
}

export function asReference(value: PdfValue | undefined): PdfReference | null {
  const isTagged = value !== null && typeof value === 'object' && 'kind' in value;
  return isTagged && value.kind === 'reference' ? value : null;
}

export function asStream(value: PdfValue): PdfStream | null {
  const isTagged = value !== null && typeof value === 'object' && 'kind' in value;
  return isTagged && value.kind === 'stream' ? value : null;
}

export function asString(value: PdfValue | undefined): PdfString | null {
  const isTagged = value !== null && typeof value === 'object' && 'kind' in value;
  return isTagged && value.kind === 'string' ? value : null;
}

/** A text that is equal for two values exactly when a reader sees no difference between them. */
export function canonical(value: PdfValue): string {
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(canonical).join(' ')}]`;
  if (isDictionary(value)) {
    const keys = [...value.keys()].toSorted();
    return `<<${keys.map((key) => `${JSON.stringify(key)} ${canonical(value.get(key) ?? null)}`).join(' ')}>>`;
  }
  switch (value.kind) {
    case 'name':
      return `/${JSON.stringify(value.name)}`;
    case 'string':
      return `<${value.bytes.toString('hex')}>`;
    case 'reference':
      return `${value.number} ${value.generation} R`;
    case 'stream':
      return `${canonical(value.dictionary)}stream ${value.data.toString('hex')}`;
  }
}

/** Calls `visit` with each reference in a value. */
export function eachReference(value: PdfValue, visit: (to: PdfReference) => void): void {
  if (value === null || typeof value !== 'object') return;
  if (isList(value)) {
    for (const item of value) eachReference(item, visit);
    return;
  }
  if (isDictionary(value)) {
    for (const item of value.values()) eachReference(item, visit);
    return;
  }
  if (value.kind === 'reference') visit(value);
  if (value.kind === 'stream') eachReference(value.dictionary, visit);
}
