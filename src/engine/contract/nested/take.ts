import type { Checked, ListMember, Member } from './check.ts';
import { ListReader, planList, type ListPlan } from './reader.ts';
import { type JsonText, skipValue, spaceEnd, stringTokenEnd } from './tokens.ts';

/**
 * Reads the lists of the data from its text. Returns the text with a number in place of each list.
 */
export type TakeLists = (source: JsonText, isClean: boolean, results: Checked[]) => string;

/** Null if no list is at the top level of the data; lists in records do not count. */
export function compileTakeLists(members: readonly Member[]): TakeLists | null {
  const plans = new Map<string, ListPlan>();
  for (const member of members)
    if (member.kind === 'list') plans.set(member.name, planList(member));
  return plans.size === 0
    ? null
    : (source, isClean, results) => take(plans, source, isClean, results);
}

/**
 * Replacing a list by a number keeps the verdict on the syntax: the list that was read is a valid
 * value, as the number is, and all other tokens are the same. So JSON.parse of the shorter text
 * finds each error of the original.
 */
function take(
  plans: ReadonlyMap<string, ListPlan>,
  source: JsonText,
  isClean: boolean,
  results: Checked[],
): string {
  const { codes } = source;
  const reader = new ListReader(source, isClean, results);
  const known = new Set<string>();
  let rest = '';
  let keptFrom = 0;
  let at = spaceEnd(codes, 0);
  if (codes[at] !== OPEN_OBJECT) return source.text;
  for (;;) {
    at = spaceEnd(codes, at + 1);
    const close = codes[at] === QUOTE ? stringTokenEnd(codes, at) : -1;
    if (close < 0) break;
    const name = source.copy(at + 1, close);
    at = spaceEnd(codes, close + 1);
    if (codes[at] !== COLON || known.has(name)) break;
    at = spaceEnd(codes, at + 1);
    const plan = plans.get(name);
    let end = -1;
    if (plan !== undefined) {
      known.add(name);
      end = reader.read(plan, at);
      if (end >= 0) {
        rest += `${source.copy(keptFrom, at)}0`;
        keptFrom = end;
      }
    }
    if (end < 0) end = skipValue(source, at);
    at = end < 0 ? -1 : spaceEnd(codes, end);
    if (codes[at] === CLOSE_OBJECT) {
      return keptFrom === 0 ? source.text : rest + source.copy(keptFrom, codes.length);
    }
    if (codes[at] !== COMMA) break;
  }
  // The text is not JSON, has a name with an escape, or has a list twice, of which JSON.parse takes
  // the last. JSON.parse must read all of it.
  clear(plans, results);
  return source.text;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function clear(plans: ReadonlyMap<string, ListPlan>, results: Checked[]): void {
  for (const { member } of plans.values()) clearList(member, results);
}

function clearList({ index, lists }: ListMember, results: Checked[]): void {
  results[index] = null;
  for (const inner of lists) clearList(inner, results);
}
