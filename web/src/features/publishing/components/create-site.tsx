import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { Check } from '@/components/ui/check';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { NewSite } from '@/lib/api/request-schemas';
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
  const listed = start?.links ?? null;
  const article = start?.article ?? null;
  const [isSlugOwn, setSlugOwn] = useState(false);
  const slugIn = (values: { readonly name: string; readonly slug: string }) =>
    isSlugOwn ? values.slug : slugOf(values.name);
  const form = useRequestForm({
    request: NewSite,
    initial: {
      name: start?.name ?? '',
      slug: '',
      websiteId: listed?.websiteId ?? websites[0]?.id ?? '',
      niche: start?.niche ?? (null as Niche | null),
      isDrafted: true,
    },
    rules: {
      name: { maxLength: 80, missing: 'Enter a name' },
      slug: { maxLength: 64, required: false }, // until it is typed, it follows the name
      websiteId: { required: false },
    },
    command: useCommand(createSite),
    input: ({ isDrafted, ...values }) => ({
      ...values,
      slug: slugIn(values),
      links: listed ? [...listed.ids] : null,
      article: isDrafted ? article : null,
    }),
    onSent: ({ id, pageId }) => onCreated(id, pageId),
  });
  const { niche, isDrafted } = form.values;
  const slug = slugIn(form.values);
  return (
    <FormDialog
      form={form}
      title="Create site"
      description="Private until you publish."
      action="Create site"
      prefix="Failed to create the site"
      onClose={onClose}
    >
      <TextField label="Name" {...form.field('name')} />
      <TextField
        label="Address"
        hint={`Visitors find it at /sites/${slug || '…'}/. You can add a custom domain later.`}
        maxLength={64}
        value={slug}
        error={form.fault('slug')}
        onChange={(event) => {
          setSlugOwn(true);
          form.set('slug')(event.target.value);
        }}
      />
      {websites.length > 1 && !listed && (
        <SelectField
          label="Website"
          hint="Its analytics show the views, clicks and sales of the site."
          {...form.field('websiteId')}
        >
          {websites.map(({ id, domain }) => (
            <option key={id} value={id}>
              {domain}
            </option>
          ))}
        </SelectField>
      )}
      {article && (
        <Check
          label={`Draft “${article.title}” with its outline`}
          checked={isDrafted}
          onChange={form.set('isDrafted')}
        />
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
                onChoose={() => form.set('niche')(starter.niche)}
                label={starter.label}
                text={`${starter.description} ${starter.pages.length} pages.`}
              />
            ))}
            {starters.data && (
              <Choice
                checked={niche === null}
                onChoose={() => form.set('niche')(null)}
                label="Empty site"
                text="Start from a blank page."
              />
            )}
          </div>
        </fieldset>
      )}
    </FormDialog>
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
