import { useMemo } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { Button } from '../ui/parts.tsx';
import type { CodeHandle } from './code.tsx';
import { slipText } from './slip-diagnostic.ts';
import { findSlip } from '../../../src/runtime/json-slips/find.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';

interface Props {
  readonly text: string;
  /** Why the service refuses the text. Shown if the text has no slip of JSON. */
  readonly reason: string;
  readonly code: { readonly current: CodeHandle | null };
}

/** Why the text is not JSON, where, and the button that mends it. */
export function SlipNotice({ text, reason, code }: Props) {
  const slip = useMemo(() => findSlip(text), [text]);
  const isShown = slip !== null && slip.cause !== 'key_repeated';
  const line = isShown ? text.slice(0, slip.from).split('\n').length : 0;
  return (
    <div class="slip">
      <button class="finding error" onClick={() => code.current?.jumpToFault()}>
        <Icon name="error" size={16} />
        {isShown ? (
          <span>
            <span class="soft">{t('slip.line', { line })}</span> {slipText(slip)}
          </span>
        ) : (
          <span lang="en">{reason}</span>
        )}
      </button>
      {isShown ? <Remedy slip={slip} code={code} /> : null}
    </div>
  );
}

/** The button that mends the slip; if only the author can, the one that goes to the place. */
function Remedy({ slip, code }: { readonly slip: Slip } & Pick<Props, 'code'>) {
  const { fix, missing } = slip;
  if (fix !== null) {
    return (
      <Button icon="check" onClick={() => code.current?.fix(slip)}>
        {t('slip.fix')}
      </Button>
    );
  }
  if (missing === null) return null;
  return (
    <Button onClick={() => code.current?.jumpTo(missing.at)}>
      {t('slip.go', { line: missing.line })}
    </Button>
  );
}
