import { entryAt } from '../../errors.ts';
import type { FieldDefect } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { Reason } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import { isCmyk } from '../template/archive/archive.ts';
import { findUnreadAmount } from './amounts.ts';
import type { NestedBarcode } from './barcodes.ts';
import { barcodesOf, findUnencodable } from './barcodes.ts';
import { DrawableCharacters } from './characters.ts';
import { PrintedText } from './printed.ts';

/** What checking needs of a template, found once and shared by all its documents. */
interface Checks {
  readonly characters: DrawableCharacters;
  readonly barcodes: readonly NestedBarcode[];
}

const checksOf = new WeakMap<CompiledTemplate, Checks>();

/**
 * Decides whether values that fit the contract may be printed with a template: characters, colours,
 * amounts in summed columns, barcodes. Rendering, rows of runs, dry runs, previews and samples all
 * ask this one function. Barcodes that fit are cached, so that layout does not encode them again.
 * Returns one defect for each field whose value may not be printed; empty: all may.
 */
export function checkValues(
  template: CompiledTemplate,
  values: FieldValues,
): readonly FieldDefect[] {
  const { characters, barcodes } = checksFor(template);
  const { amountColumns, missingGlyph, fields } = template;
  const found = new Defects(template);
  if (missingGlyph === 'reject') {
    let printed: PrintedText | null = null;
    for (let index = 0; index < fields.length; index++) {
      const value = values[index] ?? null;
      if (value === null || !characters.mayMiss(index, value)) continue;
      printed ??= new PrintedText(template, values);
      if (characters.countPrinted(index, value, printed) > 0) found.add(index, REASONS.undrawable);
    }
  }
  if (template.profile.kind === 'archive') reportColors(values, found);
  for (const column of amountColumns) {
    const reason = findUnreadAmount(values, column);
    if (reason !== null) found.add(column.field, reason);
  }
  if (barcodes.length > 0) findUnencodable(barcodes, values, found);
  return found.list();
}

/**
 * Characters of printed values that no font draws; 0 if the template asks for boxes in their place.
 * Looks at each character: rendering asks only when a box was drawn.
 */
export function countMissingCharacters(template: CompiledTemplate, values: FieldValues): number {
  if (template.missingGlyph === 'notdef') return 0;
  const { characters } = checksFor(template);
  let printed: PrintedText | null = null;
  let count = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? null;
    if (value === null || !characters.mayMiss(index, value)) continue;
    printed ??= new PrintedText(template, values);
    count += characters.countPrinted(index, value, printed);
  }
  return count;
}

/** The first character of a field's value that is printed and that no font draws; or null. */
export function missingCharacterOf(
  template: CompiledTemplate,
  values: FieldValues,
  field: number,
): string | null {
  const { characters } = checksFor(template);
  const value = values[field] ?? null;
  if (value === null || !characters.mayMiss(field, value)) return null;
  return characters.firstPrinted(field, value, new PrintedText(template, values));
}

/** Missing characters of a text that is no value of a field. */
export function countMissingIn(template: CompiledTemplate, text: string): number {
  return checksFor(template).characters.countIn(text);
}

/** An archive document has one colour space, which CMYK images do not fit. */
function reportColors(values: FieldValues, found: Defects): void {
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value?.type === 'image' && isCmyk(value.image)) found.add(index, REASONS.imageColors);
  }
}

/** The first reason for each field. */
class Defects {
  readonly #template: CompiledTemplate;
  #reasons: Map<number, Reason> | null = null;

  constructor(template: CompiledTemplate) {
    this.#template = template;
  }

  add(field: number, reason: Reason): void {
    this.#reasons ??= new Map();
    if (!this.#reasons.has(field)) this.#reasons.set(field, reason);
  }

  list(): readonly FieldDefect[] {
    if (this.#reasons === null) return NONE;
    return Array.from(this.#reasons)
      .toSorted(([a], [b]) => a - b)
      .map(([field, reason]) => ({ field: entryAt(this.#template.fields, field).name, reason }));
  }
}

const NONE: readonly FieldDefect[] = [];

function checksFor(template: CompiledTemplate): Checks {
  let checks = checksOf.get(template);
  if (checks === undefined) {
    checks = { characters: new DrawableCharacters(template), barcodes: barcodesOf(template) };
    checksOf.set(template, checks);
  }
  return checks;
}
