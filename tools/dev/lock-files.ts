import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One package of a lock file of npm (`lockfileVersion` 3). */
interface LockedPackage {
  readonly integrity?: string;
  /** A folder of this repository; its bytes are in the commit. */
  readonly link?: boolean;
}

/**
 * Packages of a lock file that npm would install whatever bytes the registry or a mirror sends:
 * those without a SHA-512 digest. npm writes an entry without one for a platform whose package it
 * could not fetch.
 */
export function packagesWithoutDigest(lockFile: string): string[] {
  const { packages } = JSON.parse(lockFile) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)
    .map(([path]) => path);
}

/** The lock files of the service, of the wrapper's Node, of generated clients and of the bench's peers. */
export function lockFilesOf(home: string): string[] {
  const peers = join(home, 'bench/peers');
  return [
    join(home, 'package-lock.json'),
    join(home, 'deploy/node/package-lock.json'),
    join(home, 'test/clients/generators/package-lock.json'),
    ...readdirSync(peers, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('package-lock.json') && !path.includes('node_modules'))
      .map((path) => join(peers, path)),
  ];
}

/** Findings, one line each; empty when every package of every lock file has its digest. */
export function checkLockFiles(home: string): string[] {
  return lockFilesOf(home).flatMap((path) =>
    packagesWithoutDigest(readFileSync(path, 'utf8')).map(
      (name) =>
        `${path.slice(home.length + 1)}: ${name} has no SHA-512 digest; install it again with a ` +
        'registry that has it, or name an empty package for it in "overrides"',
    ),
  );
}
