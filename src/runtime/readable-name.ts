/** The most UTF-16 units of a name: what a column of the database holds. */
const NAME_LENGTH_MAX = 255;
/**
 * Characters that end a name or change its order where it is shown: controls, line and paragraph
 * separators, marks of direction, and signs without width. ZWNJ and ZWJ are part of the spelling in
 * several scripts.
 */
const UNSHOWN =
  /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])(?=\p{Default_Ignorable_Code_Point})\p{Cf}/u;
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Why people could not read a name, as the end of a sentence that begins with the name's key; null:
 * they can. The rule for names of templates, teams, users, keys and runs.
 */
export function nameFault(name: string): string | null {
  if (name.length > NAME_LENGTH_MAX) return `must have at most ${NAME_LENGTH_MAX} characters`;
  if (!name.isWellFormed()) return 'must have no half of a surrogate pair';
  const unshown = UNSHOWN.exec(name);
  if (unshown !== null) {
    const kind = /\p{Cc}/u.test(unshown[0]) ? 'control' : 'invisible';
    return `must have no ${kind} characters: ${placeOf(unshown)}`;
  }
  return hasVisible(name) ? null : 'must have a visible character';
}

/** Names a character that a pattern found, and its place: `U+200B is character 2`. */
export function placeOf({ 0: character, index, input }: RegExpExecArray): string {
  const place = Array.from(input.slice(0, index)).length + 1;
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} is character ${place}`;
}

/** Whether people see anything of a text; otherwise it counts as empty, also in the Studio. */
export function hasVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** The text; empty if nothing of it can be seen. */
export function shownText(text: string): string {
  return hasVisible(text) ? text : '';
}
