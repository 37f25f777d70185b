import type { Kysely } from 'kysely';
import type { Schema } from '../database/schema.ts';
import type { TemplateName } from '../terms.ts';

/** The persons who changed the draft since the last version, in alphabetical order. */
export async function contributorsOf(
  db: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('draft_contributors')
    .select('contributor')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
  const latest = await db
    .selectFrom('template_versions')
    .select((select) => select.fn.max('version').as('version'))
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('unpublished_at_ms', 'is', null)
    .executeTakeFirst();
  return contributorsIn(
    rows.map(({ contributor }) => contributor),
    latest?.version ?? null,
  );
}

/**
 * The contributors of a draft, from their rows; `version`: the one in use, null: none.
 */
export function contributorsIn(
  cells: readonly string[],
  version: number | null,
): readonly string[] {
  const names = cells.flatMap((cell) => {
    const [, number, name = ''] = /^=(\d+) (.*)$/s.exec(cell) ?? [];
    if (number === undefined) return [cell];
    return Number(number) === version ? [] : [name];
  });
  return [...new Set(names)].toSorted();
}
