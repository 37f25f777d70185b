import type { RejectedFont } from './library.ts';

export type { RejectedFont } from './library.ts';

/**
 * The files of an operator's font folder that cannot be used. The reader of fonts is loaded for this
 * call alone, because a service without such a folder needs it in its renderers only.
 */
export async function readRejectedFonts(folder: string): Promise<readonly RejectedFont[]> {
  const { loadFonts } = await import('./library.ts');
  return loadFonts(folder).rejected;
}
