import { runDeliveredLoad } from '../../lab/load/run-load.ts';
import type { Service } from '../../lab/service/service.ts';
import type { Plan } from '../suites/plan.ts';
import { PEAK } from './trials.ts';

/** Measures the peak rate of the service, in delivered receipts per second. */
export async function measurePeak(service: Service, plan: Plan): Promise<number> {
  const times = { warmUpMs: plan.loadMs / 4, durationMs: plan.loadMs / 2 };
  const { result } = await runDeliveredLoad(service, { ...PEAK, ...times, key: service.keys[0] });
  return (result.delivered * 1000) / result.durationMs;
}
