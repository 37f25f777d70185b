/** A JSON object of a foreign template. */
export type Json = Readonly<Record<string, unknown>>;

/** A part of a foreign template without an exact counterpart. */
export interface ImportNote {
  readonly place: string;
  readonly note: string;
}

/** pdfme's lengths are millimetres. */
export const PT_PER_MM = 72 / 25.4;

/** Lengths of the four sides in points. */
export interface Sides {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** A rectangle on a page, in points from its top left corner. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Keys that concern only pdfme's designer, not the printed document. */
const DESIGNER_KEYS = [
  'id',
  'key',
  'icon',
  'placeholder',
  'hideHandles',
  '__bodyRange',
  '__isSplit',
];

/**
 * Reads one object of a pdfme template and records which keys were read, so that every other key
 * gets a note.
 */
export class SchemaReader {
  readonly place: string;
  readonly #source: Json;
  readonly #notes: ImportNote[];
  readonly #read = new Set<string>(DESIGNER_KEYS);

  constructor(source: Json, place: string, notes: ImportNote[]) {
    this.#source = source;
    this.place = place;
    this.#notes = notes;
  }

  note(note: string, key = ''): void {
    this.#notes.push({ place: key === '' ? this.place : `${this.place}.${key}`, note });
  }

  /** Marks keys as read that have no effect here. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  value(key: string): unknown {
    this.#read.add(key);
    return this.#source[key];
  }

  has(key: string): boolean {
    const value = this.#source[key];
    return value !== undefined && value !== null && value !== '';
  }

  text(key: string): string {
    const value = this.value(key);
    return typeof value === 'string' ? value : '';
  }

  number(key: string, otherwise: number): number {
    return numberOf(this.value(key), otherwise);
  }

  /** A length in points. */
  points(key: string, otherwise = 0): number {
    return pointsOf(this.value(key), otherwise);
  }

  flag(key: string): boolean {
    return this.value(key) === true;
  }

  list(key: string): readonly unknown[] {
    return listOf(this.value(key));
  }

  texts(key: string): readonly string[] {
    return this.list(key).map((item) =>
      typeof item === 'string' || typeof item === 'number' ? String(item) : '',
    );
  }

  object(key: string): Json {
    const value = this.value(key);
    return isObject(value) ? value : {};
  }

  /** A reader for an object inside this one; its notes name that object's path. */
  inner(key: string): SchemaReader {
    return new SchemaReader(this.object(key), `${this.place}.${key}`, this.#notes);
  }

  /** Reads lengths by side; a missing side is 0. */
  sides(key: string): Sides {
    const sides = this.object(key);
    return {
      top: pointsOf(sides['top'], 0),
      right: pointsOf(sides['right'], 0),
      bottom: pointsOf(sides['bottom'], 0),
      left: pointsOf(sides['left'], 0),
    };
  }

  frame(): Frame {
    const position = this.object('position');
    return {
      x: pointsOf(position['x'], 0),
      y: pointsOf(position['y'], 0),
      width: this.points('width'),
      height: this.points('height'),
    };
  }

  /** An object with the colour under the key `as`; empty when there is none. */
  color(key: string, as: string): object {
    const value = this.text(key);
    return value === '' ? {} : { [as]: value };
  }

  /** Adds a note for every key that was not read. */
  reportRest(): void {
    for (const [key, value] of Object.entries(this.#source)) {
      if (this.#read.has(key) || value === null || value === '' || value === false) continue;
      this.note('this setting has no counterpart; it is left out', key);
    }
  }
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

export function pointsOf(millimetres: unknown, otherwise: number): number {
  return round(numberOf(millimetres, otherwise) * PT_PER_MM);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
