import type { Cos, Dictionary } from './cos.ts';
import { isDictionary, isStream, Keyword, latin, Name, PdfString } from './cos.ts';
import type { Fact, PdfDocument } from './file.ts';
import type { CheckedFont } from './fonts.ts';
import { readFont } from './fonts.ts';

/** A marked-content sequence that is open. */
interface Mark {
  readonly tag: string;
  readonly mcid: number | null;
  readonly properties: Dictionary | null;
}

/** A content stream, and where it was found. */
interface Place {
  readonly where: string;
  readonly resources: Cos;
  /** Which marked content of this page is in the structure tree. */
  readonly isTagged: (mcid: number) => boolean;
  readonly marks: readonly Mark[];
  readonly depth: number;
}

/** Text under a marked-content identifier, in the order of the content. */
export type MarkedTexts = Map<number, string>;

// prettier-ignore
const OPERATORS = new Set([
  'b', 'B', 'b*', 'B*', 'BDC', 'BI', 'BMC', 'BT', 'BX', 'c', 'cm', 'CS', 'cs', 'd', 'd0', 'd1', 'Do',
  'DP', 'EI', 'EMC', 'ET', 'EX', 'f', 'F', 'f*', 'G', 'g', 'gs', 'h', 'i', 'ID', 'j', 'J', 'K', 'k',
  'l', 'm', 'M', 'MP', 'n', 'q', 'Q', 're', 'RG', 'rg', 'ri', 's', 'S', 'SC', 'sc', 'SCN', 'scn',
  'sh', 'T*', 'Tc', 'Td', 'TD', 'Tf', 'Tj', 'TJ', 'TL', 'Tm', 'Tr', 'Ts', 'Tw', 'Tz', 'v', 'w', 'W',
  'W*', 'y', "'", '"',
]);
const PAINTING = new Set(['b', 'B', 'b*', 'B*', 'f', 'F', 'f*', 's', 'S', 'sh', 'EI']);
const SHOWING = new Set(['Tj', 'TJ', "'", '"']);
const COLORS: Readonly<Record<string, string>> = {
  g: 'PDDeviceGray',
  G: 'PDDeviceGray',
  rg: 'PDDeviceRGB',
  RG: 'PDDeviceRGB',
  k: 'PDDeviceCMYK',
  K: 'PDDeviceCMYK',
};

/** Interprets content streams and records the facts that the rules need. */
export class ContentReader {
  readonly #document: PdfDocument;
  readonly #facts: Fact[];
  readonly #outputSpace: string | null;
  readonly #fonts = new Map<Cos, CheckedFont>();
  readonly #seen = new Set<string>();
  /** How often each form with marked content of the structure is drawn. */
  readonly #taggedForms = new Map<Cos, number>();
  readonly texts: MarkedTexts = new Map();
  hasTransparency = false;

  constructor(document: PdfDocument, facts: Fact[], outputSpace: string | null) {
    this.#document = document;
    this.#facts = facts;
    this.#outputSpace = outputSpace;
  }

