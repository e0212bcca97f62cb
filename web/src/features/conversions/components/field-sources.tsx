import { Link } from '@tanstack/react-router';
import type { Explanation } from '@/lib/api/types';
import { networkOf } from '@/lib/networks/postback';

type FieldSource = Explanation['sources'][number];

const FIELDS: Readonly<Record<FieldSource['field'], string>> = {
  amount: 'Sale amount',
  payout: 'Commission',
  status: 'Status',
  occurred_at: 'Date',
  click_id: 'Click ID',
  coupon: 'Coupon',
  customer: 'Customer',
};

interface Props {
  readonly of: Pick<Explanation, 'sources' | 'lines'>;
  readonly websiteId: string;
  readonly at: (time: string) => string;
}

/** Which report each field comes from, and where networks' files have the sale. */
export function FieldSources({ of: { sources, lines }, websiteId, at }: Props) {
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-[0.8125rem]">
        {sources.map((source) => (
          <div key={source.field} className="contents">
            <dt className="text-muted">{FIELDS[source.field]}</dt>
            <dd>{`${nameOf(source)}, ${at(source.at)}`}</dd>
          </div>
        ))}
      </dl>
      {lines.length > 0 && (
        <ul aria-label="Lines of network reports" className="mt-2 text-[0.8125rem]">
          {lines.map(({ importId, fileName, line }) => (
            <li key={`${importId} ${line}`}>
              <Link
                to="/conversions/networks/$id"
                params={{ id: importId }}
                search={{ website: websiteId }}
                className="break-all text-brand hover:underline"
              >
                {fileName}
              </Link>
              {`, line ${line}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function nameOf({ source, network }: FieldSource): string {
  if (source === 'shop') return 'Shop';
  if (source === 'page') return 'Site key';
  if (source === 'network') return 'Postback of the network';
  return network ? `Report of ${networkOf(network)?.label ?? network}` : 'Import';
}
