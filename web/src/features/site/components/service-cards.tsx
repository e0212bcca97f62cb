import { Link } from '@tanstack/react-router';
import { Badge } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { Check } from './parts';
import { SERVICES } from '../lib/services';

/** The three services. Their buttons lead to the form with the service chosen. */
export function ServiceCards() {
  return (
    <ul className="grid gap-5 lg:grid-cols-3">
      {SERVICES.map((service) => (
        <li
          key={service.name}
          className={cx(surface, 'flex flex-col p-6', service.popular && 'border-brand ring-1 ring-brand')}
        >
          <div className="flex items-center justify-between gap-3">
            <h3 className="text-lg font-semibold">{service.name}</h3>
            {service.popular && <Badge tone="brand">Popular</Badge>}
          </div>
          <p className="mt-1 text-muted">{service.text}</p>
          <p className="mt-5 flex items-baseline gap-2">
            <span className="text-3xl font-semibold tracking-tight">{service.price}</span>
            <span className="text-muted">{service.terms}</span>
          </p>
          <ul className="mt-5 mb-7 flex flex-1 flex-col gap-2">
            {service.includes.map((text) => (
              <Check key={text}>{text}</Check>
            ))}
          </ul>
          <Link
            to="/consulting"
            search={{ service: service.name }}
            hash="inquiry"
            aria-label={`${service.button}: ${service.name}`}
            className={buttonClass({ variant: service.popular ? 'primary' : 'outline', size: 'lg' }, 'w-full')}
          >
            {service.button}
          </Link>
        </li>
      ))}
    </ul>
  );
}
