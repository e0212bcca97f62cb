import { useQuery } from '@tanstack/react-query';
import { buttonClass } from '@/components/ui/button';
import { PROVIDERS, providersQuery } from '@/lib/session/sign-in-providers';

/** Sign-in with a provider: a browser navigation, not a request. */
export function ProviderButtons({ next }: { readonly next: string | undefined }) {
  const providers = useQuery(providersQuery).data;
  const missing = providers?.filter((item) => !item.isConfigured) ?? [];
  return (
    <section aria-label="Other ways to sign in" className="mt-6">
      <p
        aria-hidden
        className="mb-4 flex items-center gap-3 text-[0.8125rem] text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
      >
        Or continue with
      </p>
      <ul className="grid grid-cols-2 gap-2">
        {(providers ?? PROVIDERS).map(({ name, label }) => (
          <li key={name}>
            {providers?.find((item) => item.name === name)?.isConfigured ? (
              <a
                href={`/api/platform/auth/${name}${next ? `?next=${encodeURIComponent(next)}` : ''}`}
                className={buttonClass({}, 'w-full')}
              >
                {label}
              </a>
            ) : (
              <button
                type="button"
                disabled
                className={buttonClass({}, 'w-full')}
                {...(providers ? { 'aria-describedby': 'unconfigured' } : {})}
              >
                {label}
              </button>
            )}
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <p id="unconfigured" className="mt-3 text-[0.8125rem] text-muted">
          {`Sign-in with ${new Intl.ListFormat('en').format(missing.map((item) => item.label))} is not set up on this installation.`}
        </p>
      )}
    </section>
  );
}
