import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { createSite, startersQuery } from '../api/sites';
import type { SiteStart } from '../lib/site-start';
import { slugOf } from '../lib/slug';
import type { Niche } from '../lib/types';

interface Props {
  readonly websites: readonly Website[];
  /** What an idea or a channel gives the site to begin with. */
  readonly start?: SiteStart | undefined;
  readonly onClose: () => void;
  /** `pageId`: the page that was drafted. */
  readonly onCreated: (siteId: string, pageId: string | null) => void;
}

export function CreateSiteDialog({ websites, start, onClose, onCreated }: Props) {
  const starters = useQuery(startersQuery);
  const [name, setName] = useState(start?.name ?? '');
  const [slug, setSlug] = useState<string | null>(null);
  const listed = start?.links ?? null;
  const [websiteId, setWebsiteId] = useState(listed?.websiteId ?? websites[0]?.id ?? '');
  const [niche, setNiche] = useState<Niche | null>(start?.niche ?? null);
  const [isDrafted, setIsDrafted] = useState(true);
  const article = start?.article ?? null;
  const [isMissing, setIsMissing] = useState(false);
  const shownSlug = slug ?? slugOf(name);
  const create = useCommand(createSite);
  const links = listed ? [...listed.ids] : null;
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  const isAtField = fields['slug'] !== undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Create site"
      description="Nobody sees it before you publish it."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setIsMissing(name.trim() === '');
          if (name.trim() === '') return;
          create.mutate(
            { websiteId, name: name.trim(), slug: shownSlug, niche, links, article: isDrafted ? article : null },
            { onSuccess: ({ id, pageId }) => onCreated(id, pageId) },
          );
        }}
      >
        <TextField
          label="Name"
          maxLength={80}
          value={name}
          error={isMissing && name.trim() === '' ? 'Enter a name' : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Address"
          hint={`Visitors find it at /sites/${shownSlug || '…'}/. You can add a custom domain later.`}
          maxLength={64}
          value={shownSlug}
          error={fields['slug']}
          onChange={(event) => setSlug(event.target.value)}
        />
        {websites.length > 1 && !listed && (
          <SelectField
            label="Website"
            hint="Its analytics show the views, clicks and sales of the site."
            value={websiteId}
            onChange={(event) => setWebsiteId(event.target.value)}
          >
            {websites.map(({ id, domain }) => (
              <option key={id} value={id}>
                {domain}
              </option>
            ))}
          </SelectField>
        )}
        {article && (
          <Check label={`Draft “${article.title}” with its outline`} checked={isDrafted} onChange={setIsDrafted} />
        )}
        {listed ? (
          <p>{`A link-in-bio page: ${listed.ids.length === 1 ? 'the tracked link' : `the ${listed.ids.length} tracked links`} of the channel, and a disclosure. You can change everything.`}</p>
        ) : (
          <fieldset>
            <legend className="mb-1.5 font-medium">Template</legend>
            {starters.isPending && <Loading label="Loading templates" className="py-4" />}
            {starters.error && <ErrorBox error={starters.error} onRetry={() => void starters.refetch()} />}
            <div className="flex flex-col gap-2">
              {starters.data?.map((starter) => (
                <Choice
                  key={starter.niche}
                  checked={niche === starter.niche}
                  onChoose={() => setNiche(starter.niche)}
                  label={starter.label}
                  text={`${starter.description} ${starter.pages.length} pages.`}
                />
              ))}
              {starters.data && (
                <Choice
                  checked={niche === null}
                  onChoose={() => setNiche(null)}
                  label="Empty site"
                  text="One page without blocks."
                />
              )}
            </div>
          </fieldset>
        )}
        {create.error && !isAtField && <ErrorBox error={create.error} prefix="Failed to create the site" />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            Create site
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly label: string;
  readonly text: string;
}

function Choice({ checked, onChoose, label, text }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2.5 rounded-lg border border-line px-3 py-2 hover:bg-sunken has-checked:border-brand has-checked:bg-brand-soft">
      <input
        type="radio"
        name="template"
        className="mt-1 size-4 shrink-0 accent-brand"
        checked={checked}
        onChange={onChoose}
      />
      <span className="min-w-0">
        <span className="block font-medium">{label}</span>
        <span className="block text-[0.8125rem] text-muted">{text}</span>
      </span>
    </label>
  );
}
