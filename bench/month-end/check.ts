import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOME } from '../../lab/home.ts';
import { findProgram } from '../../lab/process/programs.ts';
import { checkPdf } from '../harness/check.ts';
import { dataOf, kindOf, STATEMENTS, TEMPLATE_ID } from './shape.ts';

const run = promisify(execFile);
const INTAGLIO = join(HOME, 'intaglio');
const LEVELS = ['PDF/A-2a: conforms', 'PDF/UA-1: conforms'];

/**
 * Makes a document of each kind and examines it: its pages, its levels by the checker of PDF/A, its
 * signature by pdfsig where that is installed. Returns lines; throws for a document that is wrong.
 */
export async function checkKinds(
  folder: string,
  makeOne: (body: string) => Promise<Uint8Array>,
): Promise<readonly string[]> {
  const hasPdfsig = findProgram('pdfsig') !== null;
  const sizes: string[] = [];
  for (const kind of STATEMENTS) {
    const index = Array.from({ length: 100 }, (_, number) => number).find(
      (number) => kindOf(number) === kind,
    );
    const path = join(folder, `${kind.pages}.pdf`);
    const data = dataOf(index ?? 0);
    const pdf = await makeOne(JSON.stringify({ templateId: TEMPLATE_ID, mode: 'sync', data }));
    writeFileSync(path, pdf);
    const { pages, valid } = await checkPdf(path, []);
    if (pages !== kind.pages || valid === false) {
      throw new Error(`a statement of ${kind.rows} rows has ${pages} pages, valid: ${valid}`);
    }
    const { stdout: levels } = await run(INTAGLIO, ['conform', path]);
    for (const level of LEVELS) if (!levels.includes(level)) throw new Error(levels);
    if (hasPdfsig) {
      // The certificate of the bench is its own issuer, so only the signature itself is judged.
      const { stdout } = await run('pdfsig', ['-nocert', path]);
      if (!stdout.includes('Signature is Valid.')) throw new Error(stdout);
    }
    sizes.push(`${pages} ${pages === 1 ? 'page' : 'pages'} ${Math.round(pdf.length / 1024)} KB`);
  }
  const judge = hasPdfsig ? 'pdfsig calls their signatures valid' : 'pdfsig is not installed';
  return [`a document of each kind (${sizes.join(', ')}): ${LEVELS.join(', ')}; ${judge}`];
}
