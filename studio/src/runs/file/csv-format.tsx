import {
  type CsvFormat,
  DATES,
  DECIMALS,
  DELIMITERS,
} from '../../../../src/runtime/csv/csv-format.ts';
import type { Field } from '../../api/field-types.ts';
import { formatDate, t } from '../../i18n/i18n.ts';
import { Choice } from '../../ui/list.tsx';
import { Button, Notice } from '../../ui/parts.tsx';
import { type FormatGuess, type ShortYear, valueIn } from './csv-guess.ts';
import { AMOUNT, examplesIn, GROUPED_AMOUNTS } from '../examples.ts';
import { notationWords } from '../notation.ts';
import { type RowFile, separatedBy } from './rows.ts';

interface FormatProps {
  readonly rows: RowFile;
  readonly format: CsvFormat;
  readonly guess: FormatGuess | null;
  /** Its dates are refused, also in the format that is suggested. */
  readonly shortYear: ShortYear | null;
  readonly onChange: (format: CsvFormat) => void;
}

/**
 * The settings for the format of a CSV, folded, and the format that its first rows seem to have.
 */
export function FormatInputs({ rows, format, guess, shortYear, onChange }: FormatProps) {
  const sign = signOf(rows);
  const { delimiter = '', decimal = '', date = '', calendar = '' } = format;
  const set = (name: keyof CsvFormat, value: string): void =>
    onChange(withMember(format, name, value));
  const dayIn = (order: (typeof DATES)[number] | undefined): string =>
    order === undefined ? examplesIn({}).date : examplesIn({ ...format, date: order }).date;
  return (
    <>
      <details>
        <summary>{t('csv.format', { words: notationWords(format, sign) })}</summary>
        <div class="filters csv-format">
          <Choice
            label={t('csv.delimiter')}
            value={delimiter}
            options={[
              ['', t('csv.recognised', { sign: signOf(separatedBy(rows, {})) })],
              ...DELIMITERS.map((one): readonly [string, string] => [
                one,
                one === 'tab' ? t('run_csv.tab') : `“${one}”`,
              ]),
            ]}
            onChange={(value) => set('delimiter', value)}
          />
          <Choice
            label={t('csv.decimal')}
            value={decimal}
            options={[
              ['', t('csv.as_contract', { value: AMOUNT })],
              ...DECIMALS.map((one): readonly [string, string] => [one, GROUPED_AMOUNTS[one]]),
            ]}
            onChange={(value) => set('decimal', value)}
          />
          <Choice
            label={t('csv.date')}
            value={date}
            options={[
              ['', `${t('run_csv.iso')} (${dayIn(undefined)})`],
              ...DATES.map((one): readonly [string, string] => [
                one,
                `${t(`run_csv.${one}`)} (${dayIn(one)})`,
              ]),
            ]}
            onChange={(value) => set('date', value)}
          />
          <Choice
            label={t('csv.calendar')}
            value={calendar === 'buddhist' ? calendar : ''}
            options={[
              ['', t('csv.common', { year: 2026 })],
              ['buddhist', t('csv.buddhist', { year: 2569 })],
            ]}
            onChange={(value) => set('calendar', value)}
          />
        </div>
      </details>
      <Suggested sign={sign} guess={guess} shortYear={shortYear} onChange={onChange} />
    </>
  );
}

interface SuggestedProps extends Pick<FormatProps, 'guess' | 'shortYear' | 'onChange'> {
  readonly sign: string;
}

/** The format that the first rows seem to have, and what no format reads. */
function Suggested({ sign, guess, shortYear, onChange }: SuggestedProps) {
  return (
    <>
      {guess === null ? null : (
        <Notice tone="warn" title={t('csv.suggest')}>
          <p>{t('csv.suggest_text', { words: notationWords(guess.format, sign) })}</p>
          {guess.isUnsure ? <p>{t('csv.suggest_unsure')}</p> : null}
          <Button onClick={() => onChange(guess.format)}>{t('csv.use')}</Button>
        </Notice>
      )}
      {shortYear === null ? null : (
        <Notice tone="warn" title={t('csv.short_year')}>
          <p>{t('csv.short_year_text', { ...shortYear })}</p>
        </Notice>
      )}
    </>
  );
}

function signOf({ separator }: RowFile): string {
  return separator === '\t' ? t('run_csv.tab') : separator;
}

/**
 * The format with one member changed; '' removes the member. A calendar needs an order of dates: it
 * sets `y/m/d` if there is none, and is removed with the order.
 */
function withMember(format: CsvFormat, name: keyof CsvFormat, value: string): CsvFormat {
  const others = Object.entries(format).filter(
    ([key]) => key !== name && (key !== 'calendar' || name !== 'date' || value !== ''),
  );
  const set = value === '' ? [] : [[name, value] as const];
  const order =
    name === 'calendar' && value !== '' && format.date === undefined
      ? [['date', 'y/m/d'] as const]
      : [];
  // The values are those of the choices above.
  return Object.fromEntries([...others, ...order, ...set]) as CsvFormat;
}

/** An amount with a point that may be meant to separate thousands. */
const POINT_OF_THOUSANDS = /^-?[1-9]\d{0,2}\.\d{3}$/;

interface ReadProps {
  readonly cell: string;
  /** The type of the column's field; undefined if there is no such field. */
  readonly type: Field['type'] | undefined;
  readonly format: CsvFormat;
}

/**
 * Shows the value that is read from a cell if it differs from the cell's text, or that none can be
 * read.
 */
export function ReadAsValue({ cell, type, format }: ReadProps) {
  if (cell === '' || (type !== 'number' && type !== 'date')) return null;
  const value = valueIn(cell, type, format);
  if (value === null) return <div class="small reason">{t(`csv.no_${type}`)}</div>;
  if (type === 'date') return <div class="small soft">{formatDate(value)}</div>;
  if (value !== cell) return <div class="small soft">= {value}</div>;
  // Who writes points between thousands sees that this one is a decimal point.
  if (!POINT_OF_THOUSANDS.test(cell)) return null;
  const short = value.replace(/\.?0+$/, '');
  return <div class="small soft">{t('csv.read_as', { cell, value: short })}</div>;
}
