import { spawnSync, type StdioOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Debian package that the tests use, the programs that they run, and what it serves to test. */
interface SystemPackage {
  readonly name: string;
  readonly programs: readonly string[];
  readonly serves: string;
}

/** For MariaDB these are the packages that do not start a server: the tests start a private one. */
export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  { name: 'qpdf', programs: ['qpdf'], serves: 'protection and the check of every PDF' },
  {
    name: 'poppler-utils',
    programs: ['pdftotext', 'pdftoppm', 'pdffonts', 'pdfinfo', 'pdfsig'],
    serves: 'text, fonts and pictures of the PDFs',
  },
  {
    name: 'mariadb-server-core',
    programs: ['mariadbd', 'mariadb-install-db'],
    serves: 'the store on MariaDB',
  },
  {
    name: 'mariadb-client-core',
    programs: ['my_print_defaults'],
    serves: 'the store on MariaDB: mariadb-install-db runs it',
  },
  {
    name: 'openssl',
    programs: ['openssl'],
    serves: 'TLS to database and object store: it makes the certificates',
  },
  {
    name: 'redis-server',
    programs: ['redis-server'],
    serves: 'the queue of runs and the kills of Redis',
  },
  { name: 'haproxy', programs: ['haproxy'], serves: 'instances behind a balancer' },
  {
    name: 'libnss3-tools',
    programs: ['certutil'],
    serves: 'trust in the authority whose signatures pdfsig judges',
  },
  { name: 'softhsm2', programs: ['softhsm2-util'], serves: 'keys on a PKCS#11 token' },
  { name: 'mupdf-tools', programs: ['mutool'], serves: 'the second reader of the PDFs' },
  { name: 'python3', programs: ['python3'], serves: 'the Python client' },
  { name: 'mypy', programs: ['mypy'], serves: 'the Python types of a template' },
  {
    name: 'default-jdk-headless',
    programs: ['java', 'javac', 'jar', 'javadoc'],
    serves: 'the Java client',
  },
  { name: 'chromium', programs: ['chromium'], serves: 'the Studio, walked through in a browser' },
];

const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Adds the folders of system programs to PATH, which often lacks them. */
export function searchPath(path: string): string {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return [...folders, ...SYSTEM_FOLDERS.filter((folder) => !folders.includes(folder))].join(
    delimiter,
  );
}

/** The packages of which a program is missing from the path. */
export function missingPackages(path: string): readonly SystemPackage[] {
  const folders = path.split(delimiter);
  const isInstalled = (program: string): boolean =>
    folders.some((folder) => isExecutable(join(folder, program)));
  return SYSTEM_PACKAGES.filter(({ programs }) => !programs.every(isInstalled));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/**
 * Installs missing packages when it runs as root on Debian or Ubuntu; otherwise says how to install
 * them. Says what will be skipped, and returns what is still missing.
 */
export function provide(
  path: string,
  isRoot: boolean,
  say: (line: string) => void,
): readonly SystemPackage[] {
  const missing = missingPackages(path);
  if (missing.length === 0) return missing;
  const names = missing.map(({ name }) => name);
  const hasApt = path.split(delimiter).some((folder) => isExecutable(join(folder, 'apt-get')));
  if (hasApt && isRoot) {
    say(`installing for the tests: ${names.join(' ')}`);
    if (!aptInstall(names, path)) say('apt-get could not install them; see above');
    return report(missingPackages(path), say);
  }
  const sudo = isRoot ? '' : 'sudo ';
  say(`to run all tests: ${sudo}apt-get install -y --no-install-recommends ${names.join(' ')}`);
  return report(missing, say);
}

function report(
  missing: readonly SystemPackage[],
  say: (line: string) => void,
): readonly SystemPackage[] {
  for (const { name, serves } of missing) say(`WILL BE SKIPPED without ${name}: ${serves}`);
  return missing;
}

/** How long apt-get waits for another program to release the lock of the packages. */
const LOCK_SECONDS = 300;
/** The time for the lock, and as much for the installation. */
const APT_TIMEOUT_MS = 2 * LOCK_SECONDS * 1000;

/** Installs without questions. If that fails, updates the package lists, which may lack, and retries. */
function aptInstall(names: readonly string[], path: string): boolean {
  const env = { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (args: readonly string[], errors: 'ignore' | 'inherit'): boolean => {
    const stdio: StdioOptions = ['ignore', 'ignore', errors];
    const words = ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args];
    return spawnSync('apt-get', words, { env, stdio, timeout: APT_TIMEOUT_MS }).status === 0;
  };
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  return apt(install, 'ignore') || (apt(['update', '-qq'], 'inherit') && apt(install, 'inherit'));
}
