/** Pause in the typing after which the draft is saved and rendered. */
export const TYPING_PAUSE_MS = 90;
/**
 * Characters of a text after which the pause grows. Saving and drawing a long text takes long
 * enough to delay a key that is pressed meanwhile, so they wait for the end of a word.
 */
const SHORT_TEXT_LENGTH = 65_536;
const PAUSE_MS_PER_KILOBYTE = 2;
const TYPING_PAUSE_MS_MAX = 1_000;

/** The pause in the typing after which a draft with this text is saved and rendered. */
export function typingPauseMs(text: string): number {
  const kilobytes = Math.max(0, text.length - SHORT_TEXT_LENGTH) / 1_024;
  return Math.min(TYPING_PAUSE_MS + kilobytes * PAUSE_MS_PER_KILOBYTE, TYPING_PAUSE_MS_MAX);
}
