import type { FieldDescriptor } from '../../contract/types.ts';
import type { ComputedField, TemplateHead } from '../fields/fields.ts';
import { type Names, namesIn } from './names.ts';

/**
 * The names that a computed field knows: those beside it first, then those of each record and entry
 * around it, and last those of the contract. A field beside it hides one of the same name further out.
 */
export function layersOf(
  { steps }: Pick<ComputedField, 'steps'>,
  { declared, secrets }: Pick<TemplateHead, 'declared' | 'secrets'>,
  indexOf: (path: string) => number | null,
): { readonly names: Names; readonly list: number } {
  const open = declared.filter(({ name }) => !secrets.isSecret(name));
  const names = new Map(namesIn(open, { path: [], list: -1, steps: [] }));
  let fields: readonly FieldDescriptor[] = declared;
  let list = -1;
  let inner: readonly string[] = [];
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    const field = fields.find(({ name }) => name === step);
    if (field?.type !== 'record' && field?.type !== 'list') break;
    const path = steps.slice(0, depth + 1);
    if (field.type === 'list') {
      list = indexOf(path.join('.')) ?? -1;
      inner = [];
    } else {
      inner = [...inner, step];
    }
    ({ fields } = field);
    for (const [name, head] of namesIn(fields, { path, list, steps: inner })) names.set(name, head);
  }
  return { names, list };
}
