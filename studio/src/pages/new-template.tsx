import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { findSummary, type TemplateName } from '../api/templates.ts';
import { Link, navigate } from '../app/router.tsx';
import { t } from '../i18n/i18n.ts';
import { idFault } from '../template-actions/id-fault.ts';
import { IdInput } from '../template-actions/id-input.tsx';
import { Button, Dialog, ErrorNotice, Notice } from '../ui/parts.tsx';

/** Asks for the identifier and the name of a new template, and opens its editor. */
export function NewTemplate({ onClose }: { readonly onClose: () => void }) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [taken, setTaken] = useState<TemplateName | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isTaken = taken !== null && taken.templateId === id;
  const create = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setChecked(true);
    if (idFault(id) !== null || isTaken || isAsking) return;
    setAsking(true);
    setError(null);
    try {
      const found = await findSummary(id);
      setTaken(found);
      if (found !== null) return;
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      return;
    } finally {
      setAsking(false);
    }
    // The name tells the editor that the template was asked for.
    const query = `?name=${encodeURIComponent(name.trim() || id)}`;
    navigate(`/templates/${encodeURIComponent(id)}/edit${query}`);
  };
  return (
    <Dialog title={t('templates.new')} onClose={onClose}>
      <form class="body" onSubmit={(event) => void create(event)} noValidate>
        <IdInput id="new-id" value={id} isChecked={isChecked} isTaken={isTaken} onChange={setId} />
        <NameInput name={name} onChange={setName} />
        {isTaken ? <Taken template={taken} /> : null}
        {error === null ? null : <ErrorNotice error={error} />}
        <div class="dialog-actions">
          <Button kind="main" type="submit" busy={isAsking} disabled={isTaken}>
            {t('templates.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface NameInputProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
}

function NameInput({ name, onChange }: NameInputProps) {
  return (
    <div class="field">
      <label for="new-name">{t('templates.name')}</label>
      <input
        id="new-name"
        class="input"
        autocomplete="off"
        value={name}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="hint">{t('templates.name_hint')}</p>
    </div>
  );
}

export function Taken({ template }: { readonly template: TemplateName }) {
  const name = template.name || template.templateId;
  return (
    <Notice tone="warn" title={t('templates.taken', { name })}>
      <p>{t('templates.taken_hint')}</p>
      <Link class="button" to={`/templates/${encodeURIComponent(template.templateId)}`}>
        {t('templates.taken_open', { name })}
      </Link>
    </Notice>
  );
}
