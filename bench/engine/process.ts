import { join } from 'node:path';
import { programOf } from '../../lab/service/program.ts';
import { SubjectProcess } from '../harness/process.ts';

const SCRIPT = join(import.meta.dirname, 'subject.ts');

/**
 * Starts the engine of the checkout at `root` under the flags and variables of its service, on a core,
 * or where the scheduler likes (null).
 */
export async function startEngineProcess(
  root: string,
  core: number | null,
): Promise<SubjectProcess> {
  const { flags, variables } = await programOf(root);
  return SubjectProcess.start({ script: SCRIPT, args: [root], flags, env: variables, core });
}
