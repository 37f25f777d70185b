import type { JSX } from 'preact';
import { isComputed } from '../../../src/runtime/contract/computed.ts';
import type { FieldError } from '../api/types.ts';
import { textOf } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';
import { formatDate, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { ChoiceInput, choiceOf } from './choice-input.tsx';
import { DateInput } from './date-input.tsx';
import { ImageInput } from './image-input.tsx';
import { patternWords } from './pattern-words.ts';
import {
  choicesOf,
  exampleOf,
  hasLabel,
  helpOf,
  isSecret,
  labelOf,
  sectionsOf,
} from './presentation.ts';
import type { SpokenReason } from './reasons.ts';
import { maskWords, spoken } from './reasons.ts';
import { SvgInput } from './svg-input.tsx';
import { TableInput } from './table-input.tsx';

interface FormProps {
  readonly fields: readonly Field[];
  readonly data: Data;
  readonly reasons: readonly FieldError[];
  readonly onChange: (data: Data) => void;
}

/** A form made from a field contract: the template gives the values of computed fields. */
export function Form({ fields: all, data, reasons, onChange }: FormProps) {
  const fields = all.filter((field) => !isComputed(field));
  const known = new Set(fields.map(({ name }) => name));
  const others = reasons.filter(({ field }) => !known.has(field));
  const inputs = (own: readonly Field[]): readonly JSX.Element[] =>
    own.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        value={data[field.name]}
        reason={reasons.find((one) => one.field === field.name)?.reason ?? ''}
        onChange={(value) => onChange({ ...data, [field.name]: value })}
      />
    ));
  return (
    <div class="stack">
      {others.map(({ field, reason }) => (
        <p class="reason" key={field}>
          {field}: {reason}
        </p>
      ))}
      {fields.length === 0 ? <p class="soft">{t('form.no_fields')}</p> : null}
      {sectionsOf(fields).map(({ title, fields: own }, index) =>
        title === '' ? (
          <div class="stack" key={index}>
            {inputs(own)}
          </div>
        ) : (
          <fieldset class="stack form-group" key={index}>
            <legend>{title}</legend>
            {inputs(own)}
          </fieldset>
        ),
      )}
    </div>
  );
}

/** The properties that every kind of input takes. */
export interface InputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly describedBy: string;
  readonly onChange: (value: unknown) => void;
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly reason: string;
  readonly onChange: (value: unknown) => void;
}

