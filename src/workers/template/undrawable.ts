import type { FieldDefect } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import { isCmyk } from './archive/archive.ts';
import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';

/**
 * The fields whose text no font of the template can draw, for templates that refuse such data
 * (`missingGlyph: "reject"`), and the images that an archive document cannot hold.
 */
export function findUndrawable(template: CompiledTemplate, values: FieldValues): FieldDefect[] {
  if (template.missingGlyph !== 'reject') return [];
  const fonts = fontsOf.get(template) ?? new FreeTextFonts(template);
  fontsOf.set(template, fonts);
  const isArchive = (template.archive ?? null) !== null;
  const defects: FieldDefect[] = [];
  for (const [index, { name: field }] of template.fields.entries()) {
    const value = values[index] ?? null;
    if (template.embeddedOnly?.has(index) === true) continue;
    if (isArchive && value?.type === 'image' && isCmyk(value.image)) {
      defects.push({ field, reason: REASONS.imageColors });
    } else if (!fonts.drawValue(value)) {
      defects.push({ field, reason: REASONS.undrawable });
    }
  }
  return defects;
}

/** Codes below this are remembered: Latin, Thai, and the punctuation of both. */
const REMEMBERED_CODES = 0x2100;

/** The stacks of a template that free text is drawn with, and what all of them are known to draw. */
class FreeTextFonts {
  readonly #stacks: readonly FontStack[];
  /** By code: 1. So each of ten thousand cells is looked at once, whatever the number of stacks. */
  readonly #drawn = new Uint8Array(REMEMBERED_CODES);

  constructor(template: CompiledTemplate) {
    this.#stacks = template.fontUses.filter((use) => use.freeText).map((use) => use.stack);
  }

  drawValue(value: FieldValue | null): boolean {
    if (value === null) return true;
    switch (value.type) {
      case 'text':
      case 'number':
      case 'date':
        return this.#draw(value.display);
      case 'table':
        return value.rows.every((row) => this.#drawAll(row));
      case 'image':
      case 'qrcode':
      case 'svg':
        return true;
    }
  }

  #drawAll(texts: readonly string[]): boolean {
    for (const text of texts) {
      if (!this.#draw(text)) return false;
    }
    return true;
  }

  #draw(text: string): boolean {
    const drawn = this.#drawn;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (drawn[code] !== 1 && !this.#learn(code)) return this.#areDrawing(text);
    }
    return true;
  }

  /** Remembers a character that all stacks draw; false: they do not, or it is not one to remember. */
  #learn(code: number): boolean {
    if (code >= REMEMBERED_CODES || !this.#areDrawing(String.fromCharCode(code))) return false;
    this.#drawn[code] = 1;
    return true;
  }

  #areDrawing(text: string): boolean {
    return this.#stacks.every((stack) => stack.missingCharacter(text) === null);
  }
}

const fontsOf = new WeakMap<CompiledTemplate, FreeTextFonts>();
