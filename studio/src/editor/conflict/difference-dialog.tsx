import { t } from '../../i18n/i18n.ts';
import { Dialog, Load } from '../../ui/parts.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { openDraft } from '../open-draft.ts';
import { differencesOf } from './difference.ts';
import '../../styles/publish.css';

/** Places that are shown; the texts of two templates may have nothing in common. */
const PLACES_MAX = 100;
const LINE_LENGTH_MAX = 300;

interface DifferenceProps {
  readonly templateId: string;
  /** The text of the user. */
  readonly mine: string;
  /** It is kept in the browser, and the editor shows another. */
  readonly isKept?: boolean;
  readonly onClose: () => void;
}

/** Shows the lines in which the own text differs from the one of the server. */
export function DifferenceDialog(props: DifferenceProps) {
  const { templateId, mine, isKept = false, onClose } = props;
  const { loaded, reload } = useLoad(
    () => openDraft(`${templateId} of the server`, templateId, ''),
    [],
  );
  return (
    <Dialog title={t('conflict.differences')} onClose={onClose} wide>
      <div class="body">
        <p class="small soft">
          {t(isKept ? 'conflict.differences_kept' : 'conflict.differences_hint')}
        </p>
        <Load loaded={loaded} reload={reload}>
          {(opened) => <Differences theirs={opened.text} mine={mine} isKept={isKept} />}
        </Load>
      </div>
    </Dialog>
  );
}

interface DifferencesProps {
  readonly theirs: string;
  readonly mine: string;
  readonly isKept: boolean;
}

function Differences({ theirs, mine, isKept }: DifferencesProps) {
  const onlyMine = isKept ? 'conflict.only_kept' : 'conflict.only_mine';
  const places = differencesOf(theirs, mine);
  if (places.length === 0) return <p>{t('conflict.no_differences')}</p>;
  const leftOut = places.length - PLACES_MAX;
  return (
    <div class="diff differences" role="region" tabIndex={0} aria-label={t('conflict.differences')}>
      {places.slice(0, PLACES_MAX).map(({ line, lines }, place) => (
        <div key={place}>
          {line === null ? null : <p class="small soft">{t('publish.line', { line })}</p>}
          {lines.map(({ kind, text }, index) => (
            <p key={index} class={`${kind} mono breaks`}>
              <span class="hidden">{t(kind === 'added' ? onlyMine : 'conflict.only_theirs')}</span>
              <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span> {shortened(text)}
            </p>
          ))}
        </div>
      ))}
      {leftOut > 0 ? (
        <p class="soft">{t('conflict.more_differences', { count: leftOut })}</p>
      ) : null}
    </div>
  );
}

/** A picture is one line of thousands of letters. */
function shortened(text: string): string {
  const line = text.trim();
  return line.length <= LINE_LENGTH_MAX ? line : `${line.slice(0, LINE_LENGTH_MAX)}…`;
}
