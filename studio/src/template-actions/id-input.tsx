import { t } from '../i18n/i18n.ts';
import { idFault } from './id-fault.ts';

interface IdProps {
  /** Of the element. */
  readonly id: string;
  readonly value: string;
  /** Whether an empty identifier is a fault already. */
  readonly isChecked: boolean;
  readonly isTaken: boolean;
  readonly onChange: (value: string) => void;
}

/** Asks for the identifier of a new template, and says what is wrong with the one that was typed. */
export function IdInput({ id, value, isChecked, isTaken, onChange }: IdProps) {
  const fault = value === '' && !isChecked ? null : idFault(value);
  return (
    <div class="field">
      <label for={id}>{t('templates.id')}</label>
      <input
        id={id}
        class="input mono"
        autocomplete="off"
        value={value}
        aria-invalid={fault !== null || isTaken}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
      />
      <p id={`${id}-hint`} class={fault === null ? 'hint' : 'reason'}>
        {fault === null ? t('templates.id_hint') : t(fault.key, fault.values)}
      </p>
    </div>
  );
}
