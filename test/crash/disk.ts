import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const IMAGE_MB = 1_024;

/** A file system in a loop device, whose power can be cut. */
export interface Disk {
  readonly folder: string;
  mount(): void;
  cut(): void;
  unmount(): Promise<void>;
}

function run(program: string, ...options: string[]): void {
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Makes an unmounted disk in `root`; `kind` is ext4 or xfs. Needs root. */
export async function makeDisk(root: string, kind: string): Promise<Disk> {
  const image = join(root, 'image');
  const folder = join(root, 'disk');
  await mkdir(folder);
  run('truncate', '-s', `${IMAGE_MB}M`, image);
  run(`mkfs.${kind}`, '-q', image);
  return {
    folder,
    mount: () => run('mount', '-o', 'loop', image, folder),
    cut: () => run('xfs_io', '-x', '-c', 'shutdown', folder),
    unmount: () => unmount(folder, image),
  };
}

/**
 * Retries until the kernel has finished the asynchronous I/O of the killed process. Then waits
 * until the image has no loop device: as long as something holds the old one, mounting would show
 * the file system from before the cut, or two devices would write to one image.
 */
async function unmount(folder: string, image: string): Promise<void> {
  await retry(() => execFileSync('umount', [folder], { stdio: 'ignore' }));
  await retry(() => {
    const devices = execFileSync('losetup', ['-j', image], { encoding: 'utf8' });
    if (devices !== '') throw new Error(`the image is still in use: ${devices}`);
  });
}

async function retry(action: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      action();
      return;
    } catch (error) {
      if (tries >= 100) throw error;
      await delay(100);
    }
  }
}
