import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** The address of the Studio. */
export const BASE = '/studio';

const address = signal(location.pathname + location.search);

/** The parts of the address below /studio, decoded. */
export const segments = computed(() =>
  (address.value.split('?')[0] ?? '')
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decode),
);

export const searchParams = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

/** A parameter of the address; '' when it is not there. */
export function searchParam(name: string): string {
  return searchParams.value.get(name) ?? '';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

/** Goes to a path below /studio. `replace` overwrites the current history entry. */
export function navigate(to: string, { replace = false } = {}): void {
  const next = BASE + to;
  if (next === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', next);
  else history.pushState(null, '', next);
  address.value = next;
  if (!replace) document.querySelector('main')?.scrollTo(0, 0);
}

/**
 * Changes the query of the address, in the current history entry; '' removes a parameter. So the
 * filters of a list survive a reload and going back, and are part of an address that is shared.
 */
export function setSearchParams(changes: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const query = next.size === 0 ? '' : `?${next.toString()}`;
  address.value = location.pathname + query;
  history.replaceState(null, '', address.value);
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly children: ComponentChildren;
  readonly current?: boolean;
}

/** Whether a click asks for neither another tab nor another window. */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey;
}

/** A link inside the Studio, followed without reloading the page. */
export function Link({ to, children, current = false, class: name }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={BASE + to}
      onClick={follow}
      {...(current ? { 'aria-current': 'page' } : {})}
      {...(name === undefined ? {} : { class: name })}
    >
      {children}
    </a>
  );
}
