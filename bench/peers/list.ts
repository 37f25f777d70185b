import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

function folderOf(peer: Peer): string {
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
  const beside = join(dirname(process.execPath), 'npm');
  const npm = existsSync(beside) ? beside : 'npm';
  try {
    execFileSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folderOf(peer),
      stdio: 'ignore',
      timeout: INSTALL_TIMEOUT_MS,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
    });
    return null;
  } catch (error) {
    if (error instanceof Error && ('status' in error || 'code' in error)) {
      return `npm ci in bench/peers/${peer.folder} failed`;
    }
    throw error;
  }
}
