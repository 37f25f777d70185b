import { findReference } from '../../api/documents.ts';
import { callText, path } from '../../api/client.ts';
import type { Field, FieldContract } from '../../api/field-types.ts';
import { Link } from '../../app/router.tsx';
import { readTemplate } from '../../editor/template-text.ts';
import { referenceIn } from '../../form/reference.ts';
import { t } from '../../i18n/i18n.ts';
import { Notice } from '../../ui/parts.tsx';
import { useLoad } from '../../ui/use-load.ts';
import type { FirstRows } from './first-rows.ts';
import type { RowFile } from './rows.ts';

/** Rows at the head of the file whose references are looked up. */
const LOOKED_UP_MAX = 5;

interface StoredRowsProps {
  readonly contract: FieldContract;
  readonly rows: RowFile;
  readonly cells: FirstRows;
  /** The template's `reference`; '' until it is known. */
  readonly reference: string;
}

/** The text of the template's `reference`, such as `{{receiptNo}}`; '' until it is known. */
export function useReference({ templateId, version }: FieldContract): string {
  const { loaded } = useLoad(
    async (signal) => {
      const address = path`/v1/templates/${templateId}/versions/${version}`;
      const source = await callText(address, { signal });
      return readTemplate(source)?.reference ?? '';
    },
    [templateId, version],
  );
  return loaded.state === 'ready' ? loaded.value : '';
}

/**
 * Warns when documents of the first rows are stored already, before a file that was uploaded once makes
 * each of its documents a second time. Silent where only the service knows a row's reference.
 */
export function StoredRows({ contract, rows, cells, reference }: StoredRowsProps) {
  const { templateId, fields } = contract;
  const { loaded } = useLoad(
    async (signal) => {
      const asked = referencesOf(reference, fields, rows, cells);
      const found = await Promise.all(asked.map((text) => findReference(templateId, text, signal)));
      return { stored: asked.filter((_, index) => found[index] !== null), asked: asked.length };
    },
    [templateId, reference, rows, cells.length],
  );
  if (loaded.state !== 'ready') return null;
  const { stored, asked } = loaded.value;
  if (stored.length === 0) return null;
  const counts = { count: String(stored.length), asked: String(asked) };
  return (
    <Notice tone="warn" title={t('runs.stored_before', counts)}>
      <p>{t('runs.stored_before_hint')}</p>
      <ul class="stack tight">
        {stored.map((text) => (
          <li key={text}>
            <Link to={`/documents?find=${encodeURIComponent(text)}`}>{text}</Link>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The different references of the first rows, as far as the browser knows how they print. */
function referencesOf(
  source: string,
  fields: readonly Field[],
  { columns }: RowFile,
  cells: FirstRows,
): readonly string[] {
  const references = cells.slice(0, LOOKED_UP_MAX).map((row) => {
    const data = Object.fromEntries(columns.map((name, column) => [name, row[column] ?? '']));
    return referenceIn(source, fields, data)?.text;
  });
  return [...new Set(references.filter((reference) => reference !== undefined))];
}
