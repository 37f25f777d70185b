/** A parameter `{name}`, or the words for one and for other counts, `{name:one|many}`. */
const PARAMETER = /\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g;

/** Fills the parameters of a text. A count of 1 selects the words for one. */
export function fill(
  text: string,
  parameters: Readonly<Record<string, string | number | boolean>>,
): string {
  return text.replaceAll(PARAMETER, (_, name: string, one?: string, many?: string) => {
    const value = String(parameters[name] ?? '');
    if (one === undefined || many === undefined) return value;
    return value === '1' ? one : many;
  });
}
