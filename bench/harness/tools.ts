import { findProgram } from '../../lab/process/programs.ts';

/** A program of the system that a bench uses for a check, or for figures beside its own. */
interface Tool {
  readonly program: string;
  /** Debian's package. */
  readonly package: string;
  /** The checks that the bench leaves out when the tool is missing. */
  readonly serves: string;
  readonly benches: readonly string[];
}

const TOOLS: readonly Tool[] = [
  {
    program: 'pdftotext',
    package: 'poppler-utils',
    serves: 'whether each string of the data is read back from the PDFs',
    benches: ['all', 'engine'],
  },
  {
    program: 'qpdf',
    package: 'qpdf',
    serves: 'whether the PDFs are valid',
    benches: ['all', 'engine', 'month-end'],
  },
  {
    program: 'pdfsig',
    package: 'poppler-utils',
    serves: 'whether the signatures are valid',
    benches: ['month-end'],
  },
  {
    program: 'wrk',
    package: 'wrk',
    serves: 'the same loads by a second generator',
    benches: ['all', 'http'],
  },
  {
    program: 'openssl',
    package: 'openssl',
    serves: 'the micro bench of signing, whose keys it makes',
    benches: ['all', 'micro'],
  },
];

/** A line for each thing that this bench leaves out here, and one that says how to have all of them. */
export function leftOutChecks(bench: string): readonly string[] {
  const missing = TOOLS.filter(
    ({ benches, program }) => benches.includes(bench) && findProgram(program) === null,
  );
  if (missing.length === 0) return [];
  const packages = [...new Set(missing.map((tool) => tool.package))].join(' ');
  return [
    ...missing.map(({ program, serves }) => `left out, as ${program} is not installed: ${serves}`),
    `to measure all of it: apt-get install --yes ${packages}`,
  ];
}

/** A bench cannot run without a program; the message names it and the command that installs it. */
export class MissingTool extends Error {
  override readonly name = 'MissingTool';

  constructor(bench: string, programs: string, packages: string) {
    super(`${bench} needs ${programs}: apt-get install --yes ${packages}`);
  }
}
