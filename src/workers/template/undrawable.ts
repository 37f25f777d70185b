import { entryAt } from '../../errors.ts';
import type { FieldDefect } from '../../errors.ts';
import { DEFINITIONS } from '../contract/definitions.ts';
import { REASONS } from '../contract/reasons.ts';
import { isCmyk } from './archive/archive.ts';
import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';

/**
 * Finds the values that a template with `missingGlyph: "reject"` refuses: text that one of its font
 * stacks cannot draw in full and, in archive documents, which always reject, CMYK images.
 */
export function findUndrawable(template: CompiledTemplate, values: FieldValues): FieldDefect[] {
  if (template.missingGlyph !== 'reject') return [];
  let fonts = fontsOf.get(template);
  if (fonts === undefined) {
    fonts = new FreeTextFonts(template);
    fontsOf.set(template, fonts);
  }
  const { fields, embeddedOnly } = template;
  const isArchive = (template.archive ?? null) !== null;
  const defects: FieldDefect[] = [];
  for (let index = 0; index < fields.length; index++) {
    const value = values[index] ?? null;
    if (value === null || embeddedOnly?.has(index) === true) continue;
    if (isArchive && value.type === 'image' && isCmyk(value.image)) {
      defects.push({ field: entryAt(fields, index).name, reason: REASONS.imageColors });
    } else if (!fonts.canDrawValue(index, value)) {
      defects.push({ field: entryAt(fields, index).name, reason: REASONS.undrawable });
    }
  }
  return defects;
}

/** Only characters below this code are cached: Latin, Thai, and the punctuation of both. */
const CACHED_CODES = 0x2100;

/** The font stacks that draw free text, and a cache of the characters all of them can draw. */
class FreeTextFonts {
  /** By field. */
  readonly #needsGlyphs: readonly boolean[];
  readonly #stacks: readonly FontStack[];
  /** 1 for a code that all stacks can draw: a cached character costs one look-up for all stacks. */
  readonly #drawable = new Uint8Array(CACHED_CODES);

  constructor(template: CompiledTemplate) {
    this.#needsGlyphs = template.fields.map(({ type }) => DEFINITIONS[type].needsGlyphs);
    this.#stacks = template.fontUses.filter((use) => use.freeText).map((use) => use.stack);
  }

  canDrawValue(field: number, value: FieldValue): boolean {
    if (this.#needsGlyphs[field] !== true) return true;
    if ('display' in value) return this.#canDraw(value.display);
    return !('rows' in value) || value.rows.every((row) => this.#canDrawEach(row));
  }

  #canDrawEach(texts: readonly string[]): boolean {
    for (const text of texts) {
      if (!this.#canDraw(text)) return false;
    }
    return true;
  }

  #canDraw(text: string): boolean {
    const drawable = this.#drawable;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (drawable[code] !== 1 && !this.#cacheIfDrawable(code)) return this.#allDraw(text);
    }
    return true;
  }

  /** Caches a character that all stacks can draw; false if one cannot, or the code is too high. */
  #cacheIfDrawable(code: number): boolean {
    if (code >= CACHED_CODES || !this.#allDraw(String.fromCharCode(code))) return false;
    this.#drawable[code] = 1;
    return true;
  }

  #allDraw(text: string): boolean {
    return this.#stacks.every((stack) => stack.missingCharacter(text) === null);
  }
}

const fontsOf = new WeakMap<CompiledTemplate, FreeTextFonts>();
