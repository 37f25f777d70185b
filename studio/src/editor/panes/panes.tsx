import type { ComponentChildren } from 'preact';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/parts.tsx';
import type { PaneName } from './state.ts';
import { divide, division, EVEN, isShown, PANES, SHARE_MIN, showPane } from './state.ts';

interface PanesProps {
  /** null: the pane is not made yet. */
  readonly panes: Readonly<Record<PaneName, ComponentChildren>>;
}

/** The panes of the editor side by side, with bars between them that can be dragged. */
export function Panes({ panes }: PanesProps) {
  const shown = PANES.filter((name) => isShown(name) && panes[name] !== null);
  return (
    <div class="workbench">
      {PANES.map((name) => {
        const before = shown[shown.indexOf(name) - 1];
        const share = division.value.shares[name];
        return [
          before === undefined ? null : (
            <Splitter key={`${name}-bar`} first={before} second={name} />
          ),
          // A folded pane is hidden and not removed: it has a cursor, an undo history, a scroll place.
          <div
            key={name}
            class={`pane pane-${name}`}
            hidden={!shown.includes(name)}
            style={{ flexGrow: share }}
          >
            {panes[name]}
          </div>,
        ];
      })}
    </div>
  );
}

interface SplitterProps {
  readonly first: PaneName;
  readonly second: PaneName;
}

const STEP = 0.04;

/** Moves a bar with the pointer; a pane that was made too narrow is folded when it is let go. */
function drag(down: PointerEvent, first: PaneName, second: PaneName): void {
  const bar = down.currentTarget;
  if (!(bar instanceof HTMLElement)) return;
  const before = bar.previousElementSibling?.getBoundingClientRect();
  const after = bar.nextElementSibling?.getBoundingClientRect();
  if (before === undefined || after === undefined) return;
  const { shares } = division.value;
  // Beyond 0 and 1 outside of both.
  const shareAt = (x: number): number => (x - before.left) / (before.width + after.width);
  down.preventDefault();
  bar.setPointerCapture(down.pointerId);
  const move = ({ clientX }: PointerEvent): void => divide(first, second, shareAt(clientX));
  const release = ({ clientX }: PointerEvent): void => {
    bar.removeEventListener('pointermove', move);
    const last = shareAt(clientX);
    if (last >= SHARE_MIN / 2 && last <= 1 - SHARE_MIN / 2) return;
    division.value = { ...division.value, shares };
    showPane(last < 0.5 ? first : second, false);
  };
  bar.addEventListener('pointermove', move);
  bar.addEventListener('lostpointercapture', release, { once: true });
}

/** A bar between two panes (WAI-ARIA window splitter). */
function Splitter({ first, second }: SplitterProps) {
  const { shares } = division.value;
  const share = shares[first] / (shares[first] + shares[second]);
  const press = (event: KeyboardEvent): void => {
    switch (event.key) {
      case 'ArrowLeft':
        divide(first, second, share - STEP);
        break;
      case 'ArrowRight':
        divide(first, second, share + STEP);
        break;
      case 'Home':
        divide(first, second, 0);
        break;
      case 'End':
        divide(first, second, 1);
        break;
      case 'Enter':
        showPane(second, false);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('panes.divide', { first: nameOf(first), second: nameOf(second) })}
      aria-valuenow={Math.round(100 * share)}
      aria-valuemin={Math.round(100 * SHARE_MIN)}
      aria-valuemax={Math.round(100 * (1 - SHARE_MIN))}
      tabIndex={0}
      title={t('panes.hint')}
      onPointerDown={(event) => drag(event, first, second)}
      onKeyDown={press}
      onDblClick={() => (division.value = { ...division.value, shares: EVEN.shares })}
    />
  );
}

export function nameOf(name: PaneName): string {
  return t(`panes.${name}`);
}

/** Buttons that fold the panes and show them. */
export function PaneButtons() {
  return (
    <div class="tabs" role="group" aria-label={t('panes.title')}>
      {PANES.map((name) => (
        <Button
          key={name}
          kind="quiet"
          {...(name === 'guide' ? { icon: 'docs' as const, title: t('guide.hint') } : {})}
          pressed={isShown(name)}
          onClick={() => showPane(name, !isShown(name))}
        >
          {nameOf(name)}
        </Button>
      ))}
    </div>
  );
}
