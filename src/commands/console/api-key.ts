import { Option } from 'commander';

/** The option that names a caller's key: its help puts the environment first. */
export function apiKeyOption(): Option {
  const help = 'API key; set INTAGLIO_API_KEY instead: the process list shows arguments';
  return new Option('--key <apiKey>', help).env('INTAGLIO_API_KEY');
}

/** What a command without a key says. */
export const NEEDS_KEY =
  'needs an API key: set INTAGLIO_API_KEY (or --key, which the process list shows)';
