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
  const stacks = template.fontUses.filter((use) => use.freeText).map((use) => use.stack);
  const isArchive = (template.archive ?? null) !== null;
  return template.fields.flatMap(({ name: field }, index): FieldDefect[] => {
    const value = values[index] ?? null;
    if (isArchive && value?.type === 'image' && isCmyk(value.image)) {
      return [{ field, reason: REASONS.imageColors }];
    }
    if (stacks.every((stack) => draws(stack, value))) return [];
    return [{ field, reason: REASONS.undrawable }];
  });
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
