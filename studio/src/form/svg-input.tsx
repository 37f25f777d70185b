import { t } from '../i18n/i18n.ts';
import type { InputProps } from './form.tsx';

/** An input for SVG, pasted or from a file. It is shown in an <img>, where no script runs. */
export function SvgInput({ id, value, isWrong, describedBy, onChange }: InputProps) {
  const text = typeof value === 'string' ? value : '';
  const take = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) onChange(await file.text());
  };
  const isDrawing = text.includes('<svg') && text.includes('</svg>');
  return (
    <div class="picker">
      {isDrawing ? (
        <img src={`data:image/svg+xml,${encodeURIComponent(text)}`} alt={t('form.picture')} />
      ) : null}
      <div class="stack tight grow">
        <textarea
          id={id}
          class="mono"
          spellcheck={false}
          value={text}
          aria-invalid={isWrong}
          aria-describedby={describedBy}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <input
          type="file"
          accept=".svg,image/svg+xml"
          aria-label={t('form.svg_file')}
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </div>
    </div>
  );
}
