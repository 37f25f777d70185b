import { Icon } from './icons.tsx';

/** Says above a page, which the class `stale` of its container dims, that it is out of date. */
export function StaleNote({ text }: { readonly text: string }) {
  return (
    <p class="stale-note small" role="status">
      <Icon name="warn" size={16} />
      {text}
    </p>
  );
}
