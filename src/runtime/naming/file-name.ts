/** Longest name with its ending: file systems take 255 bytes, and archives of runs add to it. */
const BYTES_MAX = 200;
const ENDING = '.pdf';
/** Separators of paths, characters that Windows refuses, and controls. */
const UNUSABLE = /[/\\:*?"<>|\p{Cc}\p{Cs}]/gu;
/** Characters that change the order in which a name is shown (UAX #9), and invisible ones. */
const HIDDEN = /[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;
/** Names of devices on Windows, whatever follows their first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;

/** Most names: nothing of them changes. */
const SIMPLE = /^\w(?:[\w.-]*[\w-])?\.pdf$/;

/** Whether a text of a template has characters that no file name may have. */
export function hasUnusable(text: string): boolean {
  return text.replaceAll(UNUSABLE, '').length < text.length;
}

/**
 * Makes a name that every file system takes, and that ends with `.pdf`; '' when nothing of the text
 * is left. Values come from data, so none of them may lead out of a folder or hide the ending.
 */
export function fileNameOf(text: string): string {
  if (text.length <= BYTES_MAX && SIMPLE.test(text) && !DEVICE.test(text)) return text;
  const usable = text
    .normalize('NFC')
    .replaceAll(HIDDEN, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNUSABLE, '_');
  const stem = usable.replace(/\.pdf\s*$/i, '');
  const cut = shortened(stem, BYTES_MAX - ENDING.length).replaceAll(/^[\s.]+|[\s.]+$/gu, '');
  if (cut === '') return '';
  return `${DEVICE.test(cut) ? '_' : ''}${cut}${ENDING}`;
}

/** Cuts a text to a number of bytes in UTF-8, between two characters as people see them. */
function shortened(text: string, bytesMax: number): string {
  if (text.length <= bytesMax && Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = 0;
  let end = 0;
  // No more units than bytes can fit: the value of a field may be as long as the body.
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, bytesMax))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > bytesMax) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
