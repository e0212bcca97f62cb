import { useAddress } from '@/app/use-address';
import { ExchangeRatesPanel } from '@/features/operations/components/exchange-rates-panel';
import { pairOf } from '@/features/operations/lib/exchange-rates';
import { textOf } from '@/lib/url/search';

export function AdminExchangeRatesPage() {
  const [search, go] = useAddress();
  const text = (pair: { readonly base: string; readonly quote: string } | null) => pair && `${pair.base}-${pair.quote}`;
  return (
    <ExchangeRatesPanel
      adding={pairOf(textOf(search['add']))}
      onAdd={(pair) => go({ add: text(pair) })}
      open={pairOf(textOf(search['pair']))}
      onOpen={(pair) => go({ pair: text(pair) })}
    />
  );
}
