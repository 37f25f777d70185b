import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Authority } from './authority.ts';
import { cmsIn, trustingDatabase } from './judges.ts';

/** A signed document, and the passwords that it is tried with; the first is its own. */
export interface Candidate {
  readonly pdf: Uint8Array;
  readonly passwords: readonly string[];
}

/** The verdicts of qpdf, pdfsig and openssl on one document. */
export interface TogetherVerdict {
  /** The passwords by which `qpdf --check` opens it and finds it whole. */
  readonly openedBy: readonly string[];
  /** The output of pdfsig, with the first password; it judges the certificate of the first document. */
  readonly signature: string;
  /** What `openssl cms -verify` says of the signature and of the bytes that it covers. */
  readonly cms: string;
}

const run = promisify(execFile);

/** Programs that run at the same time. */
const AT_ONCE = 2;
/**
 * Judges the document $1, with the database $0 for pdfsig and the passwords after it. pdfsig judges the
 * certificate, for which it asks OCSP, with the first document only: it is the same for all. openssl
 * judges the certificate of each.
 */
const JUDGE = `
file=$1; shift
[ "$file" = 0.pdf ] || signatures=-nocert
pdfsig $signatures -nssdir "$0" -upw "$1" "$file" > "$file.signature" 2>&1
for password; do
  if qpdf --check "--password=$password" "$file" > /dev/null 2>&1; then echo "$password"; fi
done > "$file.opened"
openssl cms -verify -binary -inform DER -in "$file.cms" -content "$file.content" \\
  -CAfile ../ca.pem -purpose any -out /dev/null > "$file.verified" 2>&1 || true
`;

/** The byte range of the only signature; what is added after it, such as long-term data, has none. */
const BYTE_RANGE = /\/ByteRange *\[ *(\d+) +(\d+) +(\d+) +(\d+)/;

/** Writes the signature of a file, and the bytes that it covers, beside it. */
function writeSigned(path: string, pdf: Uint8Array): void {
  const file = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const [from = 0, headBytes = 0, next = 0, tailBytes = 0] =
    BYTE_RANGE.exec(file.toString('latin1'))?.slice(1).map(Number) ?? [];
  const head = file.subarray(from, from + headBytes);
  const place = { from: headBytes, to: next, catalogAt: 0 };
  writeFileSync(`${path}.cms`, next === 0 ? '' : cmsIn(file, place));
  writeFileSync(`${path}.content`, Buffer.concat([head, file.subarray(next, next + tailBytes)]));
}

/**
 * Verdicts of qpdf, pdfsig and openssl on many documents. A test's process is large, and a program
 * costs it 100 ms to start; here xargs starts them all.
 */
export async function judgeTogether(
  authority: Authority,
  candidates: readonly Candidate[],
): Promise<readonly TogetherVerdict[]> {
  const folder = authority.path('judged');
  mkdirSync(folder);
  const lines = candidates.map(({ pdf, passwords }, index) => {
    writeFileSync(join(folder, `${index}.pdf`), pdf);
    writeSigned(join(folder, `${index}.pdf`), pdf);
    return [`${index}.pdf`, ...passwords].join(' ');
  });
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`);
  const words = ['-P', `${AT_ONCE}`, '-L', '1', '-a', 'lines', 'sh', '-c', JUDGE];
  // Asynchronous, because this thread answers the OCSP requests of pdfsig.
  await run('xargs', [...words, trustingDatabase(authority)], { cwd: folder });
  const verdicts = candidates.map((_, index) => {
    const openedBy = readFileSync(join(folder, `${index}.pdf.opened`), 'utf8');
    const signature = readFileSync(join(folder, `${index}.pdf.signature`), 'utf8');
    const cms = readFileSync(join(folder, `${index}.pdf.verified`), 'utf8');
    return { openedBy: openedBy.split('\n').filter(Boolean), signature, cms };
  });
  rmSync(folder, { recursive: true });
  return verdicts;
}
