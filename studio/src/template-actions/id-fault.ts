/** Identifiers of new templates. */
const ID = /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/;
const ALLOWED = /^[\w.-]$/;
const LENGTH_MAX = 64;

interface IdFault {
  readonly key:
    | 'templates.id_hint'
    | 'actions.id_blank'
    | 'actions.id_character'
    | 'actions.id_long'
    | 'actions.id_end';
  readonly values: Readonly<Record<string, string | number>>;
}

/** Why a new template cannot have this identifier; null: it can. */
export function idFault(id: string): IdFault | null {
  if (ID.test(id)) return null;
  if (id === '') return { key: 'templates.id_hint', values: {} };
  for (const { segment: character } of new Intl.Segmenter().segment(id)) {
    if (character.trim() === '') return { key: 'actions.id_blank', values: {} };
    if (!ALLOWED.test(character)) return { key: 'actions.id_character', values: { character } };
  }
  if (id.length > LENGTH_MAX) return { key: 'actions.id_long', values: { count: id.length } };
  return { key: 'actions.id_end', values: {} };
}
