import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Face } from '../font/face.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import { writeOutputIntent } from './archive/archive.ts';
import type { FaceCodes } from './codes.ts';
import { LetterheadWriter } from './copy/letterheads.ts';
import { FileBuffers, PdfFile } from './file.ts';
import { FileDigests } from './file-digests.ts';
import type { StaticObjects } from './file.ts';
import { codesOf, TemplateFonts } from './fonts.ts';
import { writeImage } from './images.ts';
import type { StaticResources } from './resources.ts';
import { reference } from './syntax.ts';

/** The part that all documents share, as bytes: header, fonts, the images that each draws. */
export interface TemplateFile {
  readonly fonts: TemplateFonts;
  readonly resources: StaticResources;
  readonly prefix: StaticObjects;
  /** Computes the digests of documents without reading `prefix` again for each of them. */
  readonly digests: FileDigests;
  /** Entries of the catalog that all documents of the template share. */
  readonly catalog: string;
}

const FILES_MAX = 16;

/**
 * Files by what they are made from, which is much less than the template: while an author types, the
 * draft keeps its fonts and images. The text that was painted before is then at hand, too.
 */
const files = new LRUCache<string, TemplateFile>({ max: FILES_MAX });

/** The shared objects of a template, written once: subsets, static images, their dictionary. */
export function prepareFile(template: CompiledTemplate): TemplateFile {
  const codes = codesOf(template.fontUses);
  const key = keyOf(template, codes);
  const known = files.get(key);
  if (known !== undefined) return known;
  const made = writeShared(template, codes);
  files.set(key, made);
  return made;
}

/** The key of the file: all that `writeShared` reads. */
function keyOf(template: CompiledTemplate, codes: readonly FaceCodes[]): string {
  const { profile, compress, images } = template;
  const parts = [compress, profile.kind, images.map(({ key }) => key), codes.map(codesId)];
  return JSON.stringify(parts);
}

const codesIds = new WeakMap<FaceCodes, string>();

/** The same for equal codes of a face, however often they were assigned. */
function codesId(codes: FaceCodes): string {
  const known = codesIds.get(codes);
  if (known !== undefined) return known;
  const pages = codes.pages.flatMap(({ glyphOf, textOf, characterOf }) => [
    Buffer.from(glyphOf.buffer).toString('latin1'),
    textOf,
    characterOf,
  ]);
  const id = hash('sha256', JSON.stringify([faceId(codes.face), pages]));
  codesIds.set(codes, id);
  return id;
}

const faceIds = new WeakMap<Face, number>();
let faceCount = 0;

/** Tells faces of different font libraries apart. */
function faceId(face: Face): number {
  const known = faceIds.get(face) ?? ++faceCount;
  faceIds.set(face, known);
  return known;
}

function writeShared(template: CompiledTemplate, codes: readonly FaceCodes[]): TemplateFile {
  const { kind } = template.profile;
  const file = PdfFile.begin(new FileBuffers(1 << 17), template.compress, kind !== 'plain');
  const fonts = new TemplateFonts(codes, file);
  const imageNames = new Map<string, string>();
  const letterheads = new LetterheadWriter(file);
  let images = '';
  for (const image of template.images) {
    if (imageNames.has(image.key)) continue;
    const name = `I${imageNames.size + 1}`;
    images += `/${name} ${reference('form' in image ? letterheads.write(image) : writeImage(file, image))}`;
    imageNames.set(image.key, name);
  }
  const catalog = kind === 'archive' ? writeOutputIntent(file) : '';
  const prefix = file.freeze();
  return {
    fonts,
    catalog,
    resources: { fonts: fonts.resources, images, imageNames },
    prefix,
    digests: new FileDigests(prefix.bytes),
  };
}
