import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { findDocument, kindOfSearch, NO_FILTERS, searchDocuments } from '../api/documents.ts';
import type { StoredDocument } from '../api/documents.ts';
import { formatAgo, t } from '../i18n/i18n.ts';
import { Button, errorTitle } from '../ui/parts.tsx';
import { createKeeper } from '../form/kept.ts';
import { TemplateTitle } from '../ui/template-name.tsx';

/** Options of a document, as the form holds them. */
export interface Options {
  readonly title: string;
  readonly subject: string;
  readonly watermark: string;
  readonly opacity: string;
  readonly userPassword: string;
  readonly ownerPassword: string;
  readonly denied: readonly Permission[];
  readonly attach: readonly StoredDocument[];
}

const PERMISSIONS = ['print', 'copy', 'modify'] as const;
type Permission = (typeof PERMISSIONS)[number];
const ATTACH_MAX = 3;

export const NO_OPTIONS: Options = {
  title: '',
  subject: '',
  watermark: '',
  opacity: '0.15',
  userPassword: '',
  ownerPassword: '',
  denied: [],
  attach: [],
};

const keptByForm = createKeeper<Options>(5);

/** What was chosen in this form before another page was looked at. */
function keptOptions(form: string): Options {
  return keptByForm.of(form) ?? NO_OPTIONS;
}

function keepOptions(form: string, chosen: Options): void {
  keptByForm.keep(form, isEmpty(chosen) ? null : chosen);
}

/** Keeps what was chosen in one form for another form, too. */
export function keepOptionsOf(form: string, other: string): void {
  keepOptions(other, keptOptions(form));
}

/** Whether nothing is chosen. */
export function isEmpty(chosen: Options): boolean {
  const { attach, denied, opacity: _, ...texts } = chosen;
  return attach.length + denied.length === 0 && Object.values(texts).every((text) => text === '');
}

/**
 * Whether permissions bind: a reader lets everybody do everything who has the password to manage, and
 * without one of its own the password to open serves as both.
 */
function bindsReaders({ userPassword, ownerPassword }: Options): boolean {
  return ownerPassword !== '' && ownerPassword !== userPassword;
}

/** The options for the next document: all but the watermark are for the customer of the last one. */
function forNextDocument({ watermark, opacity }: Options): Options {
  return { ...NO_OPTIONS, watermark, opacity };
}

/** What protects the document, as a sentence without full stop; '' for nothing. */
export function protectionText({ userPassword, ownerPassword }: Options): string {
  if (userPassword === '' && ownerPassword === '') return '';
  if (ownerPassword === '') return t('options.applies_open');
  return t(userPassword === '' ? 'options.applies_manage' : 'options.applies_both');
}

