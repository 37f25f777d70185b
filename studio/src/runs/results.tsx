import { useEffect, useState } from 'preact/hooks';
import { ApiError, path } from '../api/client.ts';
import { language } from '../app/state.ts';
import { formatBytes, formatNumber, t } from '../i18n/i18n.ts';
import { FileLink } from '../ui/file-link.tsx';
import { Load, Notice } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { findRun, isUnderWay, listPrints, type Run } from './api.ts';

interface Props {
  readonly run: Run;
  readonly show: (run: Run) => void;
}

/** Links to the results. The browser streams them to disk, so their size does not matter. */
export function Results({ run, show }: Props) {
  const { runId, counts, state, documentsPerPrint } = run;
  const watch = useArchiveWatch(run, show);
  const base = path`/v1/runs/${runId}`;
  const hasArchive = counts.stored > 0 && !isUnderWay(run);
  if (counts.received === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t('runs.results')}</h2>
      <ul class="files">
        <li>
          <FileLink
            href={`${base}/manifest?format=csv&titles=${language.value}`}
            text={t('runs.manifest_csv')}
          />
          <span class="small soft">{t('runs.manifest_csv_hint')}</span>
        </li>
        <li>
          <FileLink href={`${base}/manifest`} text={t('runs.manifest')} />
          <span class="small soft">{t('runs.manifest_hint')}</span>
        </li>
        {hasArchive ? (
          <li>
            <FileLink href={`${base}/zip`} text={t('runs.zip')} onFetch={watch} />
            <span class="small soft">{t('runs.zip_what')}</span>
          </li>
        ) : null}
      </ul>
      {hasArchive ? <Archive damaged={run.damagedDocuments ?? 0} /> : null}
      {documentsPerPrint === null ? null : <Prints key={state} runId={runId} />}
    </section>
  );
}

/** Says which documents are missing from the archive. */
function Archive({ damaged }: { readonly damaged: number }) {
  const file = 'missing-documents.txt';
  if (damaged === 0) return <p class="small soft">{t('runs.zip_hint', { file })}</p>;
  const count = formatNumber(damaged);
  return (
    <div aria-live="polite">
      <Notice tone="warn" title={t('runs.zip_lacks', { count })}>
        {t('runs.zip_lacks_text', { file })}
      </Notice>
    </div>
  );
}

/** Pauses between looks at a run whose archive is being downloaded. */
const WATCH_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

/**
 * The download finds documents that are damaged or missing, and the browser does not tell a page
 * when it ends. So the page looks at the run again for some minutes after the link was followed.
 */
function useArchiveWatch({ runId, damagedDocuments }: Run, show: (run: Run) => void): () => void {
  const [downloads, setDownloads] = useState(0);
  useEffect(() => {
    if (downloads === 0) return;
    const controller = new AbortController();
    let timer = 0;
    let known = damagedDocuments;
    const look = async (index: number): Promise<void> => {
      try {
        const found = await findRun(runId, controller.signal);
        if (controller.signal.aborted) return;
        if (found.damagedDocuments !== known) show(found);
        known = found.damagedDocuments;
      } catch (error) {
        // The next look tries again; the page shows faults of its own requests.
        if (!controller.signal.aborted && !(error instanceof ApiError)) throw error;
      }
      wait(index + 1);
    };
    const wait = (index: number): void => {
      const pauseMs = WATCH_MS[index];
      if (controller.signal.aborted || pauseMs === undefined) return;
      timer = window.setTimeout(() => void look(index), pauseMs);
    };
    wait(0);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [runId, downloads]);
  return () => setDownloads((before) => before + 1);
}

function Prints({ runId }: { readonly runId: string }) {
  const { loaded, reload } = useLoad((signal) => listPrints(runId, signal), [runId]);
  const base = path`/v1/runs/${runId}/prints`;
  return (
    <Load loaded={loaded} reload={reload}>
      {(prints) => (
        <ul class="stack tight">
          {prints.map(({ number, documents, pages, bytes }) => (
            <li class="row" key={number}>
              <FileLink href={`${base}/${number}`} text={t('runs.print', { number })} />
              <FileLink
                href={`${base}/${number}/index`}
                text={t('runs.print_index')}
                hint={t('runs.print_index_hint')}
              />
              <span class="small soft">
                {t('runs.print_facts', {
                  documents: formatNumber(documents),
                  pages: formatNumber(pages),
                  size: formatBytes(bytes),
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Load>
  );
}
