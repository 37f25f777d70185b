import { Option } from 'commander';

/** The option that names a caller's key: its help puts the environment first. */
export function apiKeyOption(): Option {
  const help = 'API key; set INTAGLIO_API_KEY instead: the process list shows arguments';
  return new Option('--key <apiKey>', help).env('INTAGLIO_API_KEY');
}

/** The error of a command that was given no key. */
export const NEEDS_KEY =
  'needs an API key: set INTAGLIO_API_KEY (or --key, which the process list shows)';
