import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.ts';
import { NotLoaded, Skeleton } from '../../ui/parts.tsx';

type GuideOf = typeof import('./guide.tsx').Guide;

/** The guide, whose script with the documentation is fetched when it is first opened. */
export function LazyGuide(props: Parameters<GuideOf>[0]) {
  const [Guide, setGuide] = useState<ComponentType<Parameters<GuideOf>[0]> | null>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const loaded = await import('./guide.tsx');
        setGuide(() => loaded.Guide);
      } catch (error) {
        setFailed(true);
        throw error;
      }
    };
    void load();
  }, []);
  if (isFailed) return <NotLoaded title={t('guide.not_loaded')} />;
  return Guide === null ? <Skeleton /> : <Guide {...props} />;
}
