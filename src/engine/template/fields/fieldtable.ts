import { printingFault, type Secrets, useFault } from '../../contract/secrets.ts';
import { PRINTED_TYPES } from '../../contract/definitions.ts';
import { FIELD_TYPES } from '../../contract/types.ts';
import type { FieldDescriptor, FieldType } from '../../contract/types.ts';
import type { TemplateHead } from './fields.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { suggested } from '../../../runtime/nearest.ts';

/** Names with another meaning in header, footer and background. */
const PAGE_NAMES: ReadonlySet<string> = new Set(['page', 'pages']);

/** The contract's fields by name, and which of them the layout has used. */
export class FieldTable {
  readonly fields: readonly FieldDescriptor[];
  readonly #indexes = new Map<string, number>();
  readonly #bound = new Set<number>();
  /** Names of all declared fields; those that are not in `fields` have a fault. */
  readonly #declared: ReadonlySet<string>;
  readonly #findings: Findings;
  readonly #secrets: Secrets;

  constructor(
    { fields, secrets }: Pick<TemplateHead, 'fields' | 'secrets'>,
    declared: readonly unknown[],
    findings: Findings,
  ) {
    this.fields = fields;
    this.#declared = new Set(
      declared.flatMap((field) => {
        const name = isObject(field) ? field['name'] : undefined;
        return typeof name === 'string' ? [name] : [];
      }),
    );
    this.#findings = findings;
    this.#secrets = secrets;
    fields.forEach((field, index) => this.#indexes.set(field.name, index));
  }

  /** The index of a field, or null when none has this name. Adds no finding. */
  find(name: string): number | null {
    return this.#indexes.get(name) ?? null;
  }

  /** The descriptor at an index that exists. */
  descriptor(index: number): FieldDescriptor {
    const field = this.fields[index];
    if (field === undefined) throw new RangeError('no such field');
    return field;
  }

  /**
   * The index of a declared field of one of the types, which is not secret; else null, with a finding.
   */
  bind(name: string, path: string, types: readonly FieldType[], use: string): number | null {
    return this.#permitted(this.#bind(name, path, types, use), path, () => useFault(name));
  }

  /** The same for a condition, which tells only whether a secret field has a value. */
  bindCondition(name: string, path: string): number | null {
    return this.#bind(name, path, FIELD_TYPES, 'a condition');
  }

  /**
   * The same for a placeholder in a text of the layout, which prints a secret field through its mask.
   * `mask`: that of the format at the placeholder.
   */
  bindPrinted(name: string, path: string, mask: string | null): number | null {
    const index = this.#bind(name, path, PRINTED_TYPES, `{{${name}}} in a text`);
    return this.#permitted(index, path, (field) => printingFault(field, mask));
  }

  #permitted(
    index: number | null,
    path: string,
    faultOf: (field: FieldDescriptor) => string | null,
  ): number | null {
    if (index === null) return null;
    const field = this.descriptor(index);
    const fault = this.#secrets.isSecret(field.name) ? faultOf(field) : null;
    if (fault === null) return index;
    this.#findings.error(path, fault);
    return null;
  }

  #bind(name: string, path: string, types: readonly FieldType[], use: string): number | null {
    const index = this.find(name);
    if (index === null) {
      if (!this.#declared.has(name)) this.#reportUnknown(name, path);
      return null;
    }
    this.#bound.add(index);
    const type = this.descriptor(index).type;
    if (types.length === 0 || types.includes(type)) return index;
    this.#findings.error(
      path,
      `Field ${JSON.stringify(name)} is of type ${type}; ${use} needs ${types.join(' or ')}.`,
    );
    return null;
  }

  #reportUnknown(name: string, path: string): void {
    const near = this.#findings.nearest(name, this.#indexes.keys());
    const hint = near === null ? '; declare it in fields.' : suggested(near);
    this.#findings.error(path, `There is no field ${JSON.stringify(name)}${hint}`);
    // The field that was probably meant counts as bound.
    const meant = near === null ? null : this.find(near);
    if (meant !== null) this.#bound.add(meant);
  }

  /** Warns of fields that nothing in the document uses, and of names that {{page}} and {{pages}} hide. */
  reportUnbound(mentioned: ReadonlySet<string>): void {
    this.fields.forEach((field, index) => {
      const path = `fields[${index}]`;
      const isUsed = this.#bound.has(index) || mentioned.has(field.name);
      // A secret field may be there for the password of the document alone.
      if (!isUsed && !this.#secrets.isSecret(field.name)) {
        const name = JSON.stringify(field.name);
        this.#findings.warning(path, `Field ${name} is declared, but nothing is bound to it.`);
      }
      if (PAGE_NAMES.has(field.name)) {
        const message = `In header, footer and background {{${field.name}}} is the page number, not this field.`;
        this.#findings.warning(`${path}.name`, message);
      }
    });
  }
}
