import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../runtime/error-code.ts';

/** A file of the browser application. */
export interface StudioFile {
  readonly type: string;
  readonly encoding: '' | 'br' | 'gzip';
  readonly bytes: Uint8Array;
}

/** Pages that the build makes. */
export type StudioPage = 'index.html' | 'docs.html';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff2: 'font/woff2',
  bcmap: 'application/octet-stream',
  pfb: 'application/octet-stream',
};

/** Limit of the cache of assets; the whole application is smaller. */
const KEPT_BYTES_MAX = 16 * 1_048_576;

/**
 * The built browser application in a folder: pages, and assets whose names hold their own digest.
 * The build puts a compressed copy beside each asset that gains from it.
 */
export class StudioFiles {
  readonly #folder: string;
  #builtAtMs = 0;
  #names: ReadonlySet<string> = new Set();
  readonly #pages = new Map<StudioPage, string>();
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text of a page; null when the application is not built. */
  async page(name: StudioPage): Promise<string | null> {
    if (!(await this.#refresh())) return null;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const text = await readFile(join(this.#folder, name), 'utf8');
    this.#pages.set(name, text);
    return text;
  }

  /** Finds an asset; null: no asset has this name. `accepted` is the value of Accept-Encoding. */
  async asset(name: string, accepted: string): Promise<StudioFile | null> {
    try {
      return await this.#find(name, accepted);
    } catch (error) {
      // A page that was opened before the last build still asks for files of the build before.
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async #find(name: string, accepted: string): Promise<StudioFile | null> {
    if (!this.#names.has(name) && !(await this.#refresh())) return null;
    // Only names that the build made are read, so no name can lead out of the folder.
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (!this.#names.has(name) || type === undefined) return null;
    const has = (coding: string): boolean => new RegExp(`\\b${coding}\\b(?!;q=0)`).test(accepted);
    if (has('br') && this.#names.has(`${name}.br`)) {
      return { type, encoding: 'br', bytes: await this.#read(`${name}.br`) };
    }
    if (has('gzip') && this.#names.has(`${name}.gz`)) {
      return { type, encoding: 'gzip', bytes: await this.#read(`${name}.gz`) };
    }
    return { type, encoding: '', bytes: await this.#read(name) };
  }

  async #read(name: string): Promise<Uint8Array> {
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const bytes = await readFile(join(this.#folder, 'assets', name));
    if (this.#keptBytes + bytes.byteLength <= KEPT_BYTES_MAX) {
      this.#keptBytes += bytes.byteLength;
      this.#kept.set(name, bytes);
    }
    return bytes;
  }

  /** Reloads the application if it was rebuilt; false when it is not built. */
  async #refresh(): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(join(this.#folder, 'index.html'));
      if (mtimeMs === this.#builtAtMs) return true;
      this.#names = new Set(await readdir(join(this.#folder, 'assets')));
      this.#pages.clear();
      this.#kept.clear();
      this.#keptBytes = 0;
      this.#builtAtMs = mtimeMs;
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
}
