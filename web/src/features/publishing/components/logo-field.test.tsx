import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { http, json } from '@/test/http';
import { renderPart, signIn } from '@/test/render';
import { server } from '@/test/server';
import { LogoField } from './logo-field';

const LOGO = { hash: 'd'.repeat(64), alt: '', is_decorative: true, width: 400, height: 100 };

test('an uploaded logo is used at once: the name beside it says what it shows', async () => {
  signIn();
  const onChange = vi.fn();
  server.use(
    http.post('/api/platform/sites/{id}/images', () =>
      json({ hash: LOGO.hash, width: 400, height: 100 }, { status: 201 }),
    ),
  );
  renderPart(<LogoField siteId="s1" value={null} error={undefined} onChange={onChange} />);
  const file = new File(['picture'], 'logo.png', { type: 'image/png' });
  fireEvent.change(screen.getByLabelText('Image file'), { target: { files: [file] } });
  await waitFor(() => expect(onChange).toHaveBeenCalledWith(LOGO));
});

test('a file that is no picture is named and not used', async () => {
  signIn();
  const onChange = vi.fn();
  renderPart(<LogoField siteId="s1" value={null} error={undefined} onChange={onChange} />);
  const file = new File(['text'], 'logo.svg', { type: 'image/svg+xml' });
  fireEvent.change(screen.getByLabelText('Image file'), { target: { files: [file] } });
  expect(await screen.findByText(/“logo.svg” is not a JPEG, PNG or WebP image/)).toBeInTheDocument();
  expect(onChange).not.toHaveBeenCalled();
});

test('a logo is shown, and can be removed', async () => {
  const onChange = vi.fn();
  const { user } = renderPart(<LogoField siteId="s1" value={LOGO} error="The logo is gone." onChange={onChange} />);
  expect(screen.getByRole('img', { name: 'Logo' })).toHaveAttribute('src', `/api/platform/sites/images/${LOGO.hash}`);
  expect(screen.getByRole('alert')).toHaveTextContent('The logo is gone.');
  await user.click(screen.getByRole('button', { name: 'Remove logo' }));
  expect(onChange).toHaveBeenCalledWith(null);
});
