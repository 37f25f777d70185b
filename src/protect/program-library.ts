import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../runtime/error-code.ts';

/** qpdf's program has 1 MB. A file above this limit is not qpdf, so it is not read. */
const PROGRAM_BYTES_MAX = 16 * 1024 * 1024;
/** The first bytes of a Linux program (System V ABI, "ELF Header"). */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
/**
 * The library's name in the program's list of needed libraries (DT_NEEDED), before its NUL byte.
 */
const LIBRARY = /libqpdf\.so\.\d{1,3}(?=\0)/;

/**
 * Returns the file name of the shared library that the qpdf program at this path loads. Null if it
 * loads none: it is a script, or statically linked. Because the service loads the same library, the
 * same code protects a document either way.
 */
export async function libraryOf(place: string): Promise<string | null> {
  try {
    const { size } = await stat(place);
    if (size > PROGRAM_BYTES_MAX) return null;
    const bytes = await readFile(place);
    if (!bytes.subarray(0, ELF.length).equals(ELF)) return null;
    return LIBRARY.exec(bytes.toString('latin1'))?.[0] ?? null;
  } catch (error) {
    // The program may be executable but not readable, or removed by now.
    if (errorCode(error) === '') throw error;
    return null;
  }
}
