/** Names the PDFs of a batch. Records come in the order of the input, so names do not depend on luck. */
export interface FileNames {
  /** The name as the pattern gives it, and the file name made of it. */
  of(number: number, data: string): { readonly name: string; readonly file: string };
}

/** A file system takes 255 bytes; what is left is for `-` and a number, `.pdf` and `.part`. */
const NAME_BYTES_MAX = 200;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Fields that a pattern such as `{{branch}}/{{refNo}}` names. */
export function fieldsNamed(pattern: string): readonly string[] {
  return [...pattern.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
}

/**
 * With a pattern, files are named by fields of their data; a name that an earlier record has gets the
 * number of its record. Without one, and where the pattern gives nothing, the number alone.
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
      // Some file systems do not tell capitals from small letters.
      for (let count = 1; taken.has(stem.toLowerCase()); count += 1) {
        stem = count === 1 ? second : `${second}-${count}`;
      }
      taken.add(stem.toLowerCase());
      return { name, file: `${stem}.pdf` };
    },
  };
}

function expand(pattern: string, data: string): string {
  // Its reader has seen that it is an object.
  const values = JSON.parse(data) as Readonly<Record<string, unknown>>;
  return pattern.replaceAll(PLACEHOLDER, (_, field: string) => {
    const value = Object.hasOwn(values, field) ? values[field] : '';
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}

/** Letters, marks, digits and `. _ -` of any script; never a path, a hidden file or an option. */
function sanitise(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._-]+/, '')
    .replace(/[._-]+$/, '');
}

/** At a character's border. */
function cut(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= NAME_BYTES_MAX) return text.toWellFormed();
  return new TextDecoder().decode(bytes.subarray(0, NAME_BYTES_MAX)).replace(/\uFFFD+$/, '');
}
