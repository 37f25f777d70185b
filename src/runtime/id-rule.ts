import { placeOf } from './readable-name.ts';

const ID_CHARACTERS_MAX = 128;
/** What `isNewId` demands, for messages: 'A user id …'. */
export const ID_RULE = `has 1 to ${ID_CHARACTERS_MAX} characters, no control characters, single plain blanks, and no blank at either end`;

/** Characters that nobody sees. ZWNJ and ZWJ are part of the spelling in several scripts. */
const INVISIBLE = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u;
/** The blank Braille pattern, and code points that are not characters. */
const BLANK_SIGN = /\u2800|\p{Noncharacter_Code_Point}/u;
/** Blanks but the plain one. */
const UNUSUAL_BLANK = /(?! )\p{Zs}/u;

/**
 * Whether the value can be the id of a team, user or template: 1 to 128 characters, none of them
 * invisible, no blank at either end. Two ids that look alike would be one in an audit. The database
 * is not asked for other values, so a collation that ignores trailing blanks cannot mistake one id
 * for another.
 */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idFault(value) === null;
}

/**
 * Whether a new team, user or template may have this id: nobody mistakes it for another one by its
 * blanks. Ids that earlier versions accepted stay in use, so reading asks `isId`.
 */
export function isNewId(value: unknown): value is string {
  return typeof value === 'string' && newIdFault(value) === null;
}

/** Why nothing can have this id, as the end of a sentence that begins with its key; null: it can. */
export function idFault(id: string): string | null {
  if (id === '') return 'must not be empty';
  if (id.length > ID_CHARACTERS_MAX) return `must have at most ${ID_CHARACTERS_MAX} characters`;
  if (!id.isWellFormed()) return 'must have no half of a surrogate pair';
  const invisible = INVISIBLE.exec(id);
  if (invisible !== null) {
    const kind = /\p{Cc}/u.test(invisible[0]) ? 'control' : 'invisible';
    return `must have no ${kind} characters: ${placeOf(invisible)}`;
  }
  if (id.trimStart() !== id) return 'must not begin with a blank';
  return id.trimEnd() === id ? null : 'must not end with a blank';
}

/** Why a new team, user or template cannot have this id, in the words of `idFault`; null: it can. */
export function newIdFault(id: string): string | null {
  const fault = idFault(id);
  if (fault !== null) return fault;
  const blank = UNUSUAL_BLANK.exec(id);
  if (blank !== null) return `must have no blanks but the plain one: ${placeOf(blank)}`;
  const sign = BLANK_SIGN.exec(id);
  if (sign !== null) return `must have no invisible characters: ${placeOf(sign)}`;
  return id.includes('  ') ? 'must have no two blanks in a row' : null;
}
