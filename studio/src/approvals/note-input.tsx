import { t } from '../i18n/i18n.ts';
import { NOTE_CHARACTERS_MAX } from './api.ts';

interface NoteProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly required?: boolean;
  readonly onChange: (value: string) => void;
}

/** A text of several lines that is kept with a request, a decision or a version. */
export function NoteInput(props: NoteProps) {
  const { id, label, hint, value, required = false, onChange } = props;
  const count = Array.from(value).length;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="input"
        rows={3}
        value={value}
        required={required}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class={count > NOTE_CHARACTERS_MAX ? 'reason' : 'hint'}>
        {count > NOTE_CHARACTERS_MAX
          ? t('approval.too_long', { count, max: NOTE_CHARACTERS_MAX })
          : (hint ?? t('approval.no_personal_data'))}
      </p>
    </div>
  );
}

export function isNoteTooLong(note: string): boolean {
  return Array.from(note).length > NOTE_CHARACTERS_MAX;
}
