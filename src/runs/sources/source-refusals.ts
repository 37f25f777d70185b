import type { SourceRefusal } from '../../store/store.ts';

/** What is wrong with a file that a caller named, and how to mend it. */
export const SOURCE_REFUSALS: Readonly<Record<SourceRefusal, string>> = {
  off:
    'this service reads no files for your team: the operator allows folders with ' +
    'INTAGLIO_RUN_SOURCES; or upload the rows as parts',
  outside:
    'it is not below a folder that the operator allows your team (INTAGLIO_RUN_SOURCES), or a link ' +
    'leads out of it: move the file there, or upload the rows as parts',
  absent: 'there is no such file: check its name, and that all instances of the service see it',
  no_file: 'it is not a regular file: name a file of rows',
  unreadable: 'the service may not read it: give its user the right to',
};
