/** A fault of a descriptor and its place: `path` continues the template's JSON path. */
export interface ContractProblem {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
}

export function warning(path: string, message: string): ContractProblem {
  return { severity: 'warning', path, message };
}

export function error(path: string, message: string): ContractProblem {
  return { severity: 'error', path, message };
}
