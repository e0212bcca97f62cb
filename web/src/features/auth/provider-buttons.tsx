import { useQuery } from '@tanstack/react-query';
import { buttonClass } from '@/components/ui/button';
import { providersQuery, PROVIDERS } from './providers';

/** Sign-in by somebody else: a navigation of the browser, not a call. */
export function ProviderButtons() {
  const configured = useQuery(providersQuery).data;
  const missing = configured ? PROVIDERS.filter(({ id }) => !configured.includes(id)) : [];
  return (
    <section aria-label="Other ways to sign in" className="mt-6">
      <p aria-hidden className="mb-4 flex items-center gap-3 text-[0.8125rem] text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        Or continue with
      </p>
      <ul className="grid grid-cols-2 gap-2">
        {PROVIDERS.map(({ id, name }) => (
          <li key={id}>
            {configured?.includes(id) ? (
              <a href={`/api/platform/auth/${id}`} className={buttonClass({}, 'w-full')}>
                {name}
              </a>
            ) : (
              <button type="button" disabled className={buttonClass({}, 'w-full')} {...(configured ? { 'aria-describedby': 'unconfigured' } : {})}>
                {name}
              </button>
            )}
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <p id="unconfigured" className="mt-3 text-[0.8125rem] text-muted">
          {sentence(missing.map(({ name }) => name))} not set up on this installation.
        </p>
      )}
    </section>
  );
}

function sentence(names: readonly string[]): string {
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
  return `Sign-in with ${list} is`;
}
