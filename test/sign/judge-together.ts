import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Authority } from './authority.ts';
import { trustingDatabase } from './judges.ts';

/** A signed document, and the passwords that it is tried with; the first is its own. */
export interface Candidate {
  readonly pdf: Uint8Array;
  readonly passwords: readonly string[];
}

/** The verdicts of qpdf and pdfsig on one document. */
export interface TogetherVerdict {
  /** The passwords by which `qpdf --check` opens it and finds it whole. */
  readonly openedBy: readonly string[];
  /** The output of pdfsig, with the first password; it judges the certificate of the first document. */
  readonly signature: string;
}

const run = promisify(execFile);

/** Programs that run at the same time. */
const AT_ONCE = 2;
/**
 * Judges the document $1, with the database $0 for pdfsig and the passwords after it. pdfsig judges the
 * certificate, for which it asks OCSP, with the first document only: it is the same for all.
 */
const JUDGE = `
file=$1; shift
[ "$file" = 0.pdf ] || signatures=-nocert
pdfsig $signatures -nssdir "$0" -upw "$1" "$file" > "$file.signature" 2>&1
for password; do
  if qpdf --check "--password=$password" "$file" > /dev/null 2>&1; then echo "$password"; fi
done > "$file.opened"
`;

/**
 * Verdicts of qpdf and pdfsig on many documents. A test's process is large, and a program costs it
 * 100 ms to start; here xargs starts them all.
 */
export async function judgeTogether(
  authority: Authority,
  candidates: readonly Candidate[],
): Promise<readonly TogetherVerdict[]> {
  const folder = authority.path('judged');
  mkdirSync(folder);
  const lines = candidates.map(({ pdf, passwords }, index) => {
    writeFileSync(join(folder, `${index}.pdf`), pdf);
    return [`${index}.pdf`, ...passwords].join(' ');
  });
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`);
  const words = ['-P', `${AT_ONCE}`, '-L', '1', '-a', 'lines', 'sh', '-c', JUDGE];
  // Asynchronous, because this thread answers the OCSP requests of pdfsig.
  await run('xargs', [...words, trustingDatabase(authority)], { cwd: folder });
  const verdicts = candidates.map((_, index) => {
    const openedBy = readFileSync(join(folder, `${index}.pdf.opened`), 'utf8');
    const signature = readFileSync(join(folder, `${index}.pdf.signature`), 'utf8');
    return { openedBy: openedBy.split('\n').filter(Boolean), signature };
  });
  rmSync(folder, { recursive: true });
  return verdicts;
}
