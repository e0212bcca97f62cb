import { useQuery } from '@tanstack/react-query';
import { aboutQuery } from '@/lib/api/setup-queries';

/** 24 × 24, in the colour of the text. */
const LOGOS = [
  {
    network: 'twitter',
    name: 'Twitter',
    path: 'M14.2 10.2 22.7.5h-2l-7.4 8.4L7.4.5H.6l8.9 12.8L.6 23.5h2l7.8-8.9 6.2 8.9h6.8zM11.4 13.3l-.9-1.3L3.3 2h3.1l5.8 8.2.9 1.3 7.6 10.6h-3.1z',
  },
  {
    network: 'facebook',
    name: 'Facebook',
    path: 'M24 12a12 12 0 1 0-13.9 11.9v-8.4h-3V12h3V9.4c0-3 1.8-4.7 4.5-4.7 1.3 0 2.7.2 2.7.2v3h-1.5c-1.5 0-2 .9-2 1.9V12h3.4l-.5 3.5h-2.8v8.4A12 12 0 0 0 24 12z',
  },
  {
    network: 'linkedin',
    name: 'LinkedIn',
    path: 'M20.4 20.5h-3.6v-5.6c0-1.3 0-3-1.8-3s-2.1 1.5-2.1 2.9v5.7H9.3V9h3.4v1.6h.1c.5-.9 1.6-1.9 3.4-1.9 3.6 0 4.3 2.4 4.3 5.5zM5.3 7.4a2.1 2.1 0 1 1 0-4.1 2.1 2.1 0 0 1 0 4.1zM7.1 20.5H3.6V9h3.6zM22.2 0H1.8C.8 0 0 .8 0 1.7v20.6c0 .9.8 1.7 1.8 1.7h20.4c1 0 1.8-.8 1.8-1.7V1.7C24 .8 23.2 0 22.2 0z',
  },
  {
    network: 'instagram',
    name: 'Instagram',
    path: 'M7 1h10a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6H7a6 6 0 0 1-6-6V7a6 6 0 0 1 6-6zm0 2.2A3.8 3.8 0 0 0 3.2 7v10A3.8 3.8 0 0 0 7 20.8h10a3.8 3.8 0 0 0 3.8-3.8V7A3.8 3.8 0 0 0 17 3.2zm5 3.1a5.7 5.7 0 1 1 0 11.4 5.7 5.7 0 0 1 0-11.4zm0 2.2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zm5.9-3.8a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6z',
  },
  {
    network: 'youtube',
    name: 'YouTube',
    path: 'M4 4h16a4 4 0 0 1 4 4v8a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4zm5.6 4.4v7.2l6.2-3.6z',
  },
] as const;

/** The installation's own profiles, as far as its operator named any. */
export function Profiles({ className }: { readonly className: string }) {
  const profiles = useQuery(aboutQuery).data?.profiles;
  return LOGOS.map(({ network, name, path }) => {
    const url = profiles?.[network];
    return url ? (
      <li key={network}>
        <a href={url} target="_blank" rel="noopener noreferrer" aria-label={name} className={className}>
          <svg aria-hidden viewBox="0 0 24 24" className="size-4 fill-current">
            <path d={path} />
          </svg>
        </a>
      </li>
    ) : null;
  });
}
