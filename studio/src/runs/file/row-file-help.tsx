import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/client.ts';
import type { CsvFormat } from '../../../../src/runtime/csv/csv-format.ts';
import type { Field, FieldContract } from '../../api/field-types.ts';
import { headingsOf, labelOf } from '../../form/presentation.ts';
import { t } from '../../i18n/i18n.ts';
import { saveFile } from '../../ui/download.ts';
import { Button, CopyButton } from '../../ui/parts.tsx';
import { ReadAsValue } from './csv-format.tsx';
import {
  cellsOf,
  type FirstRows,
  type FirstValues,
  firstValuesOf,
  headerOf,
  tableCellOf,
} from './first-rows.ts';
import type { RowFile } from './rows.ts';

/** Saves a CSV that has a column for each field, to be filled in by a spreadsheet. */
export function EmptyCsv({ contract }: { readonly contract: FieldContract }) {
  const columns = headerOf(contract.fields);
  // Without the byte order mark Excel reads UTF-8 as the encoding of its Windows.
  const content = `\uFEFF${columns.join(',')}\r\n`;
  return (
    <div class="row">
      <Button
        kind="quiet"
        icon="download"
        onClick={() => saveFile(`${contract.templateId}-rows.csv`, 'text/csv', content)}
      >
        {t('runs.empty_csv')}
      </Button>
      <span class="small soft">{t('runs.empty_csv_hint', { id: columns[0] ?? '' })}</span>
    </div>
  );
}

/** How a table is written in one cell of a CSV, with an example for each table of the template. */
export function TableCells({ contract }: { readonly contract: FieldContract }) {
  const tables = contract.fields.filter(({ type }) => type === 'table');
  if (tables.length === 0) return null;
  return (
    <div class="stack tight">
      <p class="small soft">{t('runs.table_cell')}</p>
      {tables.map((field) => {
        const cell = tableCellOf(headingsOf(field));
        return (
          <div class="row nowrap secret" key={field.name}>
            <span class="small">
              {labelOf(field)} <code class="breaks">{cell}</code>
            </span>
            <CopyButton text={cell} label={t('action.copy')} />
          </div>
        );
      })}
    </div>
  );
}

/** Rows from which the format of the file is guessed. */
const READ_MAX = 200;
const SHOWN_MAX = 3;

/** The beginning of a file: its values, and the cells that are shown of them. */
export interface Beginning {
  readonly values: FirstValues;
  readonly cells: FirstRows;
}

const UNREAD: Beginning = { values: [], cells: [] };

/** The first rows of a file; none until they are read. */
export function useFirstRows(rows: RowFile | null): Beginning {
  const [first, setFirst] = useState<(Beginning & { readonly rows: RowFile }) | null>(null);
  useEffect(() => {
    let isStale = false;
    const read = async (): Promise<void> => {
      if (rows === null) return;
      try {
        const values = await firstValuesOf(rows, READ_MAX);
        if (!isStale) setFirst({ rows, values, cells: cellsOf(values) });
      } catch (error) {
        // The file was rewritten: sending it says so.
        if (!(error instanceof ApiError)) throw error;
      }
    };
    void read();
    return () => {
      isStale = true;
    };
  }, [rows]);
  return first !== null && first.rows === rows ? first : UNREAD;
}

interface FirstRowsProps {
  readonly rows: RowFile;
  readonly cells: FirstRows;
  readonly fields: readonly Field[];
  readonly format: CsvFormat;
}

/** The first rows of a chosen file, and how their amounts and dates are read, before it is sent. */
export function FirstRowsTable({ rows, cells, fields, format }: FirstRowsProps) {
  const typeOf = (name: string): Field['type'] | undefined =>
    fields.find((field) => field.name === name)?.type;
  return (
    <div class="stack tight">
      <span class="field-label">{t('runs.first_rows')}</span>
      <div class="table-wrap" role="region" tabIndex={0} aria-label={t('runs.first_rows')}>
        <table class="table first-rows">
          <thead>
            <tr>
              {rows.columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cells.slice(0, SHOWN_MAX).map((row, index) => (
              <tr key={index}>
                {rows.columns.map((name, column) => (
                  <td key={name}>
                    {row[column] ?? ''}
                    {rows.format === 'csv' ? (
                      <ReadAsValue cell={row[column] ?? ''} type={typeOf(name)} format={format} />
                    ) : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
