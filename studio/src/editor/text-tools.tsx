import { t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import type { CodeHandle } from './code.tsx';

interface ToolsProps {
  readonly code: { readonly current: CodeHandle | null };
}

/** What can be done with the text without knowing its keys. */
export function TextTools({ code }: ToolsProps) {
  return (
    <div class="text-tools" role="toolbar" aria-label={t('editor.tools')}>
      <Button
        kind="quiet"
        icon="search"
        title={t('search.open_hint')}
        onClick={() => code.current?.find()}
      >
        {t('search.open')}
      </Button>
      <Button
        kind="quiet"
        icon="line_above"
        title={t('line.above_hint')}
        onClick={() => code.current?.insertLine('above')}
      >
        {t('line.above')}
      </Button>
      <Button
        kind="quiet"
        icon="line_below"
        title={t('line.below_hint')}
        onClick={() => code.current?.insertLine('below')}
      >
        {t('line.below')}
      </Button>
      <Button
        kind="quiet"
        icon="upload"
        title={t('picture.add_hint')}
        onClick={() => code.current?.addPicture()}
      >
        {t('picture.add')}
      </Button>
    </div>
  );
}
