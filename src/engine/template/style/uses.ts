import { DEFINITIONS } from '../../contract/definitions.ts';
import { formatRepertoire } from '../../contract/format/formats.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import type { FontStack } from '../../font/font.ts';
import type { FieldTable } from '../fields/fieldtable.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { shown } from '../vocabulary/findings.ts';
import type { FontUse } from '../../model/font-use.ts';
import type { TextTemplate } from '../../model/nodes.ts';
import type { SignaturePart } from '../../model/structure.ts';

export type MissingGlyphPolicy = 'reject' | 'fallback' | 'notdef';

const DIGITS = '0123456789';
/** Amounts that show every digit, the sign and the separators. */
const AMOUNTS = ['-1234567890.25', '9876543210.75'];
/** Days that show every digit, month and weekday. */
const DAYS = Array.from({ length: 31 }, (_, index) => {
  const [month, day] = [(index % 12) + 1, (index % 28) + 1];
  return `2026-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
});

/** More characters of a text than these are not named. */
const NAMED_MAX = 5;

/** The finding about characters that no face of a stack has; one at least. */
export function noFontDraws(characters: readonly string[]): string {
  const named = characters.slice(0, NAMED_MAX).map((character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return `${shown(character)} (U+${code})`;
  });
  if (named.length === 1) return `No font draws ${named[0]}; use another font or character.`;
  const others = characters.length > NAMED_MAX ? ', and others' : '';
  return `No font draws these: ${named.join(', ')}${others}; use another font or other characters.`;
}

/** The different characters of a text that no face of a stack has, at most one more than are named. */
function missingIn(stack: FontStack, text: string): readonly string[] {
  const missing: string[] = [];
  let rest = text.replaceAll('\n', ' ');
  while (missing.length <= NAMED_MAX) {
    const character = stack.missingCharacter(rest);
    if (character === null) break;
    missing.push(character);
    rest = rest.replaceAll(character, ' ');
  }
  return missing;
}

/** What one font stack is asked to draw. */
interface Use {
  readonly stack: FontStack;
  /** Each static text with the place that is named when a character of it cannot be drawn. */
  readonly texts: Map<string, string>;
  /** It draws text that nobody knows yet: whatever the data holds. */
  freeText: boolean;
}

/** Text that each font stack is asked to draw, gathered while the document is read. */
export class TextUses {
  /** Fields that some text draws. */
  readonly drawnFields = new Set<number>();
  readonly #uses = new Map<string, Use>();
  readonly #fields: FieldTable;
  readonly #language: string;

  constructor(fields: FieldTable, language: string) {
    this.#fields = fields;
    this.#language = language;
  }

  /** Records a text with bindings: whatever its parts may print. */
  add(stack: FontStack, text: TextTemplate, path: string): void {
    for (const part of text) {
      switch (part.kind) {
        case 'static':
          this.addText(stack, part.text, path);
          break;
        case 'field':
          this.drawnFields.add(part.field);
          this.#addField(stack, part.field, path);
          break;
        case 'formatted':
          this.drawnFields.add(part.field);
          if (part.repertoire === null) this.addFreeText(stack);
          else for (const piece of part.repertoire) this.addText(stack, piece, path);
          break;
        case 'cell':
          this.addFreeText(stack);
          break;
        case 'entry':
          if (part.format === null) this.#addPrinted(stack, part.of, path);
          else this.addFreeText(stack);
          break;
        case 'sum':
        case 'columnSum':
          for (const amount of AMOUNTS) this.addText(stack, part.format(amount), path);
          break;
        case 'page':
        case 'pages':
          this.addText(stack, DIGITS, path);
          break;
        case 'signature':
          this.#addSignature(stack, part, path);
          break;
      }
    }
  }

  #addSignature(stack: FontStack, { shows, format }: SignaturePart, path: string): void {
    if (shows === 'signer') this.addFreeText(stack);
    else if (format === null) this.addText(stack, `${DIGITS}:+- UTC`, path);
    else for (const day of DAYS) this.addText(stack, format(day), path);
  }

  addText(stack: FontStack, text: string, path: string): void {
    const { texts } = this.#use(stack);
    if (text !== '' && !texts.has(text)) texts.set(text, path);
  }

  addFreeText(stack: FontStack): void {
    this.#use(stack).freeText = true;
  }

  /** By stack, in the order of first use. */
  fontUses(): readonly FontUse[] {
    return [...this.#uses.values()].map(({ stack, texts, freeText }) => ({
      stack,
      texts: [...texts.keys()],
      freeText,
    }));
  }

  /** Reports static characters that no face of their stack can draw, unless boxes are wanted. */
  reportMissing(policy: MissingGlyphPolicy, findings: Findings): void {
    if (policy === 'notdef') return;
    for (const { stack, texts } of this.#uses.values()) {
      for (const [text, path] of texts) {
        const missing = missingIn(stack, text);
        if (missing.length === 0) continue;
        const message = noFontDraws(missing);
        if (policy === 'reject') findings.error(path, message);
        else findings.warning(path, message);
      }
    }
  }

  #addField(stack: FontStack, index: number, path: string): void {
    const field = this.#fields.fields[index];
    if (field !== undefined) this.#addPrinted(stack, field, path);
  }

  #addPrinted(stack: FontStack, { type, format }: FieldDescriptor, path: string): void {
    const { prints } = DEFINITIONS[type];
    if (prints === 'number' || prints === 'date') {
      const pieces = formatRepertoire(format, prints, this.#language);
      for (const piece of pieces) this.addText(stack, piece, path);
    } else this.addFreeText(stack);
  }

  #use(stack: FontStack): Use {
    let use = this.#uses.get(stack.key);
    if (use === undefined) {
      use = { stack, texts: new Map(), freeText: false };
      this.#uses.set(stack.key, use);
    }
    return use;
  }
}
