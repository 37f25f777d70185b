import type { NamedEncoding, TextEncoding } from '../../../src/runtime/encoding/decoder.ts';
import { t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import type { NoText } from './text-file.ts';

/** How a file was read; nothing for UTF-8, which needs no word. */
export function ReadAs({ encoding }: { readonly encoding: TextEncoding }) {
  if (encoding === 'utf-8') return null;
  return <span class="hint">{t('file.read_as', { encoding })}</span>;
}

interface NoTextProps {
  readonly fault: NoText;
  readonly onRead: (encoding: NamedEncoding) => void;
}

/** Says where a file is no text, and offers to read it as windows-874. */
export function NoTextNotice({ fault, onRead }: NoTextProps) {
  const { line, byte, encoding } = fault;
  const isRead = encoding !== null;
  return (
    <div class="stack tight">
      <p class="reason">{t(isRead ? 'file.not_thai' : 'file.not_utf8', { line, byte })}</p>
      {isRead ? null : (
        <div class="row">
          <Button onClick={() => onRead('windows-874')}>{t('file.read_thai')}</Button>
        </div>
      )}
    </div>
  );
}
