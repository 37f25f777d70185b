import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { isComputed } from '../../../src/runtime/contract/computed.ts';
import { isRecord, withoutEmpty } from '../editor/template-text.ts';
import type { FieldError } from '../api/types.ts';
import { textOf, toJson } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';
import { language } from '../app/state.ts';
import { formatDate, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { ChoiceInput, choiceOf } from './choice-input.tsx';
import { entryFault, numberFault } from './entries.ts';
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
  /** What else is known about the value of a field, shown below its input. */
  readonly note?: FieldNote | null;
}

export interface FieldNote {
  readonly field: string;
  readonly content: ComponentChildren;
}

/** A form made from a field contract: the template gives the values of computed fields. */
export function Form({ fields, data, reasons, onChange, note = null }: FormProps) {
  const known = new Set(shownPaths(fields, data, ''));
  const others = reasons.filter(({ field }) => !known.has(field));
  return (
    <div class="stack">
      {others.map(({ field, reason }) => (
        <p class="reason" key={field}>
          {field}: <Reason {...spoken(null, reason)} />
        </p>
      ))}
      {fields.every(isComputed) ? <p class="soft">{t('form.no_fields')}</p> : null}
      <Inputs
        fields={fields}
        data={data}
        path=""
        reasons={reasons}
        note={note}
        onChange={onChange}
      />
    </div>
  );
}

function Reason({ text, lang }: SpokenReason) {
  return <span lang={lang}>{text}</span>;
}

/** The paths of the fields that have inputs, such as `customer.name`. */
function shownPaths(fields: readonly Field[], data: Data, path: string): readonly string[] {
  return fields.flatMap((field) => {
    if (isComputed(field)) return [];
    const own = `${path}${field.name}`;
    const record = field.type === 'record' ? recordOf(data[field.name]) : null;
    return record === null ? [own] : [own, ...shownPaths(innerFields(field), record, `${own}.`)];
  });
}

interface InputsProps extends FormProps {
  /** Prefix of the paths of these fields in reasons: `customer.` inside the record `customer`. */
  readonly path: string;
}

/** The inputs of fields, by group. */
function Inputs({ fields: all, data, path, reasons, note = null, onChange }: InputsProps) {
  const fields = all.filter((field) => !isComputed(field));
  const inputs = (own: readonly Field[]): readonly JSX.Element[] =>
    own.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        path={`${path}${field.name}`}
        value={data[field.name]}
        reasons={reasons}
        note={note}
        onChange={(value) => onChange({ ...data, [field.name]: value })}
      />
    ));
  return (
    <>
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
    </>
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
  /**
   * The path of the field: its name, after the names of the records around it (`customer.name`).
   */
  readonly path: string;
  readonly value: unknown;
  readonly reasons: readonly FieldError[];
  readonly note: FieldNote | null;
  readonly onChange: (value: unknown) => void;
}

