import { effect, signal } from '@preact/signals';

export const PANES = ['text', 'page', 'guide'] as const;
export type PaneName = (typeof PANES)[number];

/** How the editor's window is divided; the browser keeps it. */
interface Division {
  /** Shares of the width, in any unit. */
  readonly shares: Readonly<Record<PaneName, number>>;
  readonly folded: readonly PaneName[];
}

export const EVEN: Division = { shares: { text: 1, page: 1, guide: 0.8 }, folded: ['guide'] };
const STORED = 'studio.panes';

/** A share below this folds the pane when it is let go. */
export const SHARE_MIN = 0.12;

function stored(): Division {
  const text = localStorage.getItem(STORED);
  if (text === null) return EVEN;
  // Only the effect below writes it.
  return { ...EVEN, ...(JSON.parse(text) as Partial<Division>) };
}

export const division = signal<Division>(stored());
effect(() => localStorage.setItem(STORED, JSON.stringify(division.value)));

export function isShown(name: PaneName): boolean {
  return !division.value.folded.includes(name);
}

/** Folds a pane or shows it; the last one that is shown stays. */
export function showPane(name: PaneName, isWanted: boolean): void {
  const { folded } = division.value;
  const others = folded.filter((one) => one !== name);
  if (!isWanted && others.length === PANES.length - 1) return;
  division.value = { ...division.value, folded: isWanted ? others : [...others, name] };
}

/** Up to this width the guide covers the editor; guide.css has the same. */
const COVERED = '(max-width: 56.25em)';

/** Folds a guide that covers the editor, which is to be seen now. */
export function foldCoveringGuide(): void {
  if (isShown('guide') && matchMedia(COVERED).matches) showPane('guide', false);
}

/** Divides the room of two neighbours anew; `share` is that of the first of them. */
export function divide(first: PaneName, second: PaneName, share: number): void {
  const { shares } = division.value;
  const both = shares[first] + shares[second];
  const own = Math.min(1 - SHARE_MIN, Math.max(SHARE_MIN, share)) * both;
  division.value = {
    ...division.value,
    shares: { ...shares, [first]: own, [second]: both - own },
  };
}
