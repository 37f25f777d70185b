/** A text with one of these is an expression, unless a field has exactly this name. */
const MARKS = /[()[\]!<>=&|?+*/%"'`]/u;

/**
 * What a condition says: the name of a field or of a value of an entry, or an expression, which
 * begins with `=` where it has none of the marks.
 */
export function readCondition(
  name: string,
  isField: (name: string) => boolean,
): { readonly name: string } | { readonly expression: string } {
  if (isField(name) || !MARKS.test(name)) return { name };
  return { expression: expressionIn(name) ?? name };
}

/** The source behind `=`, as in `{{= a + b}}`; null when a text does not begin with it. */
export function expressionIn(text: string): string | null {
  return text.startsWith('=') && !text.startsWith('==') ? text.slice(1).trim() : null;
}
