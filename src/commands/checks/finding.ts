import type { Examination } from './examination.ts';

/** What a check found. */
export interface Verdict {
  /** `skipped`: it needs something that another check found at fault. */
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly detail: string;
  /** How to mend it; '' when nothing needs mending. */
  readonly mend: string;
}

/** A verdict under the name of its check. */
export interface Finding extends Verdict {
  readonly check: string;
}

/** One check of the machine and its settings. None of them changes rows or documents. */
export interface Check {
  readonly name: string;
  /** `start`: `serve` needs it, so `serve --check` looks as well; `doctor`: only doctor looks. */
  readonly askedBy: 'start' | 'doctor';
  readonly examine: (examination: Examination) => Promise<Verdict> | Verdict;
}

export function ok(detail: string): Verdict {
  return { state: 'ok', detail, mend: '' };
}

export function warning(detail: string, mend: string): Verdict {
  return { state: 'warning', detail, mend };
}

export function fault(detail: string, mend: string): Verdict {
  return { state: 'fault', detail, mend };
}

export function skipped(detail: string): Verdict {
  return { state: 'skipped', detail, mend: '' };
}

/** A fault and its remedy for a terminal. */
export function withMend(detail: string, mend: string): string {
  return `${detail}\n  → ${mend}`;
}