function FieldInput(props: FieldInputProps) {
  const { field, path, value, reasons, note, onChange } = props;
  const id = `field-${path}`;
  const reason = reasons.find((one) => one.field === path)?.reason ?? '';
  // A list that was typed is parsed: that is not repeated with every key in another field.
  const local = useMemo(() => localReason(field, value), [field, value, language.value]);
  const shown: SpokenReason = reason === '' ? { text: local } : spoken(field, reason);
  const help = helpOf(field);
  const hint = hintOf(field);
  const describedBy = `${id}-hint`;
  const isWrong = shown.text !== '';
  const record = field.type === 'record' ? recordOf(value) : null;
  return (
    <div class="field" data-field={path}>
      <label for={id} id={`${id}-label`} title={field.name}>
        <FieldName field={field} />
      </label>
      {record === null ? (
        inputOf({ id, field, value, isWrong, describedBy, onChange })
      ) : (
        <RecordInput {...props} id={id} record={record} />
      )}
      <div id={describedBy}>
        {isWrong ? (
          <p class="reason">
            <Icon name="error" size={16} />
            <Reason {...shown} />
          </p>
        ) : null}
        {note?.field === path ? note.content : null}
        {help === '' ? null : <p class="hint">{help}</p>}
        {hint === '' ? null : <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

interface RecordProps extends FieldInputProps {
  readonly id: string;
  readonly record: Data;
}

/** The inputs of a record's fields. A record without any value is sent as absent. */
function RecordInput({ id, field, path, record, reasons, note, onChange }: RecordProps) {
  const change = (next: Data): void => {
    const filled = withoutEmpty(next);
    onChange(Object.keys(filled).length === 0 ? '' : filled);
  };
  return (
    <div class="form-group" role="group" aria-labelledby={`${id}-label`}>
      <Inputs
        fields={innerFields(field)}
        data={record}
        path={`${path}.`}
        reasons={reasons}
        note={note}
        onChange={change}
      />
    </div>
  );
}

/** The values of a record. Null if the value is a text of JSON or has another type. */
function recordOf(value: unknown): Data | null {
  if (value === undefined || value === null || value === '') return {};
  return isRecord(value) && textOf(value) === null ? value : null;
}

/** The fields of a record. */
function innerFields({ fields = [] }: Field): readonly Field[] {
  // Fields inside records have the same keys as others (field-types.ts).
  return fields as unknown as readonly Field[];
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

/** A list or record as JSON text, which the service accepts, too. */
function JsonInput({ id, field, value, isWrong, describedBy, onChange }: InputProps) {
  const text = typeof value === 'string' ? value : toJson(value ?? '', '\n');
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

/** A text of more characters gets a box of several lines. */
const LONG_TEXT = 80;
/** So does an empty field whose texts may have more: a remark, not a name. */
const LONG_FIELD = 200;

/**
 * Whether a field is a box of several lines. What is typed decides nothing: a browser that gets
 * another element in place of the focused one takes the focus away, and drops what is typed after it.
 */
function useIsLong(id: string, field: Field, text: string): [boolean, (typed: string) => void] {
  const isLongNow = (): boolean =>
    text.length > LONG_TEXT ||
    text.includes('\n') ||
    (field.validation?.maxLength ?? 0) > LONG_FIELD;
  const decided = useRef<{ text: string; isLong: boolean } | null>(null);
  const { current } = decided;
  if (current === null) {
    decided.current = { text, isLong: isLongNow() };
  } else if (current.text !== text) {
    // A sample or an emptied form, unless the parent changed what is typed here.
    const isFocused = document.activeElement?.id === id;
    decided.current = { text, isLong: isFocused ? current.isLong : isLongNow() };
  }
  const { isLong = false } = decided.current ?? {};
  return [isLong, (typed) => (decided.current = { text: typed, isLong })];
}

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
  const [isLong, keepElement] = useIsLong(id, field, text);
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void => {
    const typed = event.currentTarget.value;
    keepElement(typed);
    onChange(typed);
  };
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
  if (isLong && !isNumber) return <textarea {...shared} onInput={onInput} />;
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
function localReason(field: Field, value: unknown): string {
  const text = textOf(value) ?? '';
  const isJson = field.type === 'list' || field.type === 'record';
  if (isJson && value !== undefined && value !== null && value !== '') {
    return entryReason(field, value);
  }
  if (text === '') return '';
  if (choicesOf(field).length > 0) {
    return choiceOf(field, value) === '' ? t('form.choice_expected') : '';
  }
  if (field.type === 'number') {
    const reason = numberFault(value);
    return reason === '' ? '' : spoken(field, reason).text;
  }
  if (field.type === 'date') {
    return /^\d{4}-\d\d-\d\d$/.test(text) ? '' : t('form.date_expected');
  }
  return '';
}

function entryReason(field: Field, value: unknown): string {
  // The inputs of a record say what is wrong in it.
  if (field.type === 'record' && recordOf(value) !== null) return '';
  const fault = entryFault(field, value, localReason);
  if (fault === null) return '';
  const { kind, entry, field: inner, reason } = fault;
  const said =
    kind === 'value'
      ? reason
      : t(kind === 'missing' ? 'form.reason_required' : `form.entry_${kind}`);
  const places = [
    ...(entry === 0 ? [] : [t('form.entry', { entry })]),
    ...(inner === null ? [] : [labelOf(inner)]),
  ];
  return places.length === 0 ? said : `${places.join(', ')}: ${said}`;
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
