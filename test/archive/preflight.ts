import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { render, shareTemplate } from '../../lab/render.ts';
import { HOME } from '../../lab/home.ts';
import { sourceFiles } from '../../lab/source.ts';
import { archived } from './archived.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/**
 * A second opinion on archive documents: `node test/archive/preflight.ts` holds every sample at
 * every level against Apache PDFBox Preflight and ends with 1 where it complains of anything but
 * what part 2 of the standard changed. By hand, because it needs a Java runtime of 150 MB: Debian's
 * libpdfbox2-java, libactivation-java, libjaxb-api-java and default-jre-headless.
 */

const JARS = ['preflight', 'pdfbox2', 'fontbox2', 'xmpbox', 'commons-logging', 'commons-io'];
const CLASSES = [...JARS, 'javax.activation', 'jaxb-api'].map(
  (name) => `/usr/share/java/${name}.jar`,
);

/** Preflight knows only PDF/A-1: the complaints that part 2 has made void, with the reason. */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/^7\.11\.2 .*part must be 1/, 'the metadata says part 2 or 3'],
  [/^7\.11\.1 .*must be A or B/, 'conformance U came with part 2 (6.6.4)'],
  [/^1\.4 .*cross reference streams/, 'part 1 is PDF 1.4; part 2 allows them (6.1.4)'],
  [/^2\.1\.6 .*version of the ICCProfile/, 'part 2 allows ICC version 4 (6.2.3)'],
  [/^(2\.2\.2|4\.1\.[12]) .*(Soft ?Mask|CA entry|ca entry)/, 'part 2 allows transparency (6.2.10)'],
  [/^2\.1\.7 .*Group dictionary/, 'as above; /Type is optional in a group (ISO 32000-1, Table 96)'],
  [
    /^8 .*PDResources recursion/,
    'a form shares the resources that name it, and never draws itself',
  ],
  [/^3\.1\.5 .*more than one 'cmap'/, 'part 2 allows several with (3,0) among them (6.2.11.6)'],
  [/^3\.1\.11 .*CIDSet entry is missing/, 'part 2 asks for none (6.2.11.4.2)'],
];

const folder = mkdtempSync(join(tmpdir(), 'intaglio-preflight-'));
try {
  await writeSamples();
  const words = ['-cp', CLASSES.join(':'), 'org.apache.pdfbox.preflight.Validator_A1b'];
  const { stdout, stderr } = spawnSync('java', [...words, 'group', folder], { encoding: 'utf8' });
  const complaints = stdout.split('\n').filter((line) => /^\d+(\.\d+)* :/.test(line));
  if (complaints.length === 0) throw new Error(`Preflight did not run: ${stderr.slice(0, 300)}`);
  let left = complaints;
  for (const [pattern, why] of EXPLAINED) {
    const others = left.filter((line) => !pattern.test(line));
    console.log(`${String(left.length - others.length).padStart(5)}  ${pattern.source}: ${why}`);
    left = others;
  }
  for (const line of left) console.log(`UNEXPLAINED  ${line}`);
  process.exitCode = left.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function writeSamples(): Promise<void> {
  for (const level of ['2u', '3u', '2a', '3a']) {
    for (const { path } of sourceFiles('templates/*.json')) {
      if (path.endsWith('.schema.json')) continue;
      // The samples of this project, which their own test checks.
      const source = JSON.parse(readFileSync(join(HOME, path), 'utf8')) as {
        samples?: readonly { data: unknown }[];
        document?: object;
      };
      if (source.document === undefined) continue;
      const template = shareTemplate(JSON.stringify(archived(source, level)));
      for (const [index, { data }] of (source.samples ?? []).entries()) {
        const name = `${level}-${basename(path, '.json')}-${index}.pdf`;
        writeFileSync(join(folder, name), (await render(template, data)).pdf);
      }
    }
    const all = shareTemplate(sampleTemplate({ archive: `PDF/A-${level}` }, { compress: true }));
    writeFileSync(join(folder, `${level}-all.pdf`), (await render(all, SAMPLE_DATA)).pdf);
  }
}
