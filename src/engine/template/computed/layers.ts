import type { FieldDescriptor } from '../../contract/types.ts';
import type { ComputedField, TemplateHead } from '../fields/fields.ts';
import { BOOLEAN, NUMBER } from '../../../expressions/index.ts';
import { ENTRY_NAMES } from '../../contract/nested/columns.ts';
import { type Head, type Names, namesIn } from './names.ts';

/** Adds the names that every entry has: `_number`, `_first` and `_last`. */
function addPlaces(names: Map<string, Head>, list: readonly string[], index: number): void {
  for (const name of ENTRY_NAMES) {
    const type = name === '_number' ? NUMBER : BOOLEAN;
    names.set(name, { type, path: [...list, name], list: index, steps: [name] });
  }
}

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
    if (field.type === 'list') addPlaces(names, path, list);
  }
  return { names, list };
}
