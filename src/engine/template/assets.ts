import { IMAGE_REASONS, SVG_REASONS } from '../contract/reasons.ts';
import { parseDataUrl } from '../image/data-url.ts';
import type { ImageFault } from '../image/fault.ts';
import type { PreparedImage } from '../image/image.ts';
import type { DecodeBudget } from '../image/decode-budget.ts';
import { prepareImage } from '../image/image.ts';
import type { SvgElement } from '../svg/tree.ts';
import { parseSvg } from '../svg/parse.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { Findings } from './vocabulary/findings.ts';
import { suggested } from '../../runtime/nearest.ts';
import { memberPath } from './vocabulary/findings.ts';

type Prepared =
  | { readonly ok: true; readonly image: PreparedImage }
  | { readonly ok: false; readonly message: string };

/**
 * The template's static images, decoded before the walk (decoding is asynchronous, the walk is not),
 * and its static SVG.
 */
export class Assets {
  readonly #named: ReadonlyMap<string, string>;
  readonly #prepared: ReadonlyMap<string, Prepared>;
  readonly #used = new Map<string, { readonly image: PreparedImage; readonly path: string }>();
  readonly #usedNames = new Set<string>();
  readonly #findings: Findings;
  readonly #path: string;

  private constructor(
    named: ReadonlyMap<string, string>,
    prepared: ReadonlyMap<string, Prepared>,
    path: string,
    findings: Findings,
  ) {
    this.#named = named;
    this.#prepared = prepared;
    this.#path = path;
    this.#findings = findings;
  }

  /** Decodes every image of the document. `path` is where the images dictionary stands. */
  static async prepare(
    document: JsonObject,
    path: string,
    budget: DecodeBudget,
    findings: Findings,
  ): Promise<Assets> {
    const named = new Map<string, string>();
    const prepared = new Map<string, Prepared>();
    const dictionary = isObject(document['images']) ? document['images'] : {};
    for (const [name, source] of Object.entries(dictionary)) {
      const at = memberPath(path, name);
      if (typeof source !== 'string') {
        findings.error(at, 'An image is a data URL; a request for a URL is never made.');
        continue;
      }
      named.set(name, source);
      if (!prepared.has(source)) prepared.set(source, await prepareSource(source, budget));
      const result = prepared.get(source);
      if (result?.ok === false) findings.error(at, result.message);
    }
    for (const source of dataUrlsIn(document)) {
      if (!prepared.has(source)) prepared.set(source, await prepareSource(source, budget));
    }
    return new Assets(named, prepared, path, findings);
  }

  /** The image that `image` names: an entry of the dictionary or a data URL; else a finding. */
  image(source: string, path: string): PreparedImage | null {
    const named = this.#named.get(source);
    if (named !== undefined) this.#usedNames.add(source);
    const result = this.#prepared.get(named ?? source);
    if (result === undefined) {
      this.#findings.error(path, this.#unknownImage(source));
      return null;
    }
    if (!result.ok) {
      if (named === undefined) this.#findings.error(path, result.message);
      return null;
    }
    const { image } = result;
    if (!this.#used.has(image.key)) this.#used.set(image.key, { image, path });
    return image;
  }

  /** The tree of static SVG markup, or null with a finding. */
  svg(markup: string, path: string): SvgElement | null {
    const outcome = parseSvg(markup);
    if (outcome.ok) return outcome.root;
    this.#findings.error(path, `This SVG cannot be used: ${SVG_REASONS[outcome.fault]}.`);
    return null;
  }

  /** The images that nodes draw, each once. */
  used(): readonly PreparedImage[] {
    return [...this.#used.values()].map(({ image }) => image);
  }

  /** The same, each with the place that draws it first. */
  places(): readonly (readonly [path: string, image: PreparedImage])[] {
    return [...this.#used.values()].map(({ image, path }) => [path, image] as const);
  }

  /** Characters of the file that are data URLs of static images. */
  get sourceChars(): number {
    return [...this.#prepared.keys()].reduce((sum, source) => sum + source.length, 0);
  }

  reportUnused(mentioned: ReadonlySet<string>): void {
    for (const name of this.#named.keys()) {
      if (this.#usedNames.has(name) || mentioned.has(name)) continue;
      this.#findings.warning(memberPath(this.#path, name), 'No node draws this image.');
    }
  }

  #unknownImage(source: string): string {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
      return 'Remote images are not loaded; put the image into document.images as a data URL.';
    }
    const name = source.length > 60 ? `${source.slice(0, 57)}…` : source;
    const near = this.#findings.nearest(source, this.#named.keys());
    // The image counts as used: the mistyped name must mean it.
    if (near !== null) this.#usedNames.add(near);
    const hint = near === null ? '; declare it in document.images.' : suggested(near);
    return `There is no image ${JSON.stringify(name)}${hint}`;
  }
}

const BUSY = 'This image could not be decoded: too many others were being decoded. Try again.';

async function prepareSource(source: string, budget: DecodeBudget): Promise<Prepared> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    return { ok: false, message: 'Remote images are not loaded; give the image as a data URL.' };
  }
  const url = parseDataUrl(source);
  if (!url.ok) return { ok: false, message: refused(url.fault) };
  const outcome = await prepareImage(url.value.bytes, budget, 'best');
  if (outcome.ok) return { ok: true, image: outcome.value };
  const { fault } = outcome;
  return { ok: false, message: fault === 'busy' ? BUSY : refused(fault) };
}

function refused(fault: ImageFault): string {
  const reason = IMAGE_REASONS[fault];
  return `This image cannot be used: ${reason}. Give a PNG, JPEG, GIF or WebP as a data URL.`;
}

/** Data URLs that nodes hold themselves, wherever they stand; bounded by the file's size. */
function dataUrlsIn(document: JsonObject): readonly string[] {
  const found = new Set<string>();
  const pending: unknown[] = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) {
      for (const item of value) pending.push(item);
    } else if (isObject(value)) {
      const { image } = value;
      if (typeof image === 'string' && /^data:/i.test(image)) found.add(image);
      for (const member of Object.values(value)) {
        if (typeof member === 'object') pending.push(member);
      }
    }
  }
  return [...found];
}
