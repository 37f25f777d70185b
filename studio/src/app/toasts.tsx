import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import { freePlace } from './free-place.ts';
import { Link } from './router.tsx';
import { dismiss, toasts } from './state.ts';

/** Messages that disappear after a while. They cover nothing that can be pressed. */
export function Toasts() {
  const list = useRef<HTMLDivElement>(null);
  const shown = toasts.value.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (list.current !== null && shown !== '') return keepFree(list.current);
    return undefined;
  }, [shown]);
  return (
    <div class="toasts" role="status" aria-live="polite" ref={list}>
      {toasts.value.map(({ id, kind, text, next }) => (
        <div class={`toast ${kind}`} key={id}>
          <span>
            {text()}
            {next === undefined ? null : ' '}
            {next === undefined ? null : <Link to={next.to}>{next.text()}</Link>}
          </span>
          <Button kind="quiet" icon="close" label={t('action.close')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

/**
 * What can be pressed, and the bars that hold most of it. The text of an editor is as large as its
 * page, so it is left out.
 */
const PRESSED =
  '.side, .decision, main :is(a[href], button, input, select, summary, [role="option"])';

/** Space between a message and the edges of its room. */
const EDGE = 12;

/** Keeps the messages beside what can be pressed while the page changes or is scrolled. */
function keepFree(list: HTMLElement): () => void {
  let frame = 0;
  // A message may appear under a pointer that rests where a button was pressed: only one that is
  // moved onto it is there to read or close it.
  let isPointed = false;
  const point = (): void => {
    isPointed = true;
  };
  const leave = (): void => {
    isPointed = false;
  };
  const moveUnlessUsed = (): void => {
    // What somebody is about to press does not move away.
    if (!isPointed && !list.matches(':focus-within')) move(list);
  };
  const place = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(moveUnlessUsed);
  };
  // The change that a message tells of often brings buttons.
  const changes = new MutationObserver(place);
  const main = document.querySelector('main');
  if (main !== null) changes.observe(main, { childList: true, characterData: true, subtree: true });
  list.addEventListener('pointermove', point);
  list.addEventListener('pointerleave', leave);
  window.addEventListener('resize', place);
  // Scrolling is not followed step by step: the messages would jump.
  window.addEventListener('scrollend', place, { capture: true });
  moveUnlessUsed();
  return () => {
    cancelAnimationFrame(frame);
    changes.disconnect();
    list.removeEventListener('pointermove', point);
    list.removeEventListener('pointerleave', leave);
    window.removeEventListener('resize', place);
    window.removeEventListener('scrollend', place, { capture: true });
  };
}

function move(list: HTMLElement): void {
  list.style.translate = 'none';
  const main = document.querySelector('main')?.getBoundingClientRect();
  if (main === undefined) return;
  const room = {
    left: Math.max(0, main.left) + EDGE,
    top: Math.max(0, main.top) + EDGE,
    right: Math.min(window.innerWidth, main.right) - EDGE,
    bottom: window.innerHeight - EDGE,
  };
  const pressed = Array.from(document.querySelectorAll(PRESSED))
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => element.getBoundingClientRect());
  const { x, y } = freePlace(list.getBoundingClientRect(), room, pressed);
  list.style.translate = `${x}px ${y}px`;
}
