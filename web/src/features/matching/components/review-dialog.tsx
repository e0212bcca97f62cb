import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { reviewProgram, type ProgramEntry } from '../api/directory';

const DAY_MS = 86_400_000;
const REVIEW_DAYS = 180;
const dayAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

export function ReviewDialog({ program, onClose }: { readonly program: ProgramEntry; readonly onClose: () => void }) {
  const form = useRequestForm({
    initial: { reviewOn: dayAfter(REVIEW_DAYS) },
    command: useCommand(reviewProgram(program), { onSuccess: onClose }),
    input: ({ reviewOn }) => reviewOn,
  });
  return (
    <FormDialog
      form={form}
      native
      title={`Review of ${program.companyName}`}
      description="Confirm that you checked every detail against the program's website and corrected errors."
      action="Mark as verified"
      onClose={onClose}
    >
      <p>
        <a href={program.url} target="_blank" rel="noopener noreferrer" className="break-all text-brand underline">
          {program.url}
        </a>
      </p>
      <TextField type="date" label="Next review" {...form.field('reviewOn')} required />
    </FormDialog>
  );
}
