import type { TemplateVersion } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { mayEdit } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';

interface LinkProps {
  readonly templateId: string;
  readonly version: number;
  /** The versions of the template, the newest first. */
  readonly versions: readonly Pick<TemplateVersion, 'version' | 'withdrawnAt'>[];
}

/** Leads to a version beside the one before it; one that was withdrawn makes no page to compare. */
export function CompareLink({ templateId, version, versions }: LinkProps) {
  const own = versions.find((one) => one.version === version);
  const before = versions.find((one) => one.version < version && one.withdrawnAt === null);
  if (!mayEdit.value || before === undefined || own === undefined) return null;
  if (own.withdrawnAt !== null) return null;
  const page = `/templates/${encodeURIComponent(templateId)}/version-${version}`;
  return (
    <Link to={`${page}?with=${before.version}`}>
      {t('version.compare_before', { version: before.version })}
    </Link>
  );
}
