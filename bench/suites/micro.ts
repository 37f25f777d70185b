import { join } from 'node:path';
import { step } from '../harness/progress.ts';
import { findProgram } from '../../lab/process/programs.ts';
import { runScript } from '../../lab/process/script.ts';
import { MICRO_FOLDER, microNames } from '../names.ts';

/** One hot function on its own: a line that a script of bench/micro/ printed. */
export interface MicroFigure {
  readonly file: string;
  readonly name: string;
  /** µs a call. */
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

const TIMEOUT_MS = 900_000;
const LINE = /^(\s*)(.*?)\s+min\s+([\d.]+)\s+median\s+([\d.]+)\s+max\s+([\d.]+) µs/;

/** Lines `name  min 1  median 2  max 3 µs`; an indented one belongs to the heading above it. */
export function parseMicro(file: string, output: string): MicroFigure[] {
  const figures: MicroFigure[] = [];
  let heading = '';
  for (const line of output.split('\n')) {
    const match = LINE.exec(line);
    if (match === null) {
      heading = line.trim();
      continue;
    }
    const [, indent = '', name = '', min, median, max] = match;
    figures.push({
      file,
      name: indent === '' ? name : `${heading}: ${name}`,
      min: Number(min),
      median: Number(median),
      max: Number(max),
    });
  }
  return figures;
}

/** Runs the scripts of bench/micro/ one after the other; `only` picks one by its name. */
export async function measureMicro(
  only: string | null,
  runs: number,
  note: (text: string) => void,
): Promise<MicroFigure[]> {
  const figures: MicroFigure[] = [];
  for (const name of microNames()) {
    if (only !== null && only !== name) continue;
    // leftOutChecks has said so.
    if (name === 'signing' && findProgram('openssl') === null) continue;
    step(`micro ${name}`);
    try {
      const output = await runScript(
        join(MICRO_FOLDER, `${name}.ts`),
        ['--runs', String(runs)],
        TIMEOUT_MS,
      );
      figures.push(...parseMicro(name, output));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      note(`micro bench ${name} failed: ${error.message.slice(0, 300)}`);
    }
  }
  return figures;
}
