import fsp from 'node:fs/promises';

/**
 * Preloaded into a command: the disk hangs at the sync of the file with the number `STUCK_AT`, and
 * the process says so. The file was written in part then, under its temporary name.
 */
const stuckAt = Number(process.env['STUCK_AT']);
let created = 0;

const { open } = fsp;
fsp.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode);
  // The store also creates notes, which are no files of documents.
  if (flags !== 'wx' || !String(path).endsWith('.tmp')) return handle;
  created += 1;
  if (created !== stuckAt) return handle;
  handle.sync = () => {
    process.stdout.write('stuck\n');
    return new Promise(() => undefined);
  };
  return handle;
};
