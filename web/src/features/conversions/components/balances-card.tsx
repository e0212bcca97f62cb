import type { UseQueryResult } from '@tanstack/react-query';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { formatMinor } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import type { Aged, Balances, PartnerBalance } from '../api/payouts';

const AGES: readonly { readonly id: keyof Aged; readonly label: string }[] = [
  { id: 'days0to30', label: '0–30 days' },
  { id: 'days31to60', label: '31–60 days' },
  { id: 'days61to90', label: '61–90 days' },
  { id: 'over90', label: 'Over 90 days' },
];

interface Props {
  readonly query: UseQueryResult<Balances>;
  readonly onPay: (partnerId: string) => void;
}

/** What every partner owes, and for how long. */
export function BalancesCard({ query, onPay }: Props) {
  const phone = useIsPhone();
  const { data } = query;
  const money = (amount: number) => formatMinor({ amount, currency: data?.currency ?? 'USD' });
  const sums: readonly { readonly name: string; readonly of: (row: PartnerBalance | Balances) => number }[] = [
    { name: 'Payable', of: (row) => row.payable },
    { name: 'Paid', of: (row) => row.paid },
    { name: 'Owed', of: (row) => row.owed },
    ...AGES.map(({ id, label }) => ({ name: label, of: (row: PartnerBalance | Balances) => row.aged[id] })),
    { name: 'Held', of: (row) => row.held },
    { name: 'Credit', of: (row) => row.credit },
  ];
  const shown = (amount: number, name: string) =>
    amount === 0 && name !== 'Owed' ? <span className="text-muted">–</span> : money(amount);
  const button = (row: PartnerBalance) => (
    <Button size="sm" aria-label={`Record payout of ${row.partnerName}`} onClick={() => onPay(row.partnerId)}>
      Record payout
    </Button>
  );
  const columns: readonly Column<PartnerBalance>[] = [
    { id: 'partner', header: 'Partner', cell: (row) => <span className="font-medium">{row.partnerName}</span> },
    ...sums.map(({ name, of }) => ({
      id: name,
      header: name,
      numeric: true,
      className: name === 'Owed' ? 'whitespace-nowrap font-medium' : 'whitespace-nowrap',
      cell: (row: PartnerBalance) => (
        <span className={name === 'Over 90 days' && of(row) > 0 ? 'text-bad' : undefined}>{shown(of(row), name)}</span>
      ),
    })),
    { id: 'pay', header: <span className="sr-only">Actions</span>, cell: button },
  ];
  return (
    <Card
      title="Owed by partners"
      description="Approved commissions past their hold, less what was paid, by days since they became payable."
    >
      {query.error && !data ? (
        <ErrorBox error={query.error} prefix="Error loading balances" onRetry={() => void query.refetch()} />
      ) : !data ? (
        <div role="status" aria-label="Loading balances">
          <Skeleton className="h-64" />
        </div>
      ) : data.partners.length === 0 ? (
        <Empty>No commissions have been approved yet.</Empty>
      ) : (
        <>
          <dl aria-label="All partners" className="mb-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:flex-wrap">
            {sums
              .filter(({ name, of }) => of(data) > 0 || name === 'Owed' || name === 'Paid')
              .map(({ name, of }) => (
                <div key={name} className="min-w-24">
                  <dt className="text-xs text-muted">{name}</dt>
                  <dd className={name === 'Owed' ? 'text-lg font-semibold tabular' : 'text-lg tabular'}>
                    {money(of(data))}
                  </dd>
                </div>
              ))}
          </dl>
          {phone ? (
            <ul aria-label="Partners" className="divide-y divide-line border-t border-line">
              {data.partners.map((row) => (
                <li key={row.partnerId} className="py-3">
                  <div className="flex items-center justify-between gap-3">
                    <p className="min-w-0 font-medium">{row.partnerName}</p>
                    {button(row)}
                  </div>
                  <dl className="mt-2 grid grid-cols-[1fr_auto] gap-y-1 tabular">
                    {sums
                      .filter(({ name, of }) => of(row) > 0 || name === 'Owed')
                      .map(({ name, of }) => (
                        <div key={name} className="contents">
                          <dt className="text-muted">{name}</dt>
                          <dd className="text-right">{money(of(row))}</dd>
                        </div>
                      ))}
                  </dl>
                </li>
              ))}
            </ul>
          ) : (
            <Table
              dense
              caption="Balances table"
              rows={data.partners}
              rowKey={(row) => row.partnerId}
              columns={columns}
            />
          )}
        </>
      )}
    </Card>
  );
}
