/** A binding in a text of the template, such as {{name}}: its braces are not brackets of JSON. */
const BINDING = /\{\{[^{}\n]*\}\}/g;

/** Index at which the last binding in these words ends; 0 if there is none. */
export function bindingsEnd(words: string): number {
  const last = [...words.matchAll(BINDING)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

/** Whether a change keeps all bindings on the lines that it touches. */
export function keepsBindings(before: string, after: string, from: number, to: number): boolean {
  const start = before.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = before.indexOf('\n', to);
  const end = lineEnd === -1 ? before.length : lineEnd;
  const kept = bindingsOf(before.slice(start, end));
  const grown = after.length - before.length;
  const left = bindingsOf(after.slice(start, end + grown));
  return kept.length === left.length && kept.every((one, index) => one === left[index]);
}

function bindingsOf(text: string): readonly string[] {
  return text.match(BINDING) ?? [];
}
