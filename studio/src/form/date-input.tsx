import { useEffect, useState } from 'preact/hooks';
import { formatDate, t } from '../i18n/i18n.ts';
import { fromBuddhist, toBuddhist } from './dates.ts';
import type { InputProps } from './form.tsx';

/** An input for a date: chosen in the browser's calendar, or typed in the Buddhist era. */
export function DateInput({ id, value, isWrong, describedBy, onChange, field }: InputProps) {
  const iso = typeof value === 'string' ? value : '';
  const [typed, setTyped] = useState(toBuddhist(iso) || iso);
  useEffect(() => {
    if (valueOf(typed) !== iso) setTyped(toBuddhist(iso) || iso);
  }, [iso]);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(iso);
  return (
    <div class="row dates">
      <input
        id={id}
        class="input"
        type="date"
        value={isDay ? iso : ''}
        aria-invalid={isWrong}
        aria-describedby={describedBy}
        aria-required={field.required}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <label class="row nowrap era">
        <span class="small soft">{t('form.buddhist')}</span>
        <input
          class="input"
          inputMode="numeric"
          placeholder="31/1/2569"
          value={typed}
          aria-invalid={iso !== '' && !isDay}
          aria-describedby={describedBy}
          onInput={(event) => {
            const text = event.currentTarget.value;
            setTyped(text);
            onChange(valueOf(text));
          }}
        />
      </label>
      {isDay ? <span class="small soft">{formatDate(iso)}</span> : null}
    </div>
  );
}

/** The day that was typed. What is no day is kept as it is: the form says so, and nothing is made. */
function valueOf(typed: string): string {
  return fromBuddhist(typed) ?? typed;
}
