import { useState } from 'preact/hooks';
import { formatBytes, formatNumber, t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import type { InputProps } from './form.tsx';

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** A data URL is a third longer than its file, and a whole request may have 1 MB. */
const BYTES_MAX = 720 * 1_024;
const PIXELS_MAX = 30_000_000;

/** An input for an image file, which it converts to the data URL that the contract requires. */
export function ImageInput({ id, value, isWrong, describedBy, onChange }: InputProps) {
  const [fault, setFault] = useState('');
  const url = typeof value === 'string' && value.startsWith('data:') ? value : '';
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const found = await faultOf(file);
    setFault(found);
    if (found === '') onChange(await readDataUrl(file));
  };
  return (
    <div class="picker">
      {url === '' ? null : <img src={url} alt={t('form.picture')} />}
      <div class="stack tight">
        <input
          id={id}
          type="file"
          accept={TYPES.join(',')}
          aria-invalid={isWrong || fault !== ''}
          aria-describedby={describedBy}
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        {fault === '' ? null : (
          <p class="reason" role="alert">
            {fault}
          </p>
        )}
        {url === '' ? null : (
          <div class="row small soft">
            {formatBytes(url.length)}
            <Button kind="quiet" icon="trash" onClick={() => onChange('')}>
              {t('action.remove')}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The reason why the image cannot be sent; '' when it can. */
async function faultOf(file: File): Promise<string> {
  if (!TYPES.includes(file.type)) return t('form.picture_type');
  if (file.size > BYTES_MAX) return t('form.picture_bytes', { max: formatBytes(BYTES_MAX) });
  try {
    const bitmap = await createImageBitmap(file);
    const pixels = bitmap.width * bitmap.height;
    bitmap.close();
    return pixels > PIXELS_MAX
      ? t('form.picture_pixels', { pixels: formatNumber(pixels), max: formatNumber(PIXELS_MAX) })
      : '';
  } catch (error) {
    if (error instanceof DOMException) return t('form.picture_broken');
    throw error;
  }
}

/** Resolves to the file as a data URL. */
function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () => {
      reject(reader.error ?? new Error('the file cannot be read'));
    });
    reader.readAsDataURL(file);
  });
}
