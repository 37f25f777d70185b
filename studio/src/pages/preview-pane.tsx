import { useMemo, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import type { Field } from '../api/field-types.ts';
import type { Data, Sample } from '../api/template-data.ts';
import type { DraftSession } from '../editor/draft.ts';
import { thaiFaultText } from '../editor/finding-text.tsx';
import type { Preview } from '../editor/preview.ts';
import type { SaveState } from '../editor/saving/save-state.ts';
import { slipIn } from '../editor/slip-diagnostic.ts';
import { SlipLine } from '../editor/slip-notice.tsx';
import { Form } from '../form/form.tsx';
import { describeReason } from '../form/reasons.ts';
import { formatBytes, formatClock, formatNumber, t, type TextKey } from '../i18n/i18n.ts';
import { saveFile } from '../ui/download.ts';
import { PdfView } from '../pdf/view.tsx';
import { Button, Dialog, Empty, ErrorDetail, errorTitle, Notice } from '../ui/parts.tsx';
import { StaleNote } from '../ui/stale-note.tsx';

interface PaneProps {
  readonly draft: DraftSession;
  readonly fields: readonly Field[];
  /** Whether the text was JSON at least once, so that its samples are known. */
  readonly isReadable: boolean;
  readonly samples: readonly Sample[];
  readonly sampleIndex: number;
  readonly data: Data;
  readonly onSample: (index: number) => void;
  readonly onData: (data: Data) => void;
  readonly onSaveSample: (name: string) => void;
}

/** The rendered draft, and the data it is rendered with. */
export function PreviewPane(props: PaneProps) {
  const { draft, isReadable, fields, samples, sampleIndex, data } = props;
  const { onSample, onData, onSaveSample } = props;
  const [tab, setTab] = useState<'page' | 'data'>('page');
  const [isSavingSample, setSavingSample] = useState(false);
  const current = draft.preview.value;
  const fieldErrors = current.state === 'refused' ? current.error.fields : [];
  return (
    <section class="preview-pane" aria-label={t('preview.title')}>
      <div class="pane-bar">
        <div class="tabs" role="group" aria-label={t('preview.title')}>
          <Button kind="quiet" pressed={tab === 'page'} onClick={() => setTab('page')}>
            {t('preview.page')}
          </Button>
          <Button kind="quiet" pressed={tab === 'data'} onClick={() => setTab('data')}>
            {t('preview.data')}
            {fieldErrors.length === 0 ? '' : ` (${fieldErrors.length})`}
          </Button>
        </div>
        <SampleChoice
          isReadable={isReadable}
          samples={samples}
          sampleIndex={sampleIndex}
          onSample={onSample}
        />
      </div>
      {/* Hidden, the page keeps its scroll position and takes each new preview, to be drawn when it is
          shown. The form has nothing to keep, because its data belong to the editor: it exists only
          while it is shown. */}
      <div class={tab === 'page' ? 'pane-body' : 'pane-body off'}>
        <DraftPreview draft={draft} fields={fields} onShowData={() => setTab('data')} />
      </div>
      {tab === 'data' ? (
        <div class="pane-form">
          <Form fields={fields} data={data} reasons={fieldErrors} onChange={onData} />
          <div class="row">
            <Button icon="add" onClick={() => setSavingSample(true)}>
              {t('preview.save_sample')}
            </Button>
          </div>
        </div>
      ) : null}
      {isSavingSample ? (
        <SaveSampleDialog
          preset={samples[sampleIndex]?.name ?? ''}
          onClose={() => setSavingSample(false)}
          onSave={onSaveSample}
        />
      ) : null}
    </section>
  );
}

interface SampleChoiceProps {
  readonly isReadable: boolean;
  readonly samples: readonly Sample[];
  readonly sampleIndex: number;
  readonly onSample: (index: number) => void;
}

function SampleChoice({ isReadable, samples, sampleIndex, onSample }: SampleChoiceProps) {
  if (samples.length === 0) {
    const key = isReadable ? 'preview.no_samples' : 'preview.samples_unreadable';
    return <span class="small soft">{t(key)}</span>;
  }
  return (
    <label class="row nowrap small">
      <span class="soft">{t('preview.sample')}</span>
      <select
        class="compact"
        value={String(sampleIndex)}
        onChange={(event) => onSample(Number(event.currentTarget.value))}
      >
        {samples.map(({ name }, index) => (
          <option key={index} value={String(index)}>
            {name ?? index + 1}
          </option>
        ))}
      </select>
    </label>
  );
}

/** When there will be a page; by the state of the save, in others: once the text can be read. */
const WHEN_SHOWN: Partial<Record<SaveState['state'], TextKey>> = {
  conflict: 'preview.conflict',
  untyped: 'preview.untyped',
};

interface DraftPreviewProps {
  readonly draft: DraftSession;
  readonly fields: readonly Field[];
  readonly onShowData: () => void;
}

function DraftPreview({ draft, fields, onShowData }: DraftPreviewProps) {
  const current = draft.preview.value;
  const preview = current.state === 'none' ? null : current.preview;
  const { state } = draft.save.value;
  // The text, or the data, has a fault, or is not checked while a choice is open between two texts: the
  // last page that was made does not show it.
  const isStale = current.state === 'refused' || state === 'unreadable' || state === 'conflict';
  // A notice says why there is no page.
  const isExplained = current.state === 'refused' && state !== 'conflict';
  return (
    <>
      {current.state === 'refused' && state === 'unreadable' ? (
        <NotChecked text={draft.text.value} />
      ) : null}
      {current.state === 'refused' && state !== 'unreadable' ? (
        <Notice tone="warn" title={errorTitle(current.error)}>
          <Refusal error={current.error} fields={fields} />
          {current.error.fields.length === 0 ? null : (
            <Button onClick={onShowData}>{t('preview.correct_data')}</Button>
          )}
        </Notice>
      ) : null}
      {preview === null && !isExplained ? (
        <Empty icon="page" title={t(WHEN_SHOWN[state] ?? 'preview.none')} />
      ) : null}
      {preview === null ? null : (
        <div class={isStale ? 'draft-page stale' : 'draft-page'}>
          {isStale ? <StaleNote text={staleText(preview, state === 'conflict')} /> : null}
          <PdfView bytes={preview.pdf} onDrawn={() => recordLatency(preview)} />
          {isStale ? null : <PreviewFacts preview={preview} name={draft.templateId} />}
        </div>
      )}
    </>
  );
}

/**
 * Stands for the refusal of an earlier text while the service cannot read the present one: that fault
 * may be gone.
 */
function NotChecked({ text }: { readonly text: string }) {
  const slip = useMemo(() => slipIn(text), [text]);
  return (
    <Notice tone="warn" title={t(slip === null ? 'save.unreadable' : 'preview.not_checked')}>
      {slip === null ? null : (
        <p>
          <SlipLine text={text} slip={slip} />
        </p>
      )}
    </Notice>
  );
}

interface RefusalProps {
  readonly error: ApiError;
  readonly fields: readonly Field[];
}

/** Why there is no page of the text and the data as they are. */
function Refusal({ error, fields }: RefusalProps) {
  const thai = thaiFaultText(error.message);
  return thai === null ? (
    <ErrorDetail error={error} describe={describeReason(fields)} />
  ) : (
    <p>{thai}</p>
  );
}

/** Says of when the page is. */
function staleText({ changedAtMs }: Preview, isConflict: boolean): string {
  const time = formatClock(performance.timeOrigin + changedAtMs);
  return t(isConflict ? 'preview.stale_conflict' : 'preview.stale', { time });
}

/** Records a User Timing measure: the time from the last change to the drawn preview. */
function recordLatency(preview: Preview): void {
  performance.measure('studio.preview', {
    start: preview.changedAtMs,
    end: performance.now(),
  });
}

function PreviewFacts({ preview, name }: { readonly preview: Preview; readonly name: string }) {
  const { pdf, latencyMs, renderMs } = preview;
  return (
    <p class="pane-facts small soft tabular" data-latency-ms={Math.round(latencyMs)}>
      {t('preview.facts', {
        size: formatBytes(pdf.byteLength),
        render: formatNumber(renderMs, 1),
      })}
      <Button
        kind="quiet"
        icon="download"
        label={t('preview.download')}
        onClick={() => saveFile(`${name}-draft.pdf`, 'application/pdf', pdf)}
      />
    </p>
  );
}

interface SaveSampleDialogProps {
  readonly preset: string;
  readonly onClose: () => void;
  readonly onSave: (name: string) => void;
}

function SaveSampleDialog({ preset, onClose, onSave }: SaveSampleDialogProps) {
  const [name, setName] = useState(preset);
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    onClose();
  };
  return (
    <Dialog title={t('preview.save_sample')} onClose={onClose}>
      <form class="body" onSubmit={save}>
        <div class="field">
          <label for="sample-name">{t('preview.sample_name')}</label>
          <input
            id="sample-name"
            class="input"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <p class="hint">{t('preview.sample_hint')}</p>
        </div>
        <div class="dialog-actions">
          <Button kind="main" type="submit">
            {t('action.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
