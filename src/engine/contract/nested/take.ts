import type { Checked, ListMember, Member } from './check.ts';
import { ListReader, planList, type ListPlan } from './reader.ts';
import { type JsonText, skipValue, spaceEnd, stringTokenEnd } from './tokens.ts';

/** Reads the lists of the data from its text; gives the text with a number in the place of each. */
export type TakeLists = (source: JsonText, isClean: boolean, results: Checked[]) => string;

/** Null: no list stands in the data itself, but in a record at most. */
export function compileTakeLists(members: readonly Member[]): TakeLists | null {
  const plans = new Map<string, ListPlan>();
  for (const member of members)
    if (member.kind === 'list') plans.set(member.name, planList(member));
  return plans.size === 0
    ? null
    : (source, isClean, results) => take(plans, source, isClean, results);
}

/**
 * The text is valid JSON if it is so with a number in the place of a list that was read: what stands
 * before the list has the same tokens in both, and the list was seen to be a value.
 */
function take(
  plans: ReadonlyMap<string, ListPlan>,
  source: JsonText,
  isClean: boolean,
  results: Checked[],
): string {
  const { text, codes } = source;
  const reader = new ListReader(source, isClean, results);
  const known = new Set<string>();
  let rest = '';
  let keptFrom = 0;
  let at = spaceEnd(codes, 0);
  if (text[at] !== '{') return text;
  for (;;) {
    at = spaceEnd(codes, at + 1);
    const close = text[at] === '"' ? stringTokenEnd(codes, at) : -1;
    const name = text.slice(at + 1, close);
    at = spaceEnd(codes, close + 1);
    if (close < 0 || text[at] !== ':' || known.has(name)) break;
    at = spaceEnd(codes, at + 1);
    const plan = plans.get(name);
    let end = -1;
    if (plan !== undefined) {
      known.add(name);
      end = reader.read(plan, at);
      if (end >= 0) {
        rest += `${text.slice(keptFrom, at)}0`;
        keptFrom = end;
      }
    }
    if (end < 0) end = skipValue(source, at);
    at = end < 0 ? -1 : spaceEnd(codes, end);
    if (text[at] === '}') return rest + text.slice(keptFrom);
    if (text[at] !== ',') break;
  }
  // Not JSON, or a name with an escape or a list that comes twice: JSON.parse takes the last one.
  clear(plans, results);
  return text;
}

function clear(plans: ReadonlyMap<string, ListPlan>, results: Checked[]): void {
  for (const { member } of plans.values()) clearList(member, results);
}

function clearList({ index, lists }: ListMember, results: Checked[]): void {
  results[index] = null;
  for (const inner of lists) clearList(inner, results);
}
