/** Longest mail address that the database holds, in UTF-16 units. */
const EMAIL_LENGTH_MAX = 255;
const BLANK = /[\s\p{Z}]/u;

/** A user as an operator or Admin typed it. */
interface TypedUser {
  readonly userId: string;
  /** '' or absent: none. */
  readonly email?: string | undefined;
}

/**
 * Why a person may not add a user with this id or mail address, as sentences for that person; null:
 * they may. Users that an identity provider or a sync names are not asked: their ids are given.
 */
export function typedUserFault({ userId, email = '' }: TypedUser): string | null {
  return userIdFault(userId) ?? emailFault(email);
}

/** A blank in an id is a slip: the second word of a name, or one copied from a table. */
function userIdFault(userId: string): string | null {
  const blank = BLANK.exec(userId);
  if (blank === null) return null;
  return (
    `userId has a blank at character ${characterAt(userId, blank.index)}. Write the id without` +
    ' blanks, exactly as the identity provider has it, such as somchai or' +
    ' somchai@bank.example. A name with blanks belongs into displayName.'
  );
}

/** Only what is surely no address is refused: RFC 5321 §4.1.2 allows more than any short rule. */
function emailFault(email: string): string | null {
  if (email === '') return null;
  const example = 'Write it as in somchai@bank.example, or leave it out.';
  if (email.length > EMAIL_LENGTH_MAX) {
    return `email has more than ${EMAIL_LENGTH_MAX} characters. ${example}`;
  }
  const blank = BLANK.exec(email);
  if (blank !== null) {
    return `email has a blank at character ${characterAt(email, blank.index)}. ${example}`;
  }
  const at = email.lastIndexOf('@');
  if (at === -1) return `email has no @. ${example}`;
  if (at === 0) return `email has nothing before its @. ${example}`;
  if (at === email.length - 1) return `email has no domain after its @. ${example}`;
  return email.indexOf('@') === at ? null : `email has more than one @. ${example}`;
}

/** The number of a character as people count, from 1. */
function characterAt(text: string, index: number): number {
  return Array.from(text.slice(0, index)).length + 1;
}
