import { ApiError, confirmFile } from '../api/client.ts';
import { tell } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { Icon } from './icons.tsx';
import { errorTitle } from './parts.tsx';

interface FileLinkProps {
  readonly href: string;
  readonly text: string;
  readonly hint?: string;
  /** Called when the browser begins to fetch the file. */
  readonly onFetch?: () => void;
  /** What to say when the file has expired. */
  readonly gone?: () => string;
  /** Called when the file has expired: the page shows what is no longer so. */
  readonly onGone?: () => void;
}

/**
 * A link to a file that the browser streams to disk. The service is asked first whether it gives the
 * file to the user of this tab: the browser would save a refusal as a file, and if another user has
 * signed in, it would fetch the file in the name of that one.
 */
export function FileLink({ href, text, hint, onFetch, gone, onGone }: FileLinkProps) {
  const fetchFile = async (): Promise<void> => {
    try {
      await confirmFile(href);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isGone = error.code === 'gone';
      tell('bad', isGone && gone !== undefined ? gone : () => refusalText(error));
      if (isGone) onGone?.();
      return;
    }
    const link = document.createElement('a');
    link.href = href;
    link.download = '';
    link.click();
    onFetch?.();
  };
  return (
    <a
      class="button"
      href={href}
      download
      title={hint}
      onClick={(event) => {
        event.preventDefault();
        void fetchFile();
      }}
    >
      <Icon name="download" />
      {text}
    </a>
  );
}

function refusalText(error: ApiError): string {
  const title = errorTitle(error);
  return error.isOfLostFile ? `${title} ${t('document.damaged_hint')}` : title;
}