/** What will apply to the document besides the values of the form; '' for nothing. */
export function appliedText(options: Options): string {
  const { watermark, denied, attach } = options;
  const parts = [
    protectionText(options),
    denied.length > 0 && bindsReaders(options) ? t('options.applies_denied') : '',
    watermark === '' ? '' : t('options.applies_watermark', { text: watermark }),
    attach.length === 0 ? '' : t('options.applies_attached', { count: attach.length }),
  ];
  const text = parts.filter((part) => part !== '').join(' · ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The `options` of a request, without those that were left empty. */
export function bodyOf(chosen: Options): object {
  const { title, subject, watermark, opacity, userPassword, ownerPassword, denied } = chosen;
  const metadata = { ...(title && { title }), ...(subject && { subject }) };
  const permissions = Object.fromEntries(denied.map((permission) => [permission, false]));
  const asked = {
    ...(title || subject ? { metadata } : {}),
    ...(watermark ? { watermark: { text: watermark, opacity: Number(opacity) } } : {}),
    ...(userPassword || ownerPassword
      ? {
          protection: {
            ...(userPassword && { userPassword }),
            ...(ownerPassword && { ownerPassword }),
            ...(denied.length > 0 && bindsReaders(chosen) ? { permissions } : {}),
          },
        }
      : {}),
    ...(chosen.attach.length > 0
      ? { attach: chosen.attach.map(({ documentId }) => documentId) }
      : {}),
  };
  return Object.keys(asked).length > 0 ? { options: asked } : {};
}

/** Whether two choices of options ask the service for the same. */
function isSameBody(one: Options, other: Options): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

interface UsedOptions {
  readonly options: Options;
  /** Whether options of the last document were taken away without being asked for. */
  readonly isCleared: boolean;
  readonly choose: (next: Options) => void;
  /** Takes away what was for the last document; gives what is left. */
  readonly startNext: () => Options;
}

/** The options of a form, kept while other pages are looked at. */
export function useOptions(form: string): UsedOptions {
  const [options, setOptions] = useState<Options>(() => keptOptions(form));
  const [isCleared, setCleared] = useState(false);
  const latest = useRef(options);
  latest.current = options;
  const choose = (next: Options): void => {
    keepOptions(form, next);
    setOptions(next);
    setCleared(false);
  };
  const startNext = (): Options => {
    const next = forNextDocument(options);
    // Options that were changed while the document was made are for the next one already.
    const isDue = latest.current === options && !isSameBody(options, next);
    if (!isDue) return options;
    choose(next);
    setCleared(true);
    return next;
  };
  return { options, isCleared, choose, startNext };
}

interface OptionsProps {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

export function GenerateOptions({ options, onChange }: OptionsProps) {
  const set = (changes: Partial<Options>): void => onChange({ ...options, ...changes });
  // Open at first if something is chosen: nobody should overlook a password of an earlier visit.
  const [isOpen] = useState(!isEmpty(options));
  return (
    <details class="card" open={isOpen}>
      <summary>{t('options.title')}</summary>
      <div class="stack options">
        <div class="filters">
          <TextOption
            label={t('options.metadata_title')}
            hint={t('options.no_personal_data')}
            value={options.title}
            max={200}
            onInput={(title) => set({ title })}
          />
          <TextOption
            label={t('options.metadata_subject')}
            value={options.subject}
            max={200}
            onInput={(subject) => set({ subject })}
          />
          <TextOption
            label={t('options.watermark')}
            value={options.watermark}
            max={30}
            onInput={(watermark) => set({ watermark })}
          />
          <label class="field">
            <span class="field-label">{t('options.opacity')}</span>
            <input
              type="range"
              min="0"
              max="1"
              step="0.05"
              value={options.opacity}
              onInput={(event) => set({ opacity: event.currentTarget.value })}
            />
          </label>
        </div>
        <Protection options={options} set={set} />
        <Attachments attach={options.attach} onChange={(attach) => set({ attach })} />
      </div>
    </details>
  );
}

interface TextOptionProps {
  readonly label: string;
  readonly value: string;
  readonly max: number;
  readonly hint?: string;
  readonly isSecret?: boolean;
  readonly onInput: (value: string) => void;
}

function TextOption({ label, value, max, hint, isSecret = false, onInput }: TextOptionProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        {...(isSecret ? { type: 'password' as const } : { type: 'text' as const })}
        autocomplete={isSecret ? 'new-password' : 'off'}
        maxLength={max}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}

interface ProtectionProps {
  readonly options: Options;
  readonly set: (changes: Partial<Options>) => void;
}

function Protection({ options, set }: ProtectionProps) {
  const { denied, userPassword, ownerPassword } = options;
  const isBinding = bindsReaders(options);
  const toggle = (permission: Permission): void =>
    set({
      denied: denied.includes(permission)
        ? denied.filter((one) => one !== permission)
        : [...denied, permission],
    });
  return (
    <fieldset class="field plain">
      <legend class="field-label">{t('options.protection')}</legend>
      <div class="filters">
        <TextOption
          label={t('options.user_password')}
          isSecret
          value={userPassword}
          max={127}
          onInput={(next) => set({ userPassword: next })}
        />
        <TextOption
          label={t('options.owner_password')}
          isSecret
          value={ownerPassword}
          max={127}
          onInput={(next) => set({ ownerPassword: next })}
        />
      </div>
      <div class="row">
        {PERMISSIONS.map((permission) => (
          <label class="choice" key={permission}>
            <input
              type="checkbox"
              disabled={!isBinding}
              checked={!isBinding || !denied.includes(permission)}
              onChange={() => toggle(permission)}
            />
            <span>{t(`permission.${permission}`)}</span>
          </label>
        ))}
      </div>
      <span class="hint">{t('options.permissions_bind')}</span>
    </fieldset>
  );
}

interface AttachmentsProps {
  readonly attach: readonly StoredDocument[];
  readonly onChange: (attach: readonly StoredDocument[]) => void;
}

function Attachments({ attach, onChange }: AttachmentsProps) {
  const [wanted, setWanted] = useState('');
  const [found, setFound] = useState<readonly StoredDocument[]>([]);
  const [message, setMessage] = useState('');
  const find = async (): Promise<void> => {
    try {
      const documents = await findUsable(wanted.trim());
      setFound(documents.filter(isUsable));
      setMessage(documents.length === 0 ? t('state.nothing_found') : '');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFound([]);
      setMessage(errorTitle(error));
    }
  };
  const add = (document: StoredDocument): void => {
    if (attach.some(({ documentId }) => documentId === document.documentId)) return;
    onChange([...attach, document]);
  };
  return (
    <fieldset class="field plain">
      <legend class="field-label">{t('options.attach')}</legend>
      {attach.map((document) => (
        <DocumentLine key={document.documentId} document={document}>
          <Button
            kind="quiet"
            icon="close"
            label={t('action.remove')}
            onClick={() => onChange(attach.filter((one) => one !== document))}
          />
        </DocumentLine>
      ))}
      {attach.length >= ATTACH_MAX ? (
        <p class="small soft">{t('options.attach_max')}</p>
      ) : (
        <>
          <label class="hint" for="attach-search">
            {t('documents.search')}
          </label>
          <div class="row nowrap">
            <input
              id="attach-search"
              class="input"
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
            />
            <Button icon="search" onClick={() => void find()}>
              {t('action.search')}
            </Button>
          </div>
        </>
      )}
      <p class="small soft" role="status">
        {message}
      </p>
      {attach.length >= ATTACH_MAX
        ? null
        : found.map((document) => (
            <DocumentLine key={document.documentId} document={document}>
              <Button kind="quiet" icon="add" onClick={() => add(document)}>
                {t('options.attach_add')}
              </Button>
            </DocumentLine>
          ))}
    </fieldset>
  );
}

/** The service cannot merge protected or expired documents. */
function isUsable({ available, protected: isProtected }: StoredDocument): boolean {
  return available !== false && isProtected !== true;
}

async function findUsable(text: string): Promise<readonly StoredDocument[]> {
  if (kindOfSearch(text) === 'id') return [await findDocument(text.toLowerCase())];
  const { signal } = new AbortController();
  const { items } = await searchDocuments(text, NO_FILTERS, null, signal);
  return items.slice(0, 8);
}

interface LineProps {
  readonly document: StoredDocument;
  readonly children: ComponentChildren;
}

function DocumentLine({ document, children }: LineProps) {
  return (
    <div class="row nowrap">
      <span class="grow small">
        <TemplateTitle templateId={document.templateId} /> · {formatAgo(document.createdAt)}
        <br />
        {document.reference === undefined ? null : `${document.reference} · `}
        <code class="soft">{document.documentId}</code>
      </span>
      {children}
    </div>
  );
}
