import type { SampleLanguage } from '../../studio/src/reference/samples.ts';
import { buildJava, javaArgs, PYTHON_ENV, runProgram } from './programs.ts';

/** Runs the Node samples of the folders that are named, one after the other. */
const NODE = `for (const one of process.argv.slice(1)) await import(one + '/sample.mjs');`;
const PYTHON =
  'import runpy, sys\nfor one in sys.argv[1:]: runpy.run_path(one + "/sample.py", run_name="__main__")';
const SHELL = 'for one in "$@"; do sh "$one/sample.sh" || exit; done';

/** The name under which a reader saves a sample. */
export const FILES: Readonly<Record<SampleLanguage, string>> = {
  curl: 'sample.sh',
  Node: 'sample.mjs',
  Python: 'sample.py',
  Java: 'Call.java',
};

type Ran = ReturnType<typeof runProgram>;

/** Built once for all calls. */
let classPath: string | null = null;

/**
 * Runs the samples in the folders until one fails, in the folder `cwd`; a process for each would
 * take minutes. A package for Node is installed above the folders; the one for Java is built in
 * `built`.
 */
export async function runSamples(
  language: SampleLanguage,
  folders: readonly string[],
  cwd: string,
  built: string,
): Ran {
  const env = { PATH: process.env['PATH'] ?? '' };
  switch (language) {
    case 'curl':
      return runProgram('sh', cwd, ['-c', SHELL, 'sh', ...folders], env);
    case 'Node': {
      const words = ['--input-type=module', '-e', NODE, ...folders];
      return runProgram(process.execPath, cwd, words, env);
    }
    case 'Python':
      return runProgram('python3', cwd, ['-c', PYTHON, ...folders], PYTHON_ENV);
    case 'Java':
      classPath ??= await buildJava(built);
      return runProgram('java', cwd, [...javaArgs(classPath, 'Samples'), ...folders], env);
  }
}
