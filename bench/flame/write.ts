import { busyWarning, type Machine } from '../../lab/machine.ts';
import { writeText } from '../report/write.ts';
import { type FlameGraph, flamePage } from './page.ts';

/** Writes the page of `bench profile … --html`; `machine` is described before the profiles. */
export function writeFlames(path: string, graphs: readonly FlameGraph[], machine: Machine): void {
  const { cpu, node, commit, modified, at, loadBefore } = machine;
  const subtitle = `${cpu}, Node ${node}, commit ${commit}${modified ? ' (modified)' : ''}, ${at}`;
  writeText(path, flamePage(subtitle, graphs, busyWarning(loadBefore)));
}
