import { textOf } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';
import { t } from '../i18n/i18n.ts';
import type { InputProps } from './form.tsx';
import { choicesOf } from './presentation.ts';

/** As many choices are shown side by side; more are a list that opens. */
const RADIOS_MAX = 4;

/** One of the values that the template lists. */
export function ChoiceInput(props: InputProps) {
  const choices = choicesOf(props.field);
  const isRadio = props.field.required && choices.length <= RADIOS_MAX;
  return isRadio ? <Radios {...props} /> : <Select {...props} />;
}

/** The choice that a value is; '' when it is none of them. */
export function choiceOf(field: Field, value: unknown): string {
  const text = textOf(value) ?? '';
  if (text === '') return '';
  const found = choicesOf(field).find(
    ([choice]) => choice === text || (field.type === 'number' && Number(choice) === Number(text)),
  );
  return found?.[0] ?? '';
}

function Radios({ id, field, value, isWrong, describedBy, onChange }: InputProps) {
  const chosen = choiceOf(field, value);
  return (
    <div
      class="row choices"
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={describedBy}
      aria-required={field.required}
      aria-invalid={isWrong}
    >
      {choicesOf(field).map(([choice, label], index) => (
        <label class="row nowrap" key={choice}>
          <input
            {...(index === 0 ? { id } : {})}
            type="radio"
            name={id}
            checked={choice === chosen}
            onChange={() => onChange(choice)}
          />
          {label}
        </label>
      ))}
    </div>
  );
}

function Select({ id, field, value, isWrong, describedBy, onChange }: InputProps) {
  const chosen = choiceOf(field, value);
  const text = textOf(value) ?? '';
  // A value that is not among the choices stays visible until another one is chosen.
  const isForeign = text !== '' && chosen === '';
  return (
    <select
      id={id}
      class="input"
      value={isForeign ? text : chosen}
      aria-invalid={isWrong}
      aria-describedby={describedBy}
      aria-required={field.required}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{t(field.required ? 'form.choose' : 'form.no_choice')}</option>
      {isForeign ? <option value={text}>{text}</option> : null}
      {choicesOf(field).map(([choice, label]) => (
        <option key={choice} value={choice}>
          {label}
        </option>
      ))}
    </select>
  );
}
