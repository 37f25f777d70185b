import * as hb from 'harfbuzzjs';
import type { FontTables } from './sfnt.ts';
import { joinSaraAm } from './sara-am.ts';
import { parseFont } from './sfnt.ts';

/** OpenType features by tag: on (true/1), off (false/0) or an alternate's number. */
export type FontFeatures = Readonly<Record<string, number | boolean>>;

/** Glyphs that HarfBuzz gave for a string: parallel lists, in visual order, design units, y up. */
export interface ShapedGlyphs {
  readonly glyphs: number[];
  readonly advances: number[];
  readonly xOffsets: number[];
  readonly yOffsets: number[];
  /** UTF-16 index of the character each glyph came from. */
  readonly sources: number[];
}

/** One font file: its tables and its HarfBuzz font. */
export class Face {
  readonly tables: FontTables;
  /** Position in its library: tells faces of the same name apart. */
  readonly index: number;
  readonly #font: hb.Font;
  /** OpenType tags of the languages that it shapes specially: `ROM `, `TRK `. */
  readonly #languageTags: ReadonlySet<string>;
  readonly #buffer = new hb.Buffer();

  /** Throws `FontFormatError` when the bytes are not a TrueType font. */
  constructor(bytes: Uint8Array, index: number) {
    this.tables = parseFont(bytes);
    this.index = index;
    const face = new hb.Face(new hb.Blob(bytes));
    this.#font = new hb.Font(face);
    this.#languageTags = languageTagsOf(face);
  }

  has(codePoint: number): boolean {
    return this.tables.characterMap.has(codePoint);
  }

  /** The OpenType tag of a BCP 47 language if the face shapes that specially, else null. */
  languageTag(language: string): string | null {
    if (this.#languageTags.size === 0) return null;
    const { languageTags } = hb.otTagsFromScriptAndLanguage(LATIN, language);
    return languageTags.find((tag) => this.#languageTags.has(tag)) ?? null;
  }

  /**
   * Shapes a string of one script; `language` is null when it does not matter. This takes about 10
   * µs, so callers cache the result. No dotted circles are inserted: a stray mark stands alone.
   */
  shape(
    text: string,
    script: string,
    rightToLeft: boolean,
    features: FontFeatures | null,
    language: string | null = null,
  ): ShapedGlyphs {
    const buffer = this.#buffer;
    buffer.clearContents();
    buffer.addText(text);
    buffer.setDirection(rightToLeft ? hb.Direction.RTL : hb.Direction.LTR);
    buffer.setScript(script);
    if (language !== null) buffer.setLanguage(language);
    buffer.setFlags(hb.BufferFlag.DO_NOT_INSERT_DOTTED_CIRCLE);
    buffer.setClusterLevel(hb.ClusterLevel.MONOTONE_CHARACTERS);
    hb.shape(this.#font, buffer, features === null ? undefined : hbFeatures(features));
    const result: ShapedGlyphs = {
      glyphs: [],
      advances: [],
      xOffsets: [],
      yOffsets: [],
      sources: [],
    };
    const { glyphCount } = this.tables;
    const infos = buffer.getGlyphInfos();
    // `getGlyphInfosAndPositions` defines hidden properties, which takes longer than the rest.
    const positions = buffer.getGlyphPositions();
    for (let index = 0; index < infos.length; index++) {
      const { codepoint, cluster } = infos[index]!;
      const position = positions[index];
      // HarfBuzz takes numbers from GSUB as they are: what the font does not have is .notdef.
      result.glyphs.push(codepoint < glyphCount ? codepoint : 0);
      result.sources.push(cluster);
      result.advances.push(position?.xAdvance ?? 0);
      result.xOffsets.push(position?.xOffset ?? 0);
      result.yOffsets.push(position?.yOffset ?? 0);
    }
    if (!rightToLeft) joinSaraAm(this.tables, text, result);
    return result;
  }
}

/** Any script will do: the tags of a language do not depend on it. */
const LATIN = 'Latn';

function languageTagsOf(face: hb.Face): ReadonlySet<string> {
  const tags = new Set<string>();
  for (const table of ['GSUB', 'GPOS'] as const) {
    for (const [index] of face.getTableScriptTags(table).entries()) {
      for (const tag of face.getScriptLanguageTags(table, index)) tags.add(tag);
    }
  }
  return tags;
}

function hbFeatures(features: FontFeatures): hb.Feature[] {
  return Object.entries(features).map(([tag, value]) => new hb.Feature(tag, Number(value)));
}
