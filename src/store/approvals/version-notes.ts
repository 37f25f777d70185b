import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { TemplateName } from '../terms.ts';

/** Why a version was published, and who wrote it. */
export interface VersionNote {
  /** '' when none was given. */
  readonly note: string;
  /** Names as in audit records, in alphabetical order; empty when they were not recorded. */
  readonly authors: readonly string[];
}

export const NO_NOTE: VersionNote = { note: '', authors: [] };

/** The notes of a template's versions, by version. */
export async function versionNotes(
  database: Database,
  { teamId, templateId }: TemplateName,
): Promise<ReadonlyMap<number, VersionNote>> {
  const rows = await database.read((db) =>
    db
      .selectFrom('version_notes')
      .select(['version', 'note', 'authors'])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .execute(),
  );
  return new Map(
    rows.map(({ version, note, authors }) => [
      version,
      { note: textOf(note), authors: authorsOf(authors) },
    ]),
  );
}

/** Writes the note of a version in the transaction that publishes it. */
export async function addVersionNote(
  trx: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
  version: number,
  { note, authors }: VersionNote,
): Promise<void> {
  if (note === '' && authors.length === 0) return;
  const cells = {
    note: cellOf(note),
    authors: authors.length === 0 ? null : cellOf(JSON.stringify(authors)),
  };
  await trx
    .insertInto('version_notes')
    .values({ team_id: teamId, template_id: templateId, version, ...cells })
    .execute();
}

/** A version that is published again keeps its authors. */
export async function authorsOfVersion(
  trx: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
  version: number,
): Promise<readonly string[]> {
  const row = await trx
    .selectFrom('version_notes')
    .select('authors')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .executeTakeFirst();
  return authorsOf(row?.authors ?? null);
}

/** A text as a cell of UTF-8, because texts of the database have at most 255 characters. */
export function cellOf(text: string): Uint8Array | null {
  return text === '' ? null : Buffer.from(text);
}

export function textOf(cell: Uint8Array | null): string {
  return cell === null ? '' : Buffer.from(cell).toString();
}

function authorsOf(cell: Uint8Array | null): readonly string[] {
  // `addVersionNote` wrote it.
  return cell === null ? [] : (JSON.parse(textOf(cell)) as readonly string[]);
}
