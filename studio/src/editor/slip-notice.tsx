import { useMemo } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { Button } from '../ui/parts.tsx';
import type { CodeHandle } from './code.tsx';
import { FindingText } from './finding-text.tsx';
import { lineOfSlip, slipIn, slipText } from './slip-diagnostic.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';

interface Props {
  readonly text: string;
  /** Why the service refuses the text. Shown if the text has no slip of JSON. */
  readonly reason: string;
  readonly code: { readonly current: CodeHandle | null };
}

/** Why the text is not JSON, where, and the button that mends it. */
export function SlipNotice({ text, reason, code }: Props) {
  const slip = useMemo(() => slipIn(text), [text]);
  return (
    <div class="slip">
      <button class="finding error" onClick={() => code.current?.jumpToFault()}>
        <Icon name="error" size={16} />
        {slip === null ? (
          <FindingText finding={{ severity: 'error', path: '', message: reason }} />
        ) : (
          <SlipLine text={text} slip={slip} />
        )}
      </button>
      {slip === null ? null : <Remedy slip={slip} code={code} />}
    </div>
  );
}

/** The line of a slip, and what is wrong there. */
export function SlipLine({ text, slip }: { readonly text: string; readonly slip: Slip }) {
  return (
    <span>
      <span class="soft">{t('slip.line', { line: lineOfSlip(text, slip) })}</span> {slipText(slip)}
    </span>
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
