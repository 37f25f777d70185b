import type { FieldDefect } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { FieldValue, FieldValues } from '../contract/types.ts';
import type { FontStack } from '../font/font.ts';
import type { CompiledTemplate } from '../model/nodes.ts';

/**
 * The fields whose text no font of the template can draw, for templates that refuse such data
 * (`missingGlyph: "reject"`); empty for all others.
 */
export function findUndrawable(template: CompiledTemplate, values: FieldValues): FieldDefect[] {
  if (template.missingGlyph !== 'reject') return [];
  const stacks = template.fontUses.filter((use) => use.freeText).map((use) => use.stack);
  return template.fields
    .filter((_, index) => stacks.some((stack) => !draws(stack, values[index] ?? null)))
    .map(({ name }) => ({ field: name, reason: REASONS.undrawable }));
}

function draws(stack: FontStack, value: FieldValue | null): boolean {
  if (value === null) return true;
  switch (value.type) {
    case 'text':
    case 'number':
    case 'date':
      return stack.missingCharacter(value.display) === null;
    case 'table':
      return value.rows.every((row) => row.every((cell) => stack.missingCharacter(cell) === null));
    case 'image':
    case 'qrcode':
    case 'svg':
      return true;
  }
}
