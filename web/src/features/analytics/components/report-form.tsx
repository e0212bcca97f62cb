import type { ReactNode } from 'react';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ScheduleReport } from '@/lib/api/request-schemas';
import { toast, toastWith } from '@/stores/toasts';
import { previewReport, saveSchedule, type ParameterValues, type ReportContent, type Schedule } from '../api/reports';
import { DAYS, DEFAULT_SCHEDULE, HOURS, hourText, periodText, scheduleText, WEEKDAYS } from '../lib/report-times';

const PREVIEW_MS = 10_000;

type ScheduledReport = Schedule & {
  readonly id: string;
  readonly queryId: string | null;
  readonly parameters: ParameterValues;
};

export type ParameterFields = (
  queryId: string,
  values: ParameterValues,
  onChange: (name: string, value: string) => void,
) => ReactNode;

interface Props {
  /** What a new report is about, or the report whose schedule changes. */
  readonly of: { readonly content: ReportContent } | { readonly report: ScheduledReport };
  /** Fields for the values of a query's parameters. */
  readonly parameters?: ParameterFields;
  /** Where the hour is read: the zone of the website, or words for the person's own. */
  readonly timezone: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** When a report is emailed, and with which values. A new one offers a preview. */
export function ReportForm({ of, parameters, timezone, onDone, onCancel }: Props) {
  const queryId = queryOf(of);
  const preview = useCommand(previewReport(false));
  const form = useRequestForm({
    request: ScheduleReport,
    initial: 'report' in of ? begunWith(of.report, of.report.parameters) : begunWith(DEFAULT_SCHEDULE, {}),
    command: useCommand(saveSchedule, {
      onSuccess: (id, { schedule }) => {
        const when = scheduleText(schedule);
        const action = { label: 'Send preview', run: () => preview.mutate(id ?? '') };
        if (id) toastWith('Report scheduled', when, action, PREVIEW_MS);
        else toast('Schedule saved', when);
        onDone();
      },
    }),
    input: ({ parameters: values, ...given }) => ({
      of: 'content' in of ? of.content : of.report.id,
      schedule: scheduleOf(given),
      ...('content' in of || queryId ? { parameters: values } : {}),
    }),
  });
  const { parameters: given, ...schedule } = form.values;
  return (
    <Form form={form} native className="flex flex-col gap-3">
      <FormError form={form} prefix="Could not save the report" />
      <SelectField label="How often" hint={periodText(scheduleOf(schedule))} {...form.field('every')}>
        <option value="weekly">Weekly</option>
        <option value="monthly">Monthly</option>
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        {schedule.every === 'weekly' ? (
          <SelectField label="Weekday" {...form.field('weekday')}>
            {WEEKDAYS.map((name, number) => (
              <option key={name} value={number}>
                {name}
              </option>
            ))}
          </SelectField>
        ) : (
          <SelectField label="Day of the month" {...form.field('day')}>
            {DAYS.map((day) => (
              <option key={day} value={day}>
                {day}
              </option>
            ))}
          </SelectField>
        )}
        <SelectField label="Time" {...form.field('hour')}>
          {HOURS.map((hour) => (
            <option key={hour} value={hour}>
              {hourText(hour)}
            </option>
          ))}
        </SelectField>
      </div>
      {queryId !== null &&
        parameters?.(queryId, given, (name, value) => form.set('parameters')({ ...given, [name]: value }))}
      <p className="text-[0.8125rem] text-muted">Times are in {timezone}. The email goes to your own address.</p>
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton form={form}>{'content' in of ? 'Schedule email' : 'Save'}</SubmitButton>
      </div>
    </Form>
  );
}

function queryOf(of: Props['of']): string | null {
  if ('report' in of) return of.report.queryId;
  return 'queryId' in of.content ? of.content.queryId : null;
}

/** Its numbers are texts of the form. */
const begunWith = ({ every, weekday, day, hour }: Schedule, parameters: ParameterValues) => ({
  every,
  weekday: String(weekday),
  day: String(day),
  hour: String(hour),
  parameters,
});

const scheduleOf = ({ every, weekday, day, hour }: Omit<ReturnType<typeof begunWith>, 'parameters'>): Schedule => ({
  every,
  weekday: Number(weekday),
  day: Number(day),
  hour: Number(hour),
});
