import type { Finding } from '../api/types.ts';
import { language } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { thaiFault, thaiFinding } from './finding-words.ts';

/** What the check of a template says, in Thai for those who read it, where it has a translation. */
export function FindingText({ finding }: { readonly finding: Finding }) {
  const thai = thaiText(finding);
  return thai === null ? <span lang="en">{finding.message}</span> : <span>{thai}</span>;
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
