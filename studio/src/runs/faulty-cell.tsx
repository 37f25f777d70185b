import type { RunException } from './types.ts';
import { type CellCure, cureOf } from '../../../src/runtime/contract/cell-cure.ts';
import type { Field } from '../api/field-types.ts';
import { fromBuddhist } from '../form/dates.ts';
import { hintOf } from '../form/form.tsx';
import { choicesOf, exampleOf, helpOf } from '../form/presentation.ts';
import { spoken } from '../form/reasons.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import { placeText } from './kept-edits.tsx';

interface CellProps {
  readonly name: string;
  /** '' if there is only the name. */
  readonly label: string;
  readonly row: RunException;
  readonly value: string;
  /** The value that was sent and refused for `reason`; the user may have typed another since. */
  readonly refused: string;
  readonly reason: string;
  /** null: the column is no field of the template, or the fields are not loaded. */
  readonly field: Field | null;
  readonly isEditable: boolean;
  readonly onInput: (value: string) => void;
}

/** One cell of a faulty row: its value, why it was refused, and what the template asks for. */
export function Cell(props: CellProps) {
  const { name, label, row, value, refused, reason, field, isEditable, onInput } = props;
  const isRefused = reason !== '' && value === refused;
  const cure = isRefused ? cureOf(reason, refused) : null;
  const isDate = field?.type === 'date';
  const day = isDate ? fromBuddhist(value) : null;
  const example = field === null ? '' : exampleOf(field);
  return (
    <label class="field">
      <span class="field-label">
        {label === '' ? name : `${label} `}
        {label === '' ? null : <code class="soft">{name}</code>}
      </span>
      <input
        class="input"
        autocomplete="off"
        aria-label={[placeText(row), label, name].filter((part) => part !== '').join(' ')}
        aria-invalid={isRefused}
        readOnly={!isEditable}
        value={value}
        placeholder={example === '' ? undefined : t('form.example', { example })}
        onInput={(event) => onInput(event.currentTarget.value)}
        // A day that is typed as in the form to fill in, such as 31/1/2569, is the same day here.
        onBlur={() => {
          if (isEditable && value !== refused && day !== null) onInput(day);
        }}
      />
      {isRefused ? <span class="reason">{reasonText(field, reason)}</span> : null}
      {cure === null ? null : <span class="hint">{cureText(cure, refused)}</span>}
      {reason === '' || field === null
        ? null
        : hintsOf(field).map((hint) => (
            <span class="hint" key={hint}>
              {hint}
            </span>
          ))}
      {isDate && isBuddhistYear(value) ? <span class="hint">{t('faulty.era')}</span> : null}
    </label>
  );
}

/** Help and bounds of a field, as the form to fill in shows them. */
function hintsOf(field: Field): readonly string[] {
  const choices = choicesOf(field).map(([value]) => value);
  const hints = [
    helpOf(field),
    hintOf(field),
    choices.length === 0 ? '' : t('faulty.choices', { choices: choices.join(', ') }),
  ];
  return hints.filter((hint) => hint !== '');
}

function cureText(cure: CellCure, cell: string): string {
  // Another format of the column alone would make a year of the Common Era of it.
  const isBuddhist = cure === 'date' && /2[45]\d\d/.test(cell);
  return t(isBuddhist ? 'faulty.cure_buddhist' : `faulty.cure_${cure}`);
}

/** Whether a date is of a year that is near in the Buddhist Era, and five centuries away in the Common. */
function isBuddhistYear(date: string): boolean {
  return /^2[45]\d\d-\d\d-\d\d$/.test(date.trim());
}

/** A value of a row as the text of its cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The beginnings of reasons that concern the cell, whatever the template asks of its field. */
const REASONS: readonly (readonly [string, TextKey])[] = [
  ['required', 'faulty.reason_required'],
  ['number expected', 'faulty.reason_number'],
  ['date expected', 'faulty.reason_date'],
  ['row id expected: a spreadsheet', 'faulty.reason_shortened'],
  ['row id expected', 'faulty.reason_id'],
  ['this row id belongs', 'faulty.reason_taken'],
];

/** Why the service refuses a cell, in the words of the form to fill in. */
export function reasonText(field: Field | null, reason: string): string {
  const known = REASONS.find(([begin]) => reason.startsWith(begin));
  if (known !== undefined) return t(known[1]);
  return field === null ? reason : spoken(field, reason).text;
}
