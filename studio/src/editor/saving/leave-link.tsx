import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { BASE, isPlainClick, navigate } from '../../app/router.tsx';
import type { DraftSession } from '../draft.ts';

interface LeaveProps {
  readonly draft: DraftSession;
  readonly to: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/**
 * A link that leaves the editor. It asks the service first: if somebody else has replaced the draft,
 * the editor stays, with the notice of it. Whoever has read the notice leaves by a second click.
 */
export function LeaveLink({ draft, to, class: name, children }: LeaveProps) {
  const isAsking = useRef(false);
  const leave = async (event: MouseEvent): Promise<void> => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      if (await draft.mayLeave()) navigate(to);
    } finally {
      isAsking.current = false;
    }
  };
  return (
    <a
      href={BASE + to}
      onClick={(event) => void leave(event)}
      {...(name === undefined ? {} : { class: name })}
    >
      {children}
    </a>
  );
}
