import type { Finding } from '../api/types.ts';
import { language } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { thaiFault, thaiFinding, unreadCell } from './finding-words.ts';

/** A finding of the service, or of the Studio itself, which says it in the reader's language. */
export interface ShownFinding extends Finding {
  readonly says?: () => string;
}

/** Both lists in the order of the text. */
export function inOrder(
  found: readonly ShownFinding[],
  more: readonly ShownFinding[],
): readonly ShownFinding[] {
  return [...found, ...more].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** What the check of a template says, in the reader's language where the Studio has words for it. */
export function FindingText({ finding }: { readonly finding: ShownFinding }) {
  const own = finding.says?.() ?? ownText(finding);
  return own === null ? <span lang="en">{finding.message}</span> : <span>{own}</span>;
}

/** The same as a text. */
export function findingText(finding: Finding): string {
  return ownText(finding) ?? finding.message;
}

function ownText(finding: Finding): string | null {
  const cell = unreadCell(finding, t);
  if (cell !== null) return cell;
  return language.value === 'th' ? thaiFinding(finding, t) : null;
}

/** Why the template cannot be drawn, in Thai for those who read it; null: in English only. */
export function thaiFaultText(message: string): string | null {
  return language.value === 'th' ? thaiFault(message, t) : null;
}
