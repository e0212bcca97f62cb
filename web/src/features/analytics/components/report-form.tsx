import { useState, type ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
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
  const [schedule, setSchedule] = useState<Schedule>('report' in of ? scheduleOf(of.report) : DEFAULT_SCHEDULE);
  const [values, setValues] = useState<ParameterValues>('report' in of ? of.report.parameters : {});
  const queryId = queryOf(of);
  const preview = useCommand(previewReport(false));
  const save = useCommand(saveSchedule, {
    onSuccess: (id) => {
      const when = scheduleText(schedule);
      if (id) toastWith('Report scheduled', when, { label: 'Send preview', run: () => preview.mutate(id) }, PREVIEW_MS);
      else toast('Schedule saved', when);
      onDone();
    },
  });
  const set = (changes: Partial<Schedule>) => setSchedule((before) => ({ ...before, ...changes }));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          of: 'content' in of ? of.content : of.report.id,
          schedule,
          ...('content' in of || queryId ? { parameters: values } : {}),
        });
      }}
    >
      {save.error && <ErrorBox error={save.error} prefix="Could not save the report" />}
      <SelectField
        label="How often"
        hint={periodText(schedule)}
        value={schedule.every}
        onChange={(event) => set({ every: event.target.value === 'monthly' ? 'monthly' : 'weekly' })}
      >
        <option value="weekly">Weekly</option>
        <option value="monthly">Monthly</option>
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        {schedule.every === 'weekly' ? (
          <SelectField
            label="Weekday"
            value={String(schedule.weekday)}
            onChange={(event) => set({ weekday: Number(event.target.value) })}
          >
            {WEEKDAYS.map((name, number) => (
              <option key={name} value={number}>
                {name}
              </option>
            ))}
          </SelectField>
        ) : (
          <SelectField
            label="Day of the month"
            value={String(schedule.day)}
            onChange={(event) => set({ day: Number(event.target.value) })}
          >
            {DAYS.map((day) => (
              <option key={day} value={day}>
                {day}
              </option>
            ))}
          </SelectField>
        )}
        <SelectField
          label="Time"
          value={String(schedule.hour)}
          onChange={(event) => set({ hour: Number(event.target.value) })}
        >
          {HOURS.map((hour) => (
            <option key={hour} value={hour}>
              {hourText(hour)}
            </option>
          ))}
        </SelectField>
      </div>
      {queryId !== null &&
        parameters?.(queryId, values, (name, value) => setValues((before) => ({ ...before, [name]: value })))}
      <p className="text-[0.8125rem] text-muted">Times are in {timezone}. The email goes to your own address.</p>
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {'content' in of ? 'Schedule email' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

function queryOf(of: Props['of']): string | null {
  if ('report' in of) return of.report.queryId;
  return 'queryId' in of.content ? of.content.queryId : null;
}

const scheduleOf = ({ every, weekday, day, hour }: Schedule): Schedule => ({ every, weekday, day, hour });
