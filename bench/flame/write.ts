import { describeMachine } from '../../lab/machine.ts';
import { writeText } from '../report/write.ts';
import { type FlameGraph, flamePage } from './page.ts';

/** Writes the page of `bench profile … --html`. */
export function writeFlames(path: string, graphs: readonly FlameGraph[]): void {
  const { cpu, node, commit, modified, at } = describeMachine();
  const subtitle = `${cpu}, Node ${node}, commit ${commit}${modified ? ' (modified)' : ''}, ${at}`;
  writeText(path, flamePage(subtitle, graphs));
}
