import { useState } from 'preact/hooks';
import type { FieldContract } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';
import { createKeeper, keepData, keptData } from '../form/kept.ts';
import { labelOf } from '../form/presentation.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { Notice } from '../ui/parts.tsx';
import { type CarriedOver, carryOver } from './carry-over.ts';
import { keepOptionsOf } from './generate-options.tsx';

interface Filled {
  readonly contract: FieldContract;
  readonly data: Data;
}

/** What was typed last into the form of the latest version, by template. */
const filled = createKeeper<Filled>(5);

/** The name under which a form is kept. */
export function formOf({ templateId, version }: FieldContract): string {
  return `${templateId} ${version}`;
}

interface Carried extends CarriedOver {
  /** The version for which it was typed, and the one that has it now. */
  readonly from: number;
  readonly version: number;
}

interface FormData {
  readonly data: Data;
  readonly change: (next: Data) => void;
  /** null: nothing was carried over, or the form was filled anew since. */
  readonly carried: Carried | null;
  readonly fill: (next: Data) => void;
}

/**
 * What the form holds, kept while other pages are looked at. The form of the latest version goes on
 * with what was typed before that version was published.
 */
export function useFormData(contract: FieldContract, isLatest: boolean): FormData {
  const form = formOf(contract);
  const [carried, setCarried] = useState(() => (isLatest ? takeOver(contract) : null));
  const [data, setData] = useState<Data>(() => keptData(form));
  const change = (next: Data): void => {
    keep(contract, isLatest, next);
    setData(next);
  };
  const fill = (next: Data): void => {
    setCarried(null);
    change(next);
  };
  return { data, change, carried, fill };
}

function keep(contract: FieldContract, isLatest: boolean, data: Data): void {
  const isEmpty = Object.keys(data).length === 0;
  keepData(formOf(contract), data);
  if (isLatest) filled.keep(contract.templateId, isEmpty ? null : { contract, data });
}

/** Keeps under the new version what was typed for the one before, with the options. */
function takeOver(contract: FieldContract): Carried | null {
  const { templateId, version, fields } = contract;
  const last = filled.of(templateId);
  if (last === null || last.contract.version === version) return null;
  if (Object.keys(keptData(formOf(contract))).length > 0) return null;
  const { data, lost } = carryOver(last.data, last.contract.fields, fields);
  keep(contract, true, data);
  keepOptionsOf(formOf(last.contract), formOf(contract));
  if (Object.keys(data).length + lost.length === 0) return null;
  return { data, lost, from: last.contract.version, version };
}

/** Limit of the fields that the notice names. */
const NAMES_MAX = 10;

/** Says that the form is another one than before, and what of it is lost. */
export function CarriedNotice({ carried }: { readonly carried: Carried | null }) {
  if (carried === null) return null;
  const { data, lost, from, version } = carried;
  const names = lost.slice(0, NAMES_MAX).map(labelOf).join(', ');
  const count = lost.length;
  return (
    <Notice tone={count > 0 ? 'warn' : 'info'} title={t('generate.carried', { version })}>
      {Object.keys(data).length === 0 ? null : <p>{t('generate.carried_over', { from })}</p>}
      {count === 0 ? null : (
        <p>
          {t('generate.carried_lost', {
            count: formatNumber(count),
            names: count > NAMES_MAX ? `${names}, …` : names,
          })}
        </p>
      )}
    </Notice>
  );
}
