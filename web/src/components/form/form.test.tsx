// The bounds of a form come from the OpenAPI document.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { SelectField, TextField } from '@/components/ui/field';
import { command, useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Request } from '@/lib/api/request';
import { SaveQuery } from '@/lib/api/request-schemas';
import { faultsIn, trimmed } from '@/lib/form/rules';
import { Form, FormError, SubmitButton } from './form';
import { useRequestForm } from './use-request-form';

const DAYS: Request<'ProgramGiven'> = { cookieDays: { minimum: 0, maximum: 3650 }, url: { pattern: '^https://' } };
const messageOf = (values: object, bounds: object): string | undefined =>
  Object.values(faultsIn(values, bounds as never, {}))[0];

test('a bound of the document is a rule of the form, and an optional field may stay empty', () => {
  expect(SaveQuery.title).toEqual({ minLength: 1, maxLength: 120, required: true });
  expect(messageOf({ title: ' ' }, SaveQuery)).toBe('Please fill in this field');
  expect(messageOf({ title: 'x'.repeat(121) }, SaveQuery)).toBe('Please use at most 120 characters');
  expect(messageOf({ title: 'x'.repeat(120) }, SaveQuery)).toBeUndefined();
  expect(messageOf({ title: 'ab' }, { title: { minLength: 3 } })).toBe('Please use at least 3 characters');
  expect(messageOf({ cookieDays: '3651', url: '' }, DAYS)).toBe('Please enter 3,650 or less');
  expect(messageOf({ cookieDays: '-1', url: '' }, DAYS)).toBe('Please enter 0 or more');
  expect(messageOf({ cookieDays: 'x', url: '' }, DAYS)).toBe('Please enter a number');
  expect(messageOf({ cookieDays: '30', url: 'ftp://' }, DAYS)).toBe('This does not have the right format');
  expect(messageOf({ cookieDays: '', url: '' }, DAYS)).toBeUndefined();
});

test('texts are trimmed, secrets are not', () => {
  expect(trimmed({ title: ' a ', password: ' a ' })).toEqual({ title: 'a', password: ' a ' });
});

test('what the server rejects shows at its field, anything else below', async () => {
  const send = vi.fn();
  const save = command({ send: (values: { readonly title: string }) => send(values) as Promise<void> });
  function Saving() {
    const form = useRequestForm({ request: SaveQuery, initial: { title: '' }, command: useCommand(save) });
    return (
      <Form form={form}>
        <TextField label="Title" {...form.field('title')} />
        <FormError form={form} />
        <SubmitButton form={form}>Save</SubmitButton>
      </Form>
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Saving />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  const title = screen.getByLabelText('Title');
  expect(title).toHaveAttribute('maxlength', '120');
  expect(title).toBeRequired();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(title).toHaveAccessibleDescription('Please fill in this field');
  expect(title).toHaveFocus();
  expect(send).not.toHaveBeenCalled();
  send.mockRejectedValueOnce(new ApiError(422, 'Refused.', 'invalid', { title: 'Taken.' }));
  await user.type(title, ' Sales {Enter}');
  expect(send).toHaveBeenCalledWith({ title: 'Sales' });
  expect(title).toHaveAccessibleDescription('Taken.');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  send.mockRejectedValueOnce(new ApiError(503, 'Later.'));
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('Later.');
  expect(title).not.toHaveAccessibleDescription();
});

test('a rule looks at the other values as they are now, and what is handed on is sent by no command', async () => {
  const take = vi.fn();
  function Paying() {
    const form = useRequestForm({
      initial: { currency: 'USD', amount: '', months: [] as string[] },
      rules: ({ currency }) => ({
        amount: (text) => (text ? undefined : `Please enter an amount in ${currency}`),
        months: (months) => (months.length > 0 ? undefined : 'Choose a month'),
      }),
      onSubmit: take,
    });
    return (
      <Form form={form}>
        <input
          type="checkbox"
          aria-label="January"
          aria-invalid={Boolean(form.fault('months'))}
          checked={form.values.months.length > 0}
          onChange={() => form.set('months')(['2026-01'])}
        />
        {form.fault('months')}
        <SelectField label="Currency" {...form.field('currency')}>
          <option>USD</option>
          <option>EUR</option>
        </SelectField>
        <TextField label="Amount" {...form.field('amount')} />
        <SubmitButton form={form}>Pay</SubmitButton>
      </Form>
    );
  }
  render(<Paying />);
  const user = userEvent.setup();
  const amount = screen.getByLabelText('Amount');
  await user.click(screen.getByRole('button', { name: 'Pay' }));
  expect(amount).toHaveAccessibleDescription('Please enter an amount in USD');
  expect(screen.getByText('Choose a month')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByLabelText('January')).toHaveFocus());
  await user.selectOptions(screen.getByLabelText('Currency'), 'EUR');
  expect(amount).toHaveAccessibleDescription('Please enter an amount in EUR');
  await user.click(screen.getByLabelText('January'));
  expect(screen.queryByText('Choose a month')).not.toBeInTheDocument();
  await user.type(amount, ' 5 ');
  expect(amount).not.toHaveAccessibleDescription();
  expect(take).not.toHaveBeenCalled();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(take).toHaveBeenCalledWith({ currency: 'EUR', amount: '5', months: ['2026-01'] }));
});

test('what the server rejected is forgotten at the next input, where the form says so', async () => {
  const send = vi.fn().mockRejectedValue(new ApiError(422, 'Refused.', 'invalid', { base: 'Unknown.' }));
  const save = command({
    send: (values: { readonly base: string; readonly quote: string }) => send(values) as Promise<void>,
  });
  function Adding() {
    const adding = useCommand(save);
    const form = useRequestForm({ initial: { base: '', quote: '' }, command: adding, forget: adding.reset });
    return (
      <Form form={form}>
        <TextField label="From" {...form.field('base')} />
        <TextField label="To" {...form.field('quote')} />
        <SubmitButton form={form}>Add</SubmitButton>
      </Form>
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Adding />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await waitFor(() => expect(screen.getByLabelText('From')).toHaveAccessibleDescription('Unknown.'));
  await user.type(screen.getByLabelText('To'), 'U');
  expect(screen.getByLabelText('From')).not.toHaveAccessibleDescription();
});

test('a rule may depend on another field, and what it says goes with it', async () => {
  const send = vi.fn<(values: { reason: string; note: string }) => Promise<void>>(() => Promise.resolve());
  function Dismissing() {
    const form = useRequestForm({
      initial: { reason: 'other', note: '' },
      rules: ({ reason }) => (reason === 'other' ? { note: { missing: 'Enter the reason.' } } : {}),
      command: useCommand(command({ send })),
    });
    return (
      <Form form={form}>
        <TextField label="Reason" {...form.field('reason')} />
        <TextField label="Note" {...form.field('note')} />
        <SubmitButton form={form}>Dismiss</SubmitButton>
      </Form>
    );
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Dismissing />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.getByLabelText('Note')).toHaveAccessibleDescription('Enter the reason.');
  expect(send).not.toHaveBeenCalled();
  await user.type(screen.getByLabelText('Reason'), 's');
  expect(screen.getByLabelText('Note')).not.toHaveAccessibleDescription();
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(send).toHaveBeenCalledOnce();
});
