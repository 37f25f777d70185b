import { alikeChoices } from '../contract/choices.ts';
import type { Contract } from '../contract/contract.ts';
import { isNotComputed } from '../contract/reasons.ts';
import type { FieldDescriptor, FieldValues } from '../contract/types.ts';
import type { FieldDefect } from '../../errors.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import type { Finding } from '../job.ts';
import { compileTemplate } from '../template/compile.ts';
import type { Compilation, ReadyTemplate, SampleCheck, TemplateMeta } from '../template/compile.ts';
import { samplesAsText } from '../template/sample-text.ts';
import type { Surroundings } from '../template/context.ts';
import { noFontDraws } from '../template/style/uses.ts';
import { Findings, memberPath } from '../template/vocabulary/findings.ts';
import { findUnreadAmount } from './amounts.ts';
import { countMissingCharacters, missingCharacterOf } from './check-values.ts';
import { findDefects } from './find-defects.ts';

/** A sample whose data fits the contract. */
export interface CheckedSample {
  /** Index in the samples of the template. */
  readonly index: number;
  readonly name: string;
  readonly values: FieldValues;
}

interface CheckedTemplate extends Compilation {
  /** The samples that can be rendered. */
  readonly samples: readonly CheckedSample[];
}

/**
 * Compiles a template, checks its samples against its contract and reports everything that can be
 * found without rendering. `template` is null exactly when compilation found an error; samples are
 * then checked against the contract alone. Their defects are errors, too, but leave the template
 * usable.
 */
export async function checkTemplate(
  source: Uint8Array,
  meta: TemplateMeta,
  surroundings: Surroundings,
): Promise<CheckedTemplate> {
  const compiled = await compileTemplate(source, meta, surroundings, 'foreign');
  const { template, sampleCheck, file } = compiled;
  const found = new Findings();
  const fault = compiled.label === null ? null : labelFault(compiled.label.name);
  if (fault !== null) found.error('name', `${fault}.`);
  if (template !== null) reportAlikeChoices(template, found);
  const samples =
    sampleCheck === null
      ? []
      : await checkSamples(sampleCheck, template, samplesAsText(source, file), found);
  return { ...compiled, findings: [...compiled.findings, ...found.list()], samples };
}

/**
 * Reports choices that a person cannot tell apart. Only checks do, because versions that were
 * published with them must still render.
 */
function reportAlikeChoices({ contract }: ReadyTemplate, found: Findings): void {
  const report = (fields: readonly FieldDescriptor[], list: string): void => {
    for (const [index, field] of fields.entries()) {
      const path = `${list}[${index}]`;
      for (const [choice, first] of alikeChoices(field.validation?.choices ?? [], field.type)) {
        const message = `is a second spelling of choices[${first}]: remove one of the two.`;
        found.error(`${path}.choices[${choice}]`, message);
      }
      if ('fields' in field) report(field.fields, `${path}.fields`);
    }
  };
  report(contract.declared, 'fields');
}

/** The path of a field of sample data, by the name that a defect gives it: `accounts[2].number`. */
function dataPath(path: string, field: string, { declared }: Contract): string {
  const isInside = declared.some(
    (one) =>
      'fields' in one && field.startsWith(one.name) && /^[.[]/.test(field.slice(one.name.length)),
  );
  return isInside ? `${path}.${field}` : memberPath(path, field);
}

/** Reports what is wrong with samples; returns those that can be rendered by the template. */
async function checkSamples(
  { samples, contract }: SampleCheck,
  template: ReadyTemplate | null,
  textOf: ReturnType<typeof samplesAsText>,
  found: Findings,
): Promise<readonly CheckedSample[]> {
  const names = new Set(contract.declared.map(({ name }) => name));
  const fitting: CheckedSample[] = [];
  for (const { index, name, data } of samples) {
    const path = `samples[${index}].data`;
    const checked = await contract.check(textOf(data));
    if (!checked.ok) {
      const defects = checked.fields ?? [];
      if (defects.length === 0) found.error(path, checked.message);
      for (const defect of defects) {
        // If the template does not compile, a value that cannot be computed is a consequence of its
        // faults.
        if (template !== null || !isNotComputed(defect.reason)) {
          reportDefect(defect, index, contract, found);
        }
      }
    } else if (template !== null && canBeRendered(template, checked.value, path, found)) {
      fitting.push({ index, name, values: checked.value });
    }
    for (const key of Object.keys(typeof data === 'object' && data !== null ? data : {})) {
      if (!names.has(key)) found.warning(memberPath(path, key), 'No field has this name.');
    }
  }
  return fitting;
}

/**
 * Reports a defect at the value in the sample, or at the expression of the layout that has no
 * value.
 */
function reportDefect(
  { field, reason }: FieldDefect,
  sample: number,
  contract: Contract,
  found: Findings,
): void {
  const sentence = reason.endsWith('.') ? reason : `${reason}.`;
  const isOfLayout =
    isNotComputed(reason) &&
    field.startsWith('document.') &&
    !contract.declared.some(({ name }) => name === 'document');
  if (isOfLayout) found.error(field, `With samples[${sample}]: ${sentence}`);
  else found.error(dataPath(`samples[${sample}].data`, field, contract), sentence);
}

/** Reports why the values of a sample may not be printed, and characters that its pages lack. */
function canBeRendered(
  template: ReadyTemplate,
  values: FieldValues,
  path: string,
  found: Findings,
): boolean {
  const defects = findDefects(template, values);
  for (const { field, reason } of defects) {
    const cause = summedAt(template, values, { field, reason });
    const told = cause === null ? `${reason}.` : `${reason}: ${cause} adds up the column.`;
    found.error(dataPath(path, field, template.contract), told);
  }
  if (countMissingCharacters(template, values) > 0) {
    const severity = template.missingGlyph === 'reject' ? 'error' : 'warning';
    reportMissing(template, values, path, severity, found);
  }
  return defects.length === 0;
}

/**
 * The place that adds a column up, if a cell of it is a defect for that reason alone: the cell may be
 * right, and the sum the mistake. Null: the defect is another one.
 */
function summedAt(
  { amountColumns, fields }: ReadyTemplate,
  values: FieldValues,
  { field, reason }: FieldDefect,
): string | null {
  const summed = amountColumns.find(
    (column) => fields[column.field]?.name === field && findUnreadAmount(values, column) === reason,
  );
  return summed?.path ?? null;
}

/** Names, for each field, the first character that the pages of a sample would lack. */
function reportMissing(
  template: ReadyTemplate,
  values: FieldValues,
  path: string,
  severity: Finding['severity'],
  found: Findings,
): void {
  for (const [index, { name }] of template.fields.entries()) {
    const missing = missingCharacterOf(template, values, index);
    if (missing === null) continue;
    found[severity](dataPath(path, name, template.contract), noFontDraws([missing]));
  }
}

/** Why a template cannot have this name; an empty one is that of a file without name and id. */
function labelFault(name: string): string | null {
  return name === '' ? null : nameFault(name);
}
