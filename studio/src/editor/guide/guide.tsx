import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { language } from '../../app/state.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { Button } from '../../ui/parts.tsx';
import { BlockView, type GuideLink } from './block-view.tsx';
import type { Entry, GuidePage } from './find.ts';
import { entryOfKey, GUIDE_PAGES, search } from './find.ts';
import { BLOCKS, ENTRIES, pictureAddress } from './pages.ts';
import { asked } from './target.ts';

interface GuideProps {
  /** Gives the focus back to the text. */
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** A place that is shown; a new object shows it again. */
interface Shown {
  readonly page: GuidePage;
  /** '': the beginning. */
  readonly anchor: string;
  /** Whether the focus goes there, for people who use the keyboard. */
  readonly takesFocus: boolean;
}

/** The documentation of templates, beside the text that it is about. */
export function Guide({ onBack, onClose }: GuideProps) {
  const [shown, setShown] = useState<Shown>({ page: 'templates', anchor: '', takesFocus: false });
  const [typed, setTyped] = useState('');
  const body = useRef<HTMLDivElement>(null);
  const found = useMemo(() => search(ENTRIES, typed), [typed]);
  const question = asked.value;
  const go = (place: Shown): void => {
    setTyped('');
    setShown(place);
  };
  useEffect(() => {
    const entry = question === null ? null : entryOfKey(ENTRIES, question);
    if (entry !== null) go({ ...entry, takesFocus: true });
  }, [question]);
  useEffect(() => showPlace(body.current, shown), [shown]);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (typed === '') onBack();
    else setTyped('');
  };
  const link: GuideLink = {
    page: shown.page,
    go: (page, anchor) => go({ page, anchor, takesFocus: true }),
    picture: pictureAddress,
  };
  return (
    <section class="guide" aria-label={t('guide.title')} onKeyDown={press}>
      <GuideBar page={shown.page} typed={typed} onType={setTyped} onGo={go} onClose={onClose} />
      {typed.trim() === '' ? null : (
        <Results found={found} onGo={(entry) => go({ ...entry, takesFocus: true })} />
      )}
      <div
        class="guide-body"
        ref={body}
        lang="en"
        hidden={typed.trim() !== ''}
        tabIndex={0}
        role="region"
        aria-label={t(`guide.${shown.page}`)}
      >
        <Blocks link={link} />
      </div>
    </section>
  );
}

/** The blocks of a page; they are made anew for another page only. */
function Blocks({ link }: { readonly link: GuideLink }) {
  const latest = useRef(link);
  latest.current = link;
  return useMemo(() => {
    const { page, picture } = link;
    const go: GuideLink['go'] = (to, anchor) => latest.current.go(to, anchor);
    let section = '';
    return (
      <>
        {BLOCKS[page].map((block, index) => {
          if (block.kind === 'heading') section = block.id;
          return (
            <BlockView key={index} block={block} section={section} link={{ page, picture, go }} />
          );
        })}
      </>
    );
  }, [link.page]);
}

function showPlace(body: HTMLElement | null, { anchor, takesFocus }: Shown): void {
  if (body === null) return;
  for (const marked of body.querySelectorAll('.found')) marked.classList.remove('found');
  const place = anchor === '' ? null : body.querySelector(`#guide-${CSS.escape(anchor)}`);
  if (!(place instanceof HTMLElement)) {
    body.scrollTop = 0;
    return;
  }
  place.classList.add('found');
  place.scrollIntoView({ block: 'start' });
  if (takesFocus) place.focus({ preventScroll: true });
}

interface BarProps {
  readonly page: GuidePage;
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onGo: (place: Shown) => void;
  readonly onClose: () => void;
}

function GuideBar({ page, typed, onType, onGo, onClose }: BarProps) {
  return (
    <div class="guide-bar">
      <div class="row nowrap">
        <label class="guide-search">
          <Icon name="search" size={16} />
          <span class="hidden">{t('guide.search')}</span>
          <input
            class="input"
            type="search"
            placeholder={t('guide.search')}
            value={typed}
            onInput={(event) => onType(event.currentTarget.value)}
          />
        </label>
        <Button kind="quiet" icon="close" label={t('guide.close')} onClick={onClose} />
      </div>
      <div class="tabs" role="group" aria-label={t('guide.parts')}>
        {GUIDE_PAGES.map((one) => (
          <Button
            key={one}
            kind="quiet"
            pressed={one === page}
            onClick={() => onGo({ page: one, anchor: '', takesFocus: false })}
          >
            {t(`guide.${one}`)}
          </Button>
        ))}
      </div>
      {language.value === 'en' ? null : <p class="small soft">{t('guide.in_english')}</p>}
    </div>
  );
}

interface ResultsProps {
  readonly found: readonly Entry[];
  readonly onGo: (entry: Entry) => void;
}

/** Characters of a result's text. */
const TEXT_LENGTH_MAX = 140;

function Results({ found, onGo }: ResultsProps) {
  return (
    <div class="guide-body">
      <p class="small soft" role="status">
        {found.length === 0 ? t('guide.no_results') : t('guide.results', { count: found.length })}
      </p>
      <ul class="guide-results" lang="en">
        {found.map((entry) => (
          <li key={`${entry.page} ${entry.anchor}`}>
            <button onClick={() => onGo(entry)}>
              {entry.key === '' ? <strong>{entry.section}</strong> : <code>{entry.key}</code>}
              {entry.key === '' ? null : <span class="soft"> {entry.section}</span>}
              <span class="small soft">{shortened(entry)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function shortened({ key, text }: Entry): string {
  const said = text.startsWith(`${key} `) ? text.slice(key.length + 1) : text;
  return said.length <= TEXT_LENGTH_MAX ? said : `${said.slice(0, TEXT_LENGTH_MAX)}…`;
}
