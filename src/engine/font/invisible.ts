/** Characters of which a font need not draw anything. */

/** Spaces of other widths, which HarfBuzz draws in any font that has U+0020. */
export function isSpace(code: number): boolean {
  return code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f;
}

/**
 * Characters that print nothing wherever they stand: controls, and those with the Unicode property
 * Default_Ignorable_Code_Point except the fillers of Hangul, which are letters.
 */
export function isInvisible(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    code === 0xad ||
    code === 0x34f ||
    code === 0x61c ||
    (code >= 0x17b4 && code <= 0x17b5) ||
    (code >= 0x180b && code <= 0x180f) ||
    (code >= 0xe0000 && code <= 0xe0fff) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff ||
    (code >= 0xfe00 && code <= 0xfe0f)
  );
}

/** Whether a cluster is a line or a paragraph separator. */
export function isSeparator(text: string): boolean {
  const code = text.charCodeAt(0);
  return code === 0x2028 || code === 0x2029;
}

export function isInvisibleText(text: string): boolean {
  for (const character of text) {
    if (!isInvisible(character.codePointAt(0) ?? 0)) return false;
  }
  return true;
}
