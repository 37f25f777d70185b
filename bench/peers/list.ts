import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, npmEnvironment } from '../../lab/process/npm.ts';
import { findProgram } from '../../lab/process/programs.ts';

/** A peer: another way to make the same page. Its packages lie in its own folder. */
export interface Peer {
  readonly name: string;
  readonly title: string;
  readonly folder: string;
  readonly args: readonly string[];
  /** A program or module of the system that it needs, or null. */
  readonly needs: 'chromium' | 'weasyprint' | null;
}

export const PEERS: readonly Peer[] = [
  {
    name: 'pdfkit-cache',
    title: 'pdfkit by hand, fonts and words cached',
    folder: 'pdfkit',
    args: [],
    needs: null,
  },
  { name: 'pdfmake', title: 'pdfmake', folder: 'pdfmake', args: [], needs: null },
  { name: 'typst', title: 'Typst, untagged', folder: 'typst', args: [], needs: null },
  { name: 'typst-tagged', title: 'Typst', folder: 'typst', args: ['--tagged'], needs: null },
  { name: 'pdfme', title: 'pdfme', folder: 'pdfme', args: [], needs: null },
  { name: 'chromium', title: 'Chromium', folder: 'chromium', args: [], needs: 'chromium' },
  { name: 'weasyprint', title: 'WeasyPrint', folder: 'weasyprint', args: [], needs: 'weasyprint' },
  { name: 'react-pdf', title: '@react-pdf/renderer', folder: 'react-pdf', args: [], needs: null },
];

const INSTALL_TIMEOUT_MS = 180_000;
const REASON_CHARACTERS_MAX = 200;

/** The folder that holds a peer's script and packages. */
export function folderOf(peer: Peer): string {
  return join(import.meta.dirname, peer.folder);
}

export function peerScript(peer: Peer): string {
  return join(folderOf(peer), 'peer.ts');
}

export function isInstalled(peer: Peer): boolean {
  return existsSync(join(folderOf(peer), 'node_modules'));
}

function systemHas(need: NonNullable<Peer['needs']>): boolean {
  switch (need) {
    case 'chromium':
      return ['/usr/bin/chromium', '/usr/bin/google-chrome'].some((path) => existsSync(path));
    case 'weasyprint':
      try {
        execFileSync('/usr/bin/python3', ['-c', 'import weasyprint'], { stdio: 'ignore' });
        return true;
      } catch (error) {
        // No python3, or one without the module.
        if (error instanceof Error && ('status' in error || 'code' in error)) return false;
        throw error;
      }
  }
}

/**
 * Makes a peer ready, installing its packages into its own folder when they are not there and
 * `install` allows it. Gives the reason when it cannot run here, else null.
 */
export function preparePeer(peer: Peer, install: boolean): string | null {
  if (peer.needs !== null && !systemHas(peer.needs)) return `${peer.needs} is not installed`;
  if (isInstalled(peer)) return null;
  if (!install) return 'its packages are not installed';
  if (findProgram(npmCommand()) === null && !existsSync(npmCommand())) return 'npm is not on PATH';
  try {
    execFileSync(npmCommand(), ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folderOf(peer),
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_TIMEOUT_MS,
      env: npmEnvironment(),
    });
    return null;
  } catch (error) {
    if (error instanceof Error && ('status' in error || 'code' in error)) {
      return `npm ci failed: ${reasonOf(error)}`;
    }
    throw error;
  }
}

/** The first line in which npm says what is wrong, after the lines that name its error code. */
function reasonOf(error: Error): string {
  const printed = 'stderr' in error ? String(error.stderr) : '';
  const lines = printed.split('\n').filter((line) => line.startsWith('npm error '));
  const said = lines
    .map((line) => line.slice('npm error '.length).trim())
    .find((line) => line !== '' && !/^(code|errno|syscall|path) /.test(line));
  return (said ?? 'npm says no more').slice(0, REASON_CHARACTERS_MAX);
}
