import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import type { FieldContract } from '../api/field-types.ts';
import { headingsOf, labelOf } from '../form/presentation.ts';
import { t } from '../i18n/i18n.ts';
import { saveFile } from '../ui/download.ts';
import { Button, CopyButton } from '../ui/parts.tsx';
import { type FirstRows, firstRowsOf, headerOf, tableCellOf } from './first-rows.ts';
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

/** The first rows of a chosen file as it was read, before anything is sent. */
export function FirstRowsTable({ rows }: { readonly rows: RowFile }) {
  const [first, setFirst] = useState<FirstRows>([]);
  useEffect(() => {
    let isStale = false;
    const show = async (): Promise<void> => {
      try {
        const read = await firstRowsOf(rows);
        if (!isStale) setFirst(read);
      } catch (error) {
        // The file was rewritten: sending it says so.
        if (!(error instanceof ApiError)) throw error;
        if (!isStale) setFirst([]);
      }
    };
    void show();
    return () => {
      isStale = true;
    };
  }, [rows]);
  return (
    <div class="stack tight">
      <span class="field-label">{t('runs.first_rows')}</span>
      <div class="table-wrap" role="region" tabIndex={0} aria-label={t('runs.first_rows')}>
        <table class="table">
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
            {first.map((cells, index) => (
              <tr key={index}>
                {rows.columns.map((name, column) => (
                  <td key={name}>{cells[column] ?? ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
