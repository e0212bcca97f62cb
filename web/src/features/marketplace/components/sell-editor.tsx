import { Check, CircleAlert, CloudUpload } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import { createSaver, type Saver, type SaveState } from '@/lib/api/saver';
import { toast } from '@/stores/toasts';
import { Ask } from './action-confirmation';
import { ListingBadge } from './badges';
import { saveChanges, submitListing, writeListing } from '../api/selling';
import { draftOf, fieldsOf, isAtRest, missingIn, withSaved, type Draft, type Faults } from '../lib/draft';
import { ImagesStep } from './images-step';
import { PreviewStep } from './preview-step';
import { useMarketChanged } from '../hooks/use-market-changed';
import { NumbersStep, WebsiteStep } from './sell-fields';
import { LISTING_STATES } from '../lib/format';
import { stepOfField, STEPS, type StepId } from '../lib/sell-steps';
import type { ListingFields, ListingInFull } from '../lib/types';
import { forgetUnsaved, keepUnsaved, placeOf, readUnsaved } from '../lib/unsaved';
import { VerificationStep } from './verification-step';

interface Props {
  readonly listing: ListingInFull;
  readonly step: StepId;
  readonly onStep: (step: StepId) => void;
  readonly onSubmitted: () => void;
  /** The newest of it is to be loaded: it was changed in another window. */
  readonly onReload: () => void;
}

const TYPING_MS = 800;

/** The editor in steps with autosave; a public listing changes only on "Save changes". */
export function SellEditor({ listing, step, onStep, onSubmitted, onReload }: Props) {
  const changed = useMarketChanged();
  const [place] = useState(() => placeOf(listing.id));
  const [unsaved] = useState(() => readUnsaved(place, listing.edition ?? 1, draftOf(listing)));
  const [draft, setDraft] = useState(() => unsaved ?? draftOf(listing));
  const [images, setImages] = useState<readonly string[]>(() => listing.images.map((image) => image.hash));
  const [refused, setRefused] = useState<Faults>({});
  const atRest = isAtRest(listing.status);
  const [saver] = useState(() =>
    createSaver({
      edition: listing.edition ?? 1,
      value: fieldsOf(draftOf(listing)).fields,
      conflict: 'changed_elsewhere',
      delayMs: atRest ? TYPING_MS : null,
      write: (fields, edition) => writeListing(listing.id, fields, edition),
    }),
  );
  const saved = useSyncExternalStore(saver.subscribe, saver.state);
  usePersistedDraft(place, saver, saved, draft, atRest);
  useEffect(() => {
    if (unsaved) update(saver, unsaved);
  }, [saver, unsaved]);
  const { fields, faults } = fieldsOf(draft);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    setRefused({});
    update(saver, next);
  };
  const missing = { ...faults, ...missingIn(fields) };
  const submit = useCommand(submitListing(listing.id), {
    onSuccess: onSubmitted,
    onError: (error) => {
      if (error instanceof ApiError) setRefused(error.fields as Faults);
    },
  });
  const submitComplete = () => {
    if (Object.keys(missing).length > 0) setRefused(missing);
    else submit.mutate(saver.flush);
  };
  const saveFaults = saved.error instanceof ApiError ? (saved.error.fields as Faults) : {};
  const shown = { ...refused, ...saveFaults, ...faults };
  const index = STEPS.findIndex((item) => item.id === step);
  const next = STEPS[index + 1];
  const before = STEPS[index - 1];
  const fieldProps = { draft, faults: shown, onChange: change, onBlur: () => void (atRest && saver.flush()) };
  return (
    <div className="flex flex-col gap-5">
      <Progress
        listing={listing}
        saved={saved}
        isWrong={Object.keys(faults).length > 0}
        atRest={atRest}
        saver={saver}
        onReload={onReload}
      />
      <Steps current={step} faults={shown} onStep={onStep} />
      <Card title={STEPS[index]?.label ?? ''} description={STEPS[index]?.text}>
        {step === 'website' && <WebsiteStep {...fieldProps} />}
        {step === 'figures' && <NumbersStep {...fieldProps} />}
        {step === 'images' && (
          <ImagesStep
            id={listing.id}
            saver={saver}
            isOnline={listing.status === 'active'}
            images={images}
            onChange={(hashes) => {
              setImages(hashes);
              if (!atRest) void changed();
            }}
          />
        )}
        {step === 'verification' && <VerificationStep {...fieldProps} listing={listing} saver={saver} />}
        {step === 'preview' && (
          <PreviewStep
            listing={listing}
            fields={fields}
            images={images}
            missing={missing}
            onField={(name) => onStep(stepOfField(name))}
            submit={atRest ? { mutate: submitComplete, isPending: submit.isPending, error: submit.error } : null}
          />
        )}
        <div className="mt-6 flex justify-between gap-2 border-t border-line pt-4">
          {before ? <Button onClick={() => onStep(before.id)}>Back</Button> : <span />}
          {next && (
            <Button variant="primary" onClick={() => onStep(next.id)}>
              {`Next: ${next.label}`}
            </Button>
          )}
        </div>
      </Card>
    </div>
  );
}

