import type { Finding } from '../api/types.ts';
import { language } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { thaiFault, thaiFinding } from './finding-words.ts';

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

/** What the check of a template says, in Thai for those who read it, where it has a translation. */
export function FindingText({ finding }: { readonly finding: ShownFinding }) {
  const own = finding.says?.() ?? thaiText(finding);
  return own === null ? <span lang="en">{finding.message}</span> : <span>{own}</span>;
}

/** The same as a text. */
export function findingText(finding: Finding): string {
  return thaiText(finding) ?? finding.message;
}

function thaiText(finding: Finding): string | null {
  return language.value === 'th' ? thaiFinding(finding, t) : null;
}

/** Why the template cannot be drawn, in Thai for those who read it; null: in English only. */
export function thaiFaultText(message: string): string | null {
  return language.value === 'th' ? thaiFault(message, t) : null;
}
