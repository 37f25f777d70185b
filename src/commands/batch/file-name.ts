/**
 * Names the PDFs of a batch. It is called in the order of the input, so the names are reproducible.
 */
export interface FileNames {
  /** `name` is the expanded pattern, `file` the file name derived from it. */
  of(number: number, data: string): { readonly name: string; readonly file: string };
}

/** File systems allow 255 bytes; the rest is for `-` and a number, `.pdf` and `.part`. */
const NAME_BYTES_MAX = 200;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The fields that a pattern such as `{{branch}}/{{refNo}}` names. */
export function fieldsNamed(pattern: string): readonly string[] {
  return [...pattern.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
}

/**
 * With a pattern, files are named after fields of their data; a name that is taken gets the number
 * of its record appended. Without a pattern, or when it expands to nothing, the number is the name.
 */
export function fileNames(pattern: string | null): FileNames {
  const taken = new Set<string>();
  return {
    of(number, data) {
      const numbered = String(number).padStart(8, '0');
      if (pattern === null) return { name: '', file: `${numbered}.pdf` };
      const name = cut(expand(pattern, data));
      const safe = sanitise(name);
      const [first, second] = safe === '' ? [numbered, numbered] : [safe, `${safe}-${numbered}`];
      let stem = first;
      // Some file systems ignore case.
      for (let count = 1; taken.has(stem.toLowerCase()); count += 1) {
        stem = count === 1 ? second : `${second}-${count}`;
      }
      taken.add(stem.toLowerCase());
      return { name, file: `${stem}.pdf` };
    },
  };
}

function expand(pattern: string, data: string): string {
  // readRecords yields JSON objects only.
  const values = JSON.parse(data) as Readonly<Record<string, unknown>>;
  return pattern.replaceAll(PLACEHOLDER, (_, field: string) => {
    const value = Object.hasOwn(values, field) ? values[field] : '';
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}

/**
 * Keeps letters, marks and digits of any script and `. _ -`. The result is never a path, a hidden
 * file or an option.
 */
function sanitise(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._-]+/, '')
    .replace(/[._-]+$/, '');
}

/** Cuts a text to NAME_BYTES_MAX bytes at the border of a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= NAME_BYTES_MAX) return text.toWellFormed();
  return new TextDecoder().decode(bytes.subarray(0, NAME_BYTES_MAX)).replace(/\uFFFD+$/, '');
}
