import { ApiError, confirmUser } from '../api/client.ts';
import { tell } from '../app/state.ts';
import { Icon } from './icons.tsx';
import { errorTitle } from './parts.tsx';

interface FileLinkProps {
  readonly href: string;
  readonly text: string;
  readonly hint?: string;
  /** Called when the browser begins to fetch the file. */
  readonly onFetch?: () => void;
}

/**
 * A link to a file that the browser streams to disk. It can send no header that names the user of
 * this tab, so the service is asked first whether that user is still signed in: otherwise the file
 * would be fetched, and audited, in the name of another one.
 */
export function FileLink({ href, text, hint, onFetch }: FileLinkProps) {
  const fetchFile = async (): Promise<void> => {
    try {
      await confirmUser();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return tell('bad', errorTitle(error));
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
