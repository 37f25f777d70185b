import { useState } from 'preact/hooks';
import type { NamedEncoding, TextEncoding } from '../../../src/runtime/encoding/decoder.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import type { Rows } from './cells.ts';
import { CELLS_MAX, parseCells, pasteInto, ROWS_MAX, rowsOf, widthOf } from './cells.ts';
import { NoTextNotice, ReadAs } from './encoding.tsx';
import { type NoText, readAsUtf8 } from './text-file.ts';
import type { InputProps } from './form.tsx';
import { headingsOf, labelOf } from './presentation.ts';
import { findSlip, type TableSlip } from './table-slips.ts';

/** Rows shown; the rest are kept and sent, but not shown. */
const SHOWN_MAX = 100;

/** A grid of text cells that accepts a paste from a spreadsheet, and CSV files. */
export function TableInput({ id, value, isWrong, describedBy, onChange, field }: InputProps) {
  const [refused, setRefused] = useState<{ file: File; fault: NoText } | null>(null);
  const [encoding, setEncoding] = useState<TextEncoding>('utf-8');
  const rows = rowsOf(value);
  if (rows === null) {
    return (
      <div class="row">
        <p class="reason">{t('form.table_unreadable')}</p>
        <Button onClick={() => onChange([])}>{t('form.table_clear')}</Button>
      </div>
    );
  }
  const headings = headingsOf(field);
  const width = Math.max(1, headings.length, widthOf(rows));
  const cells = rows.reduce((sum, row) => sum + row.length, 0);
  const isTooLong = rows.length > ROWS_MAX || cells > CELLS_MAX;
  const take = async (file: File | undefined, named: NamedEncoding | null): Promise<void> => {
    if (file === undefined) return;
    const read = await readAsUtf8(file, named);
    setRefused('text' in read ? null : { file, fault: read });
    if (!('text' in read)) return;
    setEncoding(read.encoding);
    onChange(parseCells(await read.text.text()));
  };
  return (
    <div class="stack tight" role="group" aria-labelledby={`${id}-label`}>
      <Grid
        id={id}
        name={labelOf(field)}
        headings={headings}
        rows={rows}
        width={width}
        isWrong={isWrong}
        describedBy={describedBy}
        onChange={onChange}
      />
      {refused === null ? null : (
        <NoTextNotice fault={refused.fault} onRead={(named) => void take(refused.file, named)} />
      )}
      <ReadAs encoding={encoding} />
      {isTooLong ? <p class="reason">{t('form.table_too_long')}</p> : null}
      <div class="row small">
        <span class="soft tabular">
          {t('form.table_size', { rows: formatNumber(rows.length), columns: width })}
        </span>
        <Button kind="quiet" icon="add" onClick={() => onChange([...rows, emptyRow(width)])}>
          {t('form.add_row')}
        </Button>
        <Button
          kind="quiet"
          icon="add"
          onClick={() => onChange(rows.map((row) => [...padded(row, width), '']))}
          disabled={rows.length === 0}
        >
          {t('form.add_column')}
        </Button>
        <label class="button quiet">
          {t('form.csv')}
          <input
            class="hidden"
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            onChange={(event) => void take(event.currentTarget.files?.[0], null)}
          />
        </label>
      </div>
    </div>
  );
}

interface SlipProps {
  readonly slip: TableSlip | null;
  readonly headings: readonly string[];
}

/** Names the cell that does not fit its column, while it is typed. */
function Slip({ slip, headings }: SlipProps) {
  if (slip === null) return null;
  const { row, column, kind } = slip;
  const name = headings[column] || String(column + 1);
  return <p class="reason">{t(`form.slip_${kind}`, { row: row + 1, column: name })}</p>;
}

interface GridProps {
  readonly id: string;
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: Rows;
  readonly width: number;
  readonly isWrong: boolean;
  readonly describedBy: string;
  readonly onChange: (rows: Rows) => void;
}

function Grid(props: GridProps) {
  const { id, name, headings, rows, width, isWrong, describedBy, onChange } = props;
  const slip = findSlip(rows);
  const shown = rows.length === 0 ? [emptyRow(width)] : rows.slice(0, SHOWN_MAX);
  const set = (row: number, column: number, text: string): void =>
    onChange(pasteInto(rows, [[text]], row, column));
  const cellName = (row: number, column: number): string => {
    const heading = headings[column] ?? '';
    return heading === ''
      ? t('form.cell', { name, row: row + 1, column: column + 1 })
      : t('form.cell_named', { name, row: row + 1, column: heading });
  };
  const paste = (event: ClipboardEvent, row: number, column: number): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!/[\t\n]/.test(text.trimEnd())) return;
    event.preventDefault();
    onChange(pasteInto(rows, parseCells(text), row, column));
  };
  return (
    <>
      <div class="grid-wrap">
        <table class="grid">
          <Head headings={headings} width={width} />
          <tbody>
            {shown.map((cells, row) => (
              <tr key={row}>
                <th scope="row">{row + 1}</th>
                {padded(cells, width).map((cell, column) => (
                  <td key={column}>
                    <input
                      {...(row === 0 && column === 0 ? { id } : {})}
                      aria-label={cellName(row, column)}
                      aria-describedby={describedBy}
                      aria-invalid={isWrong || (slip?.row === row && slip.column === column)}
                      value={cell}
                      onInput={(event) => set(row, column, event.currentTarget.value)}
                      onPaste={(event) => paste(event, row, column)}
                    />
                  </td>
                ))}
                <td class="fit">
                  <Button
                    kind="quiet"
                    icon="close"
                    label={t('form.remove_row', { row: row + 1 })}
                    disabled={rows.length === 0}
                    onClick={() => onChange(rows.filter((_, index) => index !== row))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > SHOWN_MAX ? (
          <p class="small soft more-rows">
            {t('form.more_rows', { count: formatNumber(rows.length - SHOWN_MAX) })}
          </p>
        ) : null}
      </div>
      <Slip slip={slip} headings={headings} />
    </>
  );
}

function Head({ headings, width }: Pick<GridProps, 'headings' | 'width'>) {
  if (headings.length === 0) return null;
  return (
    <thead>
      <tr>
        <td />
        {padded(headings, width).map((heading, column) => (
          <th scope="col" key={column}>
            {heading}
          </th>
        ))}
        <td />
      </tr>
    </thead>
  );
}

function emptyRow(width: number): string[] {
  return Array.from({ length: width }, () => '');
}

function padded(row: readonly string[], width: number): string[] {
  return [...row, ...emptyRow(Math.max(0, width - row.length))];
}