function FieldInput({ field, value, reason, onChange }: FieldInputProps) {
  const id = `field-${field.name}`;
  const local = localReason(field, value);
  const shown: SpokenReason = reason === '' ? { text: local } : spoken(field, reason);
  const help = helpOf(field);
  const hint = hintOf(field);
  const describedBy = `${id}-hint`;
  const isWrong = shown.text !== '';
  return (
    <div class="field" data-field={field.name}>
      <label for={id} id={`${id}-label`} title={field.name}>
        <FieldName field={field} />
      </label>
      {inputOf({ id, field, value, isWrong, describedBy, onChange })}
      <div id={describedBy}>
        {isWrong ? (
          <p class="reason">
            <Icon name="error" size={16} />
            <span lang={shown.lang}>{shown.text}</span>
          </p>
        ) : null}
        {help === '' ? null : <p class="hint">{help}</p>}
        {hint === '' ? null : <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

/** The label of a field; without one, its name and type. */
function FieldName({ field }: { readonly field: Field }) {
  const isLabelled = hasLabel(field);
  const notes = [
    ...(isLabelled ? [] : [t(`type.${field.type}`)]),
    ...(field.required ? [] : [t('form.optional')]),
  ].join(' · ');
  return (
    <>
      <span class={isLabelled ? '' : 'mono'}>{labelOf(field)}</span>
      {notes === '' ? null : <span class="soft regular"> {notes}</span>}
    </>
  );
}

function inputOf(props: InputProps): JSX.Element {
  if (choicesOf(props.field).length > 0) return <ChoiceInput {...props} />;
  switch (props.field.type) {
    case 'date':
      return <DateInput {...props} />;
    case 'image':
      return <ImageInput {...props} />;
    case 'table':
      return <TableInput {...props} />;
    case 'svg':
      return <SvgInput {...props} />;
    case 'number':
      return <TextInput {...props} isNumber />;
    case 'text':
    case 'qrcode':
      return <TextInput {...props} />;
    case 'record':
    case 'list':
      return <JsonInput {...props} />;
  }
}

/** A record or list, which the service takes as its JSON text, too. */
function JsonInput({ id, field, value, isWrong, describedBy, onChange }: InputProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '', null, 2);
  return (
    <textarea
      id={id}
      class="mono"
      rows={8}
      spellcheck={false}
      value={text === '""' ? '' : text}
      aria-invalid={isWrong}
      aria-describedby={describedBy}
      aria-required={field.required}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const LONG_TEXT = 80;

function TextInput(props: InputProps & { readonly isNumber?: boolean }) {
  const { id, field, value, isWrong, describedBy, onChange, isNumber = false } = props;
  const text = textOf(value) ?? '';
  const example = exampleOf(field);
  const shared = {
    id,
    value: text,
    placeholder: example === '' ? undefined : t('form.example', { example }),
    'aria-invalid': isWrong,
    'aria-describedby': describedBy,
    'aria-required': field.required,
  };
  const onInput = (event: { readonly currentTarget: HTMLInputElement }): void =>
    onChange(event.currentTarget.value);
  if (isSecret(field)) {
    return (
      <input
        class="input"
        {...shared}
        type="password"
        autocomplete="new-password"
        onInput={onInput}
      />
    );
  }
  const isLong = !isNumber && (text.length > LONG_TEXT || text.includes('\n'));
  if (isLong) {
    return <textarea {...shared} onInput={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <input
      class={isNumber ? 'input tabular' : 'input'}
      {...shared}
      autocomplete="off"
      {...(isNumber ? { inputMode: 'decimal' as const } : {})}
      onInput={onInput}
    />
  );
}

/** Checks a value in the browser, without the service; '' when it is valid. */
export function localReason(field: Field, value: unknown): string {
  const text = textOf(value) ?? '';
  if (text === '') return '';
  if (choicesOf(field).length > 0) {
    return choiceOf(field, value) === '' ? t('form.choice_expected') : '';
  }
  if (field.type === 'number') {
    return /^-?\d+(?:\.\d+)?$/.test(text) ? '' : t('form.number_expected');
  }
  if (field.type === 'date') {
    return /^\d{4}-\d\d-\d\d$/.test(text) ? '' : t('form.date_expected');
  }
  return '';
}

/** Describes the contract's bounds in words. */
export function hintOf(field: Field): string {
  if (choicesOf(field).length > 0) return '';
  const { validation = {}, format = {} } = field;
  const parts: string[] = [];
  const { min, max, minLength, maxLength, pattern } = validation;
  const { mask } = format;
  const isDate = field.type === 'date';
  const bound = (value: string | number): string | number =>
    isDate ? formatDate(String(value)) : value;
  // A number of at least 0 is what people expect anyway.
  if (min !== undefined && Number(min) !== 0) parts.push(t('form.min', { value: bound(min) }));
  if (max !== undefined) parts.push(t('form.max', { value: bound(max) }));
  if (minLength !== undefined) parts.push(t('form.min_length', { value: minLength }));
  if (maxLength !== undefined) parts.push(t('form.max_length', { value: maxLength }));
  // The template's own help says better what a text looks like.
  if (helpOf(field) !== '') return parts.join(' · ');
  const words = pattern === undefined ? '' : patternWords(pattern, t);
  if (words !== '') parts.unshift(words);
  if (mask !== undefined) parts.push(maskWords(field));
  return parts.join(' · ');
}
