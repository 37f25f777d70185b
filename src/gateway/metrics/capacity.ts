import type { StoreFigures } from '../../store/store.ts';
import { type Family, Readings } from './exposition.ts';

type Disk = StoreFigures['disks'][number];

/** How much is stored, and how much room is left. What is not known has no sample. */
export function capacityReadings(storeFigures: () => StoreFigures): readonly Family[] {
  return [
    stored(
      'files',
      'Files with a row: documents, and packs of documents, rows and print files of runs.',
    ),
    stored('bytes', 'Size of those files, as their rows say.'),
    ofDisk('disk_free_bytes', 'Free space for the service.', ({ freeBytes }) => freeBytes),
    ofDisk('disk_bytes', 'Size of the disk.', ({ totalBytes }) => totalBytes),
    ofDisk(
      'disk_full_timestamp_seconds',
      'When the disk is full at the rate of the last hours, since the epoch.',
      ({ leftSeconds }) => Date.now() / 1_000 + leftSeconds,
    ),
  ];

  function stored(figure: 'files' | 'bytes', help: string): Family {
    const read = (kind: 'document' | 'run') => (): number =>
      storeFigures().stored?.[kind][figure] ?? Number.NaN;
    const kinds = { document: read('document'), run: read('run') };
    return new Readings(`intaglio_stored_${figure}`, help, 'gauge', 'kind', kinds);
  }

  function ofDisk(name: string, help: string, figure: (disk: Disk) => number): Family {
    const read = (use: Disk['use']) => (): number => {
      const disk = storeFigures().disks.find((each) => each.use === use);
      return disk === undefined ? Number.NaN : figure(disk);
    };
    const uses = { files: read('files'), database: read('database') };
    return new Readings(`intaglio_${name}`, help, 'gauge', 'use', uses);
  }
}
