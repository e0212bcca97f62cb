// Title, path and description of a page, and the dialog that adds one.
import { useState } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextField } from '@/components/ui/field';
import type { SitePage } from '../lib/document';
import type { SiteFaults } from './site-editor';

interface PageDialogProps {
  readonly page: SitePage;
  readonly faults: SiteFaults;
  readonly at: string;
  readonly isInMenu: boolean;
  readonly canJoinMenu: boolean;
  readonly onClose: () => void;
  readonly onChange: (page: SitePage, field: string) => void;
  readonly onMenu: (shown: boolean) => void;
  readonly onRemove: () => void;
}

export function PageDialog({
  page,
  faults,
  at,
  isInMenu,
  canJoinMenu,
  onClose,
  onChange,
  onMenu,
  onRemove,
}: PageDialogProps) {
  const [removing, setRemoving] = useState(false);
  const isHome = page.path === '' && faults[`${at}.path`] === undefined;
  const [wasHome] = useState(isHome);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Page"
      description="Changes are saved automatically."
    >
      <div className="flex flex-col gap-4">
        <TextField
          label="Title"
          hint="For browsers, search engines and previews"
          maxLength={120}
          value={page.title}
          error={faults[`${at}.title`]}
          onChange={(event) => onChange({ ...page, title: event.target.value }, 'title')}
        />
        <TextField
          label="Short title"
          hint="For the menu. Blank: the title"
          maxLength={40}
          value={page.short_title}
          error={faults[`${at}.short_title`]}
          onChange={(event) => onChange({ ...page, short_title: event.target.value }, 'short_title')}
        />
        {wasHome ? (
          <p className="text-muted">This is the home page: its path is empty.</p>
        ) : (
          <TextField
            label="Path"
            hint="Lowercase letters, digits and hyphens, at most three parts, such as reviews/tents"
            maxLength={120}
            value={page.path}
            error={faults[`${at}.path`]}
            onChange={(event) => onChange({ ...page, path: event.target.value }, 'path')}
          />
        )}
        <TextArea
          label="Description"
          hint="Search engines show it below the title."
          rows={3}
          maxLength={300}
          value={page.description}
          error={faults[`${at}.description`]}
          onChange={(event) => onChange({ ...page, description: event.target.value }, 'description')}
        />
        <Check label="Show in the menu" checked={isInMenu} disabled={!isInMenu && !canJoinMenu} onChange={onMenu} />
        <Check
          label="Let search engines list it"
          checked={page.is_indexed}
          onChange={(is_indexed) => onChange({ ...page, is_indexed }, 'is_indexed')}
        />
        <div className="flex justify-between gap-2">
          {!wasHome && <Button onClick={() => setRemoving(true)}>Remove page</Button>}
          <Button variant="primary" className="ml-auto" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
      {removing && (
        <ConfirmDialog
          title="Remove this page?"
          description="Links to it stop working when you publish. You can undo this, and restore an earlier version."
          action="Remove page"
          onClose={() => setRemoving(false)}
          onConfirm={onRemove}
        />
      )}
    </Dialog>
  );
}

export function AddPageDialog({
  onClose,
  onAdd,
}: {
  readonly onClose: () => void;
  readonly onAdd: (title: string) => void;
}) {
  const form = useRequestForm({
    initial: { title: '' },
    rules: { title: { maxLength: 120, missing: 'Enter a title' } },
    onSubmit: ({ title }) => onAdd(title),
  });
  return (
    <FormDialog form={form} title="Add page" action="Add page" onClose={onClose}>
      <TextField label="Title" {...form.field('title')} />
    </FormDialog>
  );
}
