import { Link } from '@tanstack/react-router';
import { footer, type NavEntry } from '../navigation';
import { PRODUCT } from '../product';
import { Logo } from './logo';
import { SocialLinks } from './social';

export function Footer() {
  return (
    <footer className="mt-16 border-t border-line">
      <div className="mx-auto flex max-w-7xl flex-col gap-8 px-4 py-10 sm:px-6 lg:flex-row lg:justify-between">
        <div className="max-w-sm">
          <Logo />
          <p className="mt-2 text-muted">
            Everything for affiliate marketing in one place, on Iceland-based secure infrastructure.
          </p>
          <SocialLinks />
        </div>
        <div className="flex flex-wrap gap-x-16 gap-y-8">
          {footer.map((column) => (
            <nav key={column.title} aria-label={column.title}>
              <h2 className="font-semibold">{column.title}</h2>
              <ul className="mt-2 flex flex-col gap-1.5">
                {column.links.map((entry) => (
                  <li key={entry.label}>
                    <FooterLink entry={entry} />
                  </li>
                ))}
              </ul>
            </nav>
          ))}
        </div>
      </div>
      <p className="mx-auto max-w-7xl px-4 pb-8 text-[0.8125rem] text-muted sm:px-6">
        © 2024 {PRODUCT}. All rights reserved.
      </p>
    </footer>
  );
}

/** The same links in one line, below work pages. */
export function SlimFooter() {
  return (
    <footer className="mt-8 border-t border-line px-4 py-3 text-xs text-muted sm:px-6 print:hidden">
      <nav aria-label="Footer">
        <ul className="flex flex-wrap items-center gap-x-4">
          {footer
            .flatMap((column) => column.links)
            .map((entry) => (
              <li key={entry.label}>
                <FooterLink entry={entry} />
              </li>
            ))}
          <li className="whitespace-nowrap">© 2024 {PRODUCT}</li>
        </ul>
      </nav>
    </footer>
  );
}

function FooterLink({ entry }: { readonly entry: NavEntry }) {
  return (
    <Link
      to={entry.to}
      {...(entry.hash ? { hash: entry.hash } : {})}
      className="whitespace-nowrap text-muted hover:text-text hover:underline"
    >
      {entry.label}
    </Link>
  );
}
