import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong OTEL_… variable; the message names it and what is allowed. */
export class SamplerError extends Error {
  override readonly name = 'SamplerError';
}

const PARENT_BASED = 'parentbased_';

/**
 * Makes the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. Throws SamplerError.
 */
export function samplerOf(env: Environment): Sampler {
  const name = env['OTEL_TRACES_SAMPLER'] ?? '';
  if (name === '') return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  const isParentBased = name.startsWith(PARENT_BASED);
  const root = rootOf(isParentBased ? name.slice(PARENT_BASED.length) : name, env);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootOf(name: string, env: Environment): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler();
  if (name === 'always_off') return new AlwaysOffSampler();
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratioOf(env));
  throw new SamplerError(
    'OTEL_TRACES_SAMPLER is not known; allowed: always_on, always_off, traceidratio, ' +
      'each also with parentbased_ in front',
  );
}

function ratioOf(env: Environment): number {
  const text = env['OTEL_TRACES_SAMPLER_ARG'] ?? '';
  if (text === '') return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new SamplerError('OTEL_TRACES_SAMPLER_ARG is not allowed; allowed: 0 to 1');
}
