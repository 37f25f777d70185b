import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { t } from '../i18n/i18n.ts';
import { EngineNotLoaded } from '../pdf/engine.ts';
import { ErrorNotice, NotLoaded } from '../ui/parts.tsx';

type Failure = ApiError | EngineNotLoaded;

/** Keeps an expected failure as a value. */
async function outcomeOf<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError || error instanceof EngineNotLoaded) return error;
    throw error;
  }
}

/** The result of `work`, null while it is under way, and a function that does it again. */
export function useOutcome<T>(work: () => Promise<T>): readonly [T | Failure | null, () => void] {
  const [result, setResult] = useState<T | Failure | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isStale = false;
    const run = async (): Promise<void> => {
      const done = await outcomeOf(work());
      if (!isStale) setResult(() => done);
    };
    void run();
    return () => {
      isStale = true;
    };
  }, [turn]);
  const again = (): void => {
    setResult(null);
    setTurn((before) => before + 1);
  };
  return [result, again];
}

interface FailedProps {
  readonly error: Failure;
  readonly again: () => void;
}

export function Failed({ error, again }: FailedProps) {
  if (error instanceof EngineNotLoaded) return <NotLoaded title={t('pdf.not_loaded')} />;
  return <ErrorNotice error={error} retry={again} />;
}