  #fact(type: string, where: string, properties: Readonly<Record<string, unknown>>): void {
    const key = `${type} ${JSON.stringify(properties)}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#facts.push({ type, where, properties });
  }

  /** Interprets a page, whose content streams are read as one. */
  page(page: Dictionary, where: string, isTagged: Place['isTagged']): void {
    const contents = this.#document.get(page, 'Contents');
    const streams = Array.isArray(contents) ? contents : [contents];
    const parts = streams.map((stream) => {
      const found = this.#document.resolve(stream);
      return isStream(found) ? Buffer.from(this.#document.data(found)) : Buffer.alloc(0);
    });
    const bytes = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
    const own = page.has('Resources') ? this.#document.get(page, 'Resources') : null;
    this.texts.clear();
    this.#run(bytes, { where, resources: own, isTagged, marks: [], depth: 0 });
  }

  /** Interprets an appearance stream. */
  form(form: Cos, where: string): void {
    this.#form(form, { where, resources: null, isTagged: () => false, marks: [], depth: 0 }, false);
  }

  #run(bytes: Uint8Array, place: Place): void {
    const run = new Run(place);
    const lexer = this.#document.lexer(bytes, 0, false, place.where);
    let operands: Cos[] = [];
    for (;;) {
      const token = lexer.next();
      if (token === undefined) break;
      if (!(token instanceof Keyword)) {
        operands.push(token);
        continue;
      }
      const { word } = token;
      if (!OPERATORS.has(word)) this.#fact('Op_Undefined', place.where, { operator: word });
      if (word === 'ID') {
        lexer.at = this.#inline(operands, bytes, lexer.at, place.where);
        operands = [];
        continue;
      }
      this.#operator(word, operands, run);
      operands = word === 'BI' ? operands : [];
    }
    const inheritedResourceNames = run.missing.join('&');
    this.#fact('PDContentStream', place.where, { inheritedResourceNames });
  }

  #operator(word: string, operands: readonly Cos[], run: Run): void {
    const { place } = run;
    const last = operands.at(-1);
    const name = last instanceof Name ? last.value : '';
    const color = COLORS[word];
    if (color !== undefined) this.#color(color, place.where);
    if (PAINTING.has(word)) this.#item(run, 'path');
    if (SHOWING.has(word)) this.#show(operands, run);
    if (word === 'q') this.#fact('Op_q_gsave', place.where, { nestingLevel: run.save() });
    else if (word === 'Q') run.restore();
    else if (word === 'BMC' || word === 'BDC') this.#open(operands, run);
    else if (word === 'EMC') run.close();
    else if (word === 'Tf') run.font = this.#font(operands[0], run);
    else if (word === 'Tr') run.mode = Number(last);
    else if (word === 'ri') this.#intent(name, place.where);
    else if (word === 'gs')
      this.#graphicsState(run.resource('ExtGState', name, this.#document), run);
    else if (word === 'Do') this.#object(run.resource('XObject', name, this.#document), run);
    else if (word === 'cs' || word === 'CS') this.#space(name, run);
    else if (word === 'scn' || word === 'SCN') this.#pattern(name, run);
  }

  #color(type: string, where: string): void {
    this.#fact(type, where, { gOutputCS: this.#outputSpace });
  }

  #intent(internalRepresentation: string, where: string): void {
    this.#fact('CosRenderingIntent', where, { internalRepresentation });
  }

  #space(name: string, run: Run): void {
    if (name.startsWith('Device')) this.#color(`PD${name}`, run.place.where);
    else if (name !== 'Pattern') run.resource('ColorSpace', name, this.#document);
  }

  #open(operands: readonly Cos[], run: Run): void {
    const [tag, properties] = operands;
    const found =
      properties instanceof Name
        ? run.resource('Properties', properties.value, this.#document)
        : (properties ?? null);
    const dictionary = isDictionary(found) ? found : null;
    const mark: Mark = {
      tag: tag instanceof Name ? tag.value : '',
      mcid: this.#document.numberAt(dictionary, 'MCID'),
      properties: dictionary,
    };
    const text = (key: string): string | null => this.#document.textAt(dictionary, key);
    const lang = text('Lang');
    this.#fact('SEMarkedContent', run.place.where, {
      tag: mark.tag,
      isTaggedContent: run.isTagged,
      parentsTags: run.tags.join('&'),
      ActualText: text('ActualText'),
      Alt: text('Alt'),
      E: text('E'),
      Lang: lang,
      inheritedLang: run.lang(this.#document),
      gContainsCatalogLang: this.#document.has(this.#document.catalog, 'Lang'),
    });
    if (lang !== null) this.#fact('CosLang', run.place.where, { unicodeValue: lang });
    // A tagged sequence inside an artifact violates a separate rule.
    const isTagged = mark.mcid !== null && run.place.isTagged(mark.mcid);
    if (isTagged) {
      this.#fact('SEMarkedContent', run.place.where, {
        tag: mark.tag,
        isTaggedContent: true,
        parentsTags: run.tags.join('&'),
        ActualText: null,
        Alt: null,
        E: null,
        Lang: null,
        inheritedLang: null,
        gContainsCatalogLang: true,
      });
    }
    run.marks.push(mark);
    const actual = text('ActualText');
    if (actual !== null) this.#read(run, actual);
  }

  /** Records a piece of content: tagged, or an artifact. */
  #item(run: Run, kind: string): void {
    this.#fact('SESimpleContentItem', run.place.where, {
      kind,
      isTaggedContent: run.isTagged,
      parentsTags: run.tags.join('&'),
    });
  }

  #font(name: Cos | undefined, run: Run): CheckedFont | null {
    const found = run.resource('Font', name instanceof Name ? name.value : '', this.#document);
    if (found === null) return null;
    const known = this.#fonts.get(found);
    if (known !== undefined) return known;
    const font = readFont(this.#document, found, run.place.where);
    this.#fonts.set(found, font);
    this.#facts.push(...font.facts);
    return font;
  }

  #show(operands: readonly Cos[], run: Run): void {
    this.#item(run, 'text');
    const gContainsCatalogLang = this.#document.has(this.#document.catalog, 'Lang');
    const Lang = run.lang(this.#document);
    this.#fact('SETextItem', run.place.where, { gContainsCatalogLang, Lang });
    const shown = operands.flatMap((operand) => (Array.isArray(operand) ? operand : [operand]));
    const { font } = run;
    if (font === null) return;
    for (const part of shown) {
      if (!(part instanceof PdfString)) continue;
      for (let at = 0; at < part.value.length; at += font.codeBytes) {
        let code = part.value.charCodeAt(at);
        if (font.codeBytes === 2) code = code * 256 + part.value.charCodeAt(at + 1);
        this.#glyph(font, code, run);
      }
    }
  }

  #glyph(font: CheckedFont, code: number, run: Run): void {
    const glyph = font.glyph(code);
    const actual = run.marks.some(({ properties }) => properties?.has('ActualText') ?? false);
    const unicodePUA = /[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/u.test(glyph.toUnicode ?? '');
    this.#fact('Glyph', `${font.where}, code ${code}`, {
      ...glyph,
      font: font.where,
      code,
      renderingMode: run.mode,
      unicodePUA,
      actualTextPresent: actual,
    });
    if (!actual) this.#read(run, glyph.toUnicode ?? '');
  }

  /** Notes text under the innermost marked content that has a number. */
  #read(run: Run, text: string): void {
    const mcid = run.marks.findLast((mark) => mark.mcid !== null)?.mcid;
    if (mcid !== undefined && mcid !== null) {
      this.texts.set(mcid, (this.texts.get(mcid) ?? '') + text);
    }
  }

  #graphicsState(state: Cos, run: Run): void {
    const { where } = run.place;
    const document = this.#document;
    const blend = document.nameAt(state, 'BM');
    const transfer = document.get(state, 'TR2');
    this.#fact('PDExtGState', where, {
      containsTR: document.has(state, 'TR'),
      containsTR2: transfer !== null,
      TR2NameValue: transfer instanceof Name ? transfer.value : null,
      containsHTP: document.has(state, 'HTP'),
    });
    if (blend !== null) this.#fact('CosBM', where, { internalRepresentation: blend });
    const intent = document.nameAt(state, 'RI');
    if (intent !== null) this.#intent(intent, where);
    const opacity = Math.min(
      document.numberAt(state, 'ca') ?? 1,
      document.numberAt(state, 'CA') ?? 1,
    );
    const mask = document.get(state, 'SMask');
    if (opacity < 1 || isDictionary(mask)) this.hasTransparency = true;
    const group = document.get(mask, 'G');
    if (group !== null) this.#form(group, run.place, false, run.marks);
  }

  #pattern(name: string, run: Run): void {
    if (name === '') return;
    const pattern = run.resource('Pattern', name, this.#document);
    if (isStream(pattern)) this.#form(pattern, run.place, false, [{ ...ARTIFACT }]);
    const space = this.#document.nameAt(this.#document.get(pattern, 'Shading'), 'ColorSpace');
    if (space !== null) this.#color(`PD${space}`, run.place.where);
  }

  #object(object: Cos, run: Run): void {
    const { where } = run.place;
    const subtype = this.#document.nameAt(object, 'Subtype');
    this.#fact('PDXObject', where, { Subtype: subtype });
    this.#item(run, 'object');
    if (subtype === 'Form') this.#form(object, run.place, true, run.marks);
    else if (subtype === 'Image') this.#image(object, where);
  }

  #form(form: Cos, place: Place, isObject: boolean, marks: readonly Mark[] = []): void {
    const document = this.#document;
    if (!isStream(form) || place.depth > 32) return;
    const where = `${place.where}, form in object ${document.numberOf(form)}`;
    if (isObject) {
      const drawn = (this.#taggedForms.get(form) ?? 0) + 1;
      this.#taggedForms.set(form, drawn);
      const hasStructure = document.has(form, 'StructParents');
      this.#fact('PDXForm', where, {
        Subtype2: document.nameAt(form, 'Subtype2'),
        containsPS: document.has(form, 'PS'),
        containsOPI: document.has(form, 'OPI'),
        containsRef: document.has(form, 'Ref'),
        isUniqueSemanticParent: !hasStructure || drawn === 1,
      });
      if (document.nameAt(document.get(form, 'Group'), 'S') === 'Transparency') {
        this.hasTransparency = true;
      }
    }
    const resources = document.get(form, 'Resources');
    const inner: Place = { ...place, where, resources, marks, depth: place.depth + 1 };
    this.#run(document.data(form), inner);
  }

  #image(image: Cos, where: string): void {
    const document = this.#document;
    const isMask = document.get(image, 'ImageMask') === true;
    this.#fact('PDXImage', where, {
      containsAlternates: document.has(image, 'Alternates'),
      containsOPI: document.has(image, 'OPI'),
      Interpolate: document.get(image, 'Interpolate') === true,
      isMask,
      BitsPerComponent: document.numberAt(image, 'BitsPerComponent'),
    });
    const space = document.get(image, 'ColorSpace');
    const base = Array.isArray(space) ? document.resolve(space[1]) : space;
    if (base instanceof Name) this.#color(`PD${base.value}`, where);
    const intent = document.nameAt(image, 'Intent');
    if (intent !== null) this.#intent(intent, where);
    const soft = document.get(image, 'SMask');
    if (soft !== null) {
      this.hasTransparency = true;
      this.#image(soft, where);
    }
  }

  /** Skips an inline image after ID; returns where EI begins. */
  #inline(entries: readonly Cos[], bytes: Uint8Array, at: number, where: string): number {
    const of = (short: string, long: string): Cos => {
      const index = entries.findIndex(
        (entry) => entry instanceof Name && (entry.value === short || entry.value === long),
      );
      return index < 0 ? null : (entries[index + 1] ?? null);
    };
    const bits = of('BPC', 'BitsPerComponent');
    const isMask = of('IM', 'ImageMask') === true;
    const filter = of('F', 'Filter');
    this.#fact('PDXImage', where, {
      containsAlternates: false,
      containsOPI: false,
      Interpolate: of('I', 'Interpolate') === true,
      isMask,
      BitsPerComponent: bits,
    });
    if (isMask) this.#fact('PDMaskImage', where, { BitsPerComponent: bits });
    if (filter instanceof Name) {
      this.#fact('CosIIFilter', where, { internalRepresentation: filter.value });
      return endOfInline(bytes, at);
    }
    const rowBytes = Math.ceil((Number(of('W', 'Width')) * Number(bits ?? 1)) / 8);
    return at + 1 + rowBytes * Number(of('H', 'Height'));
  }
}

/** Where the data of a filtered inline image ends: at EI between white space. */
function endOfInline(bytes: Uint8Array, at: number): number {
  const found = /\sEI(?=\s|$)/.exec(latin(bytes.subarray(at)));
  // Reading on at the start of the stream would never end.
  if (found === null) throw new Error(`the inline image at ${at} has no end`);
  return at + found.index;
}

const ARTIFACT: Mark = { tag: 'Artifact', mcid: null, properties: null };

/** The state of the interpreter in one content stream. */
class Run {
  readonly place: Place;
  readonly marks: Mark[];
  readonly missing: string[] = [];
  font: CheckedFont | null = null;
  mode = 0;
  readonly #saved: { font: CheckedFont | null; mode: number }[] = [];

  constructor(place: Place) {
    this.place = place;
    this.marks = [...place.marks];
  }

  save(): number {
    return this.#saved.push({ font: this.font, mode: this.mode });
  }

  restore(): void {
    const saved = this.#saved.pop();
    this.font = saved?.font ?? null;
    this.mode = saved?.mode ?? 0;
  }

  close(): void {
    if (this.marks.length > this.place.marks.length) this.marks.pop();
  }

  get tags(): string[] {
    return this.marks.map(({ tag }) => tag);
  }

  get isTagged(): boolean {
    return this.marks.some(({ mcid }) => mcid !== null && this.place.isTagged(mcid));
  }

  lang(document: PdfDocument): string | null {
    const marks = this.marks.map(({ properties }) => document.textAt(properties, 'Lang'));
    return marks.findLast((lang) => lang !== null) ?? null;
  }

  /** A named resource in the dictionary of the stream. */
  resource(kind: string, name: string, document: PdfDocument): Cos {
    const found = document.get(document.get(this.place.resources, kind), name);
    if (found === null) this.missing.push(name);
    return found;
  }
}
