/** A parameter, `{name}`, or words for one and for another count of it: `{name:one|many}`. */
const PARAMETER = /\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g;

/** A text with its parameters; a count of one has its own words. */
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
