import { t, type TextKey } from '../i18n/i18n.ts';

interface Props {
  /** The headings in order; `num` is that of a column of numbers. */
  readonly columns: readonly (TextKey | { readonly num: TextKey })[];
  /** Whether a last column holds buttons; only screen readers get its heading. */
  readonly hasActions?: boolean;
}

/** The head of a table that turns into cards on a narrow screen, where only roles make it a table. */
export function TableHead({ columns, hasActions = false }: Props) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th key={column} scope="col" role="columnheader">
              {t(column)}
            </th>
          ) : (
            <th key={column.num} scope="col" role="columnheader" class="num">
              {t(column.num)}
            </th>
          ),
        )}
        {hasActions ? (
          <th scope="col" role="columnheader">
            <span class="hidden">{t('template.actions')}</span>
          </th>
        ) : null}
      </tr>
    </thead>
  );
}