function update(saver: Saver<ListingFields>, draft: Draft): void {
  const { fields, faults } = fieldsOf(draft);
  saver.change(withSaved(fields, faults, saver.kept()));
}

/** Nothing typed is lost by leaving: a draft is kept on the way out, and what others see already waits in this browser
 *  for the button that changes it. Closing the window asks first. */
function usePersistedDraft(
  place: string,
  saver: Saver<ListingFields>,
  saved: SaveState,
  draft: Draft,
  atRest: boolean,
): void {
  useEffect(() => {
    if (saved.status === 'saved') forgetUnsaved(place);
    else keepUnsaved(place, saver.edition(), draft);
  }, [place, saver, saved, draft]);
  useEffect(() => () => void leave(saver, atRest), [saver, atRest]);
  const open = saved.status !== 'saved';
  useEffect(() => {
    if (!open) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [open]);
}

async function leave(saver: Saver<ListingFields>, atRest: boolean): Promise<void> {
  const { status } = saver.state();
  if (status === 'saved' || status === 'conflict') return;
  if (atRest && (await saver.flush())) return;
  toast('Changes not saved yet', 'They are stored in this browser: edit the listing again to save them.');
}

interface ProgressProps {
  readonly listing: ListingInFull;
  readonly saved: SaveState;
  readonly isWrong: boolean;
  readonly atRest: boolean;
  readonly saver: Saver<ListingFields>;
  readonly onReload: () => void;
}

function Progress({ listing, saved, isWrong, atRest, saver, onReload }: ProgressProps) {
  const [asking, setAsking] = useState(false);
  const save = useCommand(saveChanges, { onSuccess: () => setAsking(false) });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ListingBadge status={listing.status} />
        <p className="min-w-0 flex-1 basis-52 text-muted">
          {listing.reason
            ? `${LISTING_STATES[listing.status].text} Reason: ${listing.reason}`
            : LISTING_STATES[listing.status].text}
        </p>
        <p
          role="status"
          className={cx(
            'inline-flex items-center gap-1.5 text-[0.8125rem]',
            saved.status === 'failed' || isWrong ? 'text-bad' : 'text-muted',
          )}
        >
          <SaveStatusText status={saved.status} isWrong={isWrong} />
        </p>
        {!atRest && saved.status !== 'saved' && (
          <Button
            variant="primary"
            size="sm"
            busy={save.isPending}
            disabled={isWrong}
            onClick={() => (listing.status === 'active' ? setAsking(true) : save.mutate(saver.flush))}
          >
            Save changes
          </Button>
        )}
      </div>
      {saved.status === 'failed' && (
        <ErrorBox error={saved.error} prefix="Not saved" onRetry={() => void saver.flush()} />
      )}
      {saved.status === 'conflict' && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-warn-soft px-4 py-3 text-warn"
        >
          <p className="min-w-0 flex-1">{messageOf(saved.error)}</p>
          <Button size="sm" onClick={onReload}>
            Load the latest version
          </Button>
        </div>
      )}
      {asking && (
        <Ask
          title="Change a listing that is online?"
          action="Save changes"
          doing={save}
          onConfirm={() => save.mutate(saver.flush)}
          onClose={() => setAsking(false)}
          description="A new price applies immediately. Any other change takes the listing offline until an admin approves it."
        />
      )}
    </div>
  );
}

function SaveStatusText({ status, isWrong }: { readonly status: SaveState['status']; readonly isWrong: boolean }) {
  if (isWrong) {
    return (
      <>
        <CircleAlert aria-hidden className="size-4" />
        Fix the highlighted fields to save
      </>
    );
  }
  if (status === 'saved') {
    return (
      <>
        <Check aria-hidden className="size-4" />
        All changes saved
      </>
    );
  }
  if (status === 'failed' || status === 'conflict') return <>Not saved</>;
  return (
    <>
      <CloudUpload aria-hidden className="size-4" />
      {status === 'saving' ? 'Saving…' : 'Not saved yet'}
    </>
  );
}

function Steps({
  current,
  faults,
  onStep,
}: {
  readonly current: StepId;
  readonly faults: Faults;
  readonly onStep: (step: StepId) => void;
}) {
  const marked = new Set(Object.keys(faults).map((name) => stepOfField(name)));
  return (
    <nav aria-label="Steps">
      <ol className="flex flex-wrap gap-1.5">
        {STEPS.map((step, index) => (
          <li key={step.id}>
            <button
              type="button"
              aria-current={step.id === current ? 'step' : undefined}
              onClick={() => onStep(step.id)}
              className={cx(
                'inline-flex items-center gap-2 rounded-lg border px-3 py-1.5 font-medium transition-colors',
                step.id === current
                  ? 'border-brand bg-brand-soft text-brand'
                  : 'border-line bg-surface text-muted hover:text-text',
              )}
            >
              <span aria-hidden className="tabular">
                {index + 1}
              </span>
              {step.label}
              {marked.has(step.id) && (
                <CircleAlert aria-label="needs attention" role="img" className="size-4 text-bad" />
              )}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
