import type { RunException } from './types.ts';
import type { Field } from '../api/field-types.ts';
import { hintOf } from '../form/form.tsx';
import { choicesOf, exampleOf, helpOf } from '../form/presentation.ts';
import { spoken } from '../form/reasons.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import { placeText } from './kept-edits.tsx';
import { cureText, dayTyped, isOtherEra, type Notation, writtenIn } from './notation.ts';
import { examplesIn } from './examples.ts';

interface CellProps {
  readonly name: string;
  /** The field's label; '' if the field has only a name. */
  readonly label: string;
  readonly row: RunException;
  readonly value: string;
  /** The value that was refused for `reason`; the user may have typed another one since. */
  readonly refused: string;
  readonly reason: string;
  /** Null if the column is not a field of the template, or the fields are not loaded. */
  readonly field: Field | null;
  /** The notation of the run, in which corrected cells are read, too. */
  readonly notation: Notation;
  readonly isEditable: boolean;
  readonly onInput: (value: string) => void;
}

/** One cell of a faulty row: its value, why it was refused, and what the template expects. */
export function Cell(props: CellProps) {
  const { name, label, row, value, refused, reason, field, notation, isEditable, onInput } = props;
  const isRefused = reason !== '' && value === refused;
  const cure = isRefused ? cureText(reason, refused, notation) : '';
  const isDate = field?.type === 'date';
  const day = isDate ? dayTyped(value, notation) : null;
  const example = field === null ? '' : writtenIn(exampleOf(field), field.type, notation);
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
        // As in forms, a date may be typed as 31/1/2569.
        onBlur={() => {
          if (isEditable && value !== refused && day !== null) onInput(day);
        }}
      />
      {isRefused ? <span class="reason">{reasonText(field, reason, notation)}</span> : null}
      {cure === '' ? null : <span class="hint">{cure}</span>}
      {reason === '' || field === null
        ? null
        : hintsOf(field, notation).map((hint) => (
            <span class="hint" key={hint}>
              {hint}
            </span>
          ))}
      {isDate && isOtherEra(value, notation) ? <span class="hint">{t('faulty.era')}</span> : null}
    </label>
  );
}

/** Help and bounds of a field, as forms show them, with values in the notation of the run. */
function hintsOf(field: Field, notation: Notation): readonly string[] {
  const choices = choicesOf(field).map(([value]) => value);
  const hints = [
    helpOf(field),
    hintOf(field),
    choices.length === 0 ? '' : t('faulty.choices', { choices: choices.join(', ') }),
  ];
  return hints.filter((hint) => hint !== '').map((hint) => writtenIn(hint, field.type, notation));
}

/** A value of a row as the text of its cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Beginnings of the reasons that do not depend on the field's rules in the template. */
const REASONS: readonly (readonly [string, TextKey])[] = [
  ['required', 'faulty.reason_required'],
  ['number expected', 'faulty.reason_number'],
  ['date expected', 'faulty.reason_date'],
  ['row id expected: a spreadsheet', 'faulty.reason_shortened'],
  ['row id expected', 'faulty.reason_id'],
  ['this row id belongs', 'faulty.reason_taken'],
];

/** Why the service refuses a cell, in the words that forms use. */
export function reasonText(field: Field | null, reason: string, notation: Notation): string {
  const known = REASONS.find(([begin]) => reason.startsWith(begin));
  if (known !== undefined) return t(known[1], examplesIn(notation));
  const { text } = spoken(field, reason);
  // Dates in reasons are spelled out, so they need no conversion.
  return field?.type === 'number' ? writtenIn(text, field.type, notation) : text;
}
