/** What is wrong with a typed identifier or mail address. The service says more when it refuses it. */
export function idFault(userId: string): 'users.id_blank' | null {
  return /\s/u.test(userId.trim()) ? 'users.id_blank' : null;
}

/** What the service says of an identifier that is taken, in any team. */
const EXISTS = 'This user exists already.';
/** What it says of one that a user of the team has in other capitals. */
const SIMILAR = /^The team has a user (.+), whose id differs only in upper and lower case\./su;

/** Why the service refuses an identifier, by its message; null: it refused something else. */
export function idRefusal(message: string): { readonly similar: string | null } | null {
  if (message === EXISTS) return { similar: null };
  const [, similar] = SIMILAR.exec(message) ?? [];
  return similar === undefined ? null : { similar };
}

export function emailFault(email: string): 'users.email_wrong' | null {
  const text = email.trim();
  return text === '' || /^[^\s@]+@[^\s@]+$/u.test(text) ? null : 'users.email_wrong';
}

/** The operator's command for a link to sign in; an id that a shell would change is quoted. */
export function linkCommand(userId: string): string {
  const isPlain = /^\w[\w.@+-]*$/.test(userId);
  const word = isPlain ? userId : `'${userId.replaceAll("'", String.raw`'\''`)}'`;
  return `./intaglio sessions link ${word}`;
}
