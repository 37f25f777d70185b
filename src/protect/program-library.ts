import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../runtime/error-code.ts';

/** qpdf's own program has 1 MB; what is larger is something else. */
const PROGRAM_BYTES_MAX = 16 * 1024 * 1024;
/** The first bytes of a program of Linux (System V ABI, "ELF Header"). */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
/** The name in a program's list of needed libraries (DT_NEEDED), a text that ends with a zero. */
const LIBRARY = /libqpdf\.so\.\d{1,3}(?=\0)/;

/**
 * The shared library that the qpdf at this path is made of, by the file name that programs load it
 * by; null where it has none, as a script or a program that contains everything. So a document is
 * protected by the same code, whether the program or the library does it.
 */
export async function libraryOf(place: string): Promise<string | null> {
  try {
    const { size } = await stat(place);
    if (size > PROGRAM_BYTES_MAX) return null;
    const bytes = await readFile(place);
    if (!bytes.subarray(0, ELF.length).equals(ELF)) return null;
    return LIBRARY.exec(bytes.toString('latin1'))?.[0] ?? null;
  } catch (error) {
    // It may be executable without being readable, or have gone.
    if (errorCode(error) === '') throw error;
    return null;
  }
}
