import { resolve } from 'node:path';

/** The folder of the checkout. */
export const HOME = resolve(import.meta.dirname, '..');
