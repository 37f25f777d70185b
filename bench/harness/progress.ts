import { startStepLine } from '../../src/runtime/step-line.ts';

const steps = startStepLine();

/** Tells the person at the terminal how far the bench is. Standard output holds the tables only. */
export function progress(text: string): void {
  steps.aside(() => process.stderr.write(`${text}\n`));
}

/** Tells which part of a bench begins, such as a round; a terminal shows only the last one. */
export function step(text: string): void {
  steps.begin(text);
}

/** Removes the last step from a terminal, before the tables are written. */
export function endSteps(): void {
  steps.end();
}
