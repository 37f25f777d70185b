import type { Plan } from '../suites/plan.ts';
import type { HttpFigure } from './figures.ts';
export async function measureHttp(
  _plan: Plan,
  note: (text: string) => void,
): Promise<HttpFigure[]> {
  note('http');
  return [];
}
