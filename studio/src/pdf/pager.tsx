import { t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly go: (number: number) => void;
}

/** Goes to the page before, the page after, or that of a typed number. */
export function Pager({ page, pages, go }: PagerProps) {
  const goTo = (input: HTMLInputElement): void => {
    const number = Math.round(Number(input.value));
    const nearest = Math.min(Math.max(number, 1), pages);
    // The page does not change here when it was typed out of range or is no number.
    input.value = String(number > 0 ? nearest : page);
    if (number > 0) go(nearest);
  };
  return (
    <div class="row nowrap">
      <Button
        kind="quiet"
        icon="left"
        label={t('pdf.previous')}
        disabled={page <= 1}
        onClick={() => go(page - 1)}
      />
      <label class="row nowrap small tabular">
        {t('pdf.page')}
        <input
          class="input compact page-number"
          inputMode="numeric"
          autocomplete="off"
          value={String(page)}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => goTo(event.currentTarget)}
        />
        {t('pdf.of', { pages })}
      </label>
      <Button
        kind="quiet"
        icon="right"
        label={t('pdf.next')}
        disabled={page >= pages}
        onClick={() => go(page + 1)}
      />
    </div>
  );
}
