import { useEffect, useState } from 'preact/hooks';

/** What follows `text` waits until typing has paused this long. */
const TYPING_MS = 200;

/** Follows `text` when typing pauses; an empty text is applied at once. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return text === '' ? '' : paused;
}
