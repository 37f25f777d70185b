import { useTemplateName } from '../app/template-names.ts';
import { t } from '../i18n/i18n.ts';

interface Props {
  readonly templateId: string;
  /** null or absent: without a version. */
  readonly version?: number | null;
}

/** A template as people know it: its name and version, and its identifier in small letters. */
export function TemplateLabel({ templateId, version = null }: Props) {
  const name = useTemplateName(templateId);
  if (templateId === '') return null;
  return (
    <span class="template-label">
      {name}
      {version === null ? null : <span class="soft"> {t('version.short', { version })}</span>}
      {name === templateId ? null : <span class="id soft mono">{templateId}</span>}
    </span>
  );
}

/** Only the name, for headings and links. */
export function TemplateTitle({ templateId }: { readonly templateId: string }) {
  return <>{useTemplateName(templateId)}</>;
}
