/** PDF objects as text, for everything outside content streams (ISO 32000-2 §7.3). */

/** A reference to an indirect object; object 0 is never one (ISO 32000-2 §7.5.4). */
export function reference(number: number): string {
  if (!(number > 0)) throw new RangeError(`a reference to object ${number}`);
  return `${number} 0 R`;
}

/** A text string: literal where printable ASCII, else UTF-16BE in hexadecimal (§7.9.2.2). */
export function textString(text: string): string {
  if (/^[ -'*-[\]-~]*$/.test(text)) return `(${text})`;
  if (/^[ -~]*$/.test(text)) return `(${text.replaceAll(/[\\()]/g, String.raw`\$&`)})`;
  return `<${utf16Hex(text, true)}>`;
}

/** UTF-16BE as hexadecimal digits, with a byte order mark on request. */
export function utf16Hex(text: string, mark: boolean): string {
  let hex = mark ? 'FEFF' : '';
  for (let index = 0; index < text.length; index++) {
    hex += text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
  }
  return hex;
}

/** A number with at most `digits` decimals, never with an exponent (§7.3.3). */
export function decimal(value: number, digits = 2): string {
  // The sum turns -0 into 0.
  if (Number.isSafeInteger(value)) return String(value + 0);
  const fixed = value.toFixed(digits);
  const short = fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  return short === '-0' ? '0' : short;
}

/** A date string in UTC (§7.9.4). */
export function dateString(atMs: number): string {
  return momentOf(atMs).date;
}

/** The same moment for XMP, in seconds (ISO 16684-1 §8.2.1.2). */
export function isoString(atMs: number): string {
  return momentOf(atMs).iso;
}

/** The dates of a document are all the same. */
let lastMoment = { atMs: Number.NaN, iso: '', date: '' };

function momentOf(atMs: number): typeof lastMoment {
  if (lastMoment.atMs === atMs) return lastMoment;
  const iso = `${new Date(atMs).toISOString().slice(0, 19)}Z`;
  lastMoment = { atMs, iso, date: `(D:${iso.replaceAll(/[-:T]/g, '')})` };
  return lastMoment;
}
