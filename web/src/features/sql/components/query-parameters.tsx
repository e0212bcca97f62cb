// The parameters of a saved query, where its report is set up.
import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { oneQuery } from '../api/queries';
import { parametersOf } from '../lib/parameters';
import type { Values } from '../lib/address';
import { Parameters } from './parameters';

interface Props {
  readonly queryId: string;
  readonly values: Values;
  readonly onChange: (name: string, value: string) => void;
}

export function QueryParameters({ queryId, values, onChange }: Props) {
  const query = useQuery(oneQuery(queryId));
  if (query.error) return <ErrorBox error={query.error} prefix="Error loading the query" />;
  if (!query.data) return <Loading label="Loading the query" />;
  const parameters = parametersOf(query.data.sql);
  if (parameters.length === 0) return null;
  return <Parameters parameters={parameters} values={values} errors={{}} onChange={onChange} />;
}
