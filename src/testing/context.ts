import type { AdapterContext, StepLog } from '../core/adapter/context';
import { noNetwork } from '../core/adapter/outbound';
import { noResources } from '../core/adapter/no-resources';
import { systemClock } from '../core/concurrency/clock';

const silent = (): void => undefined;
const log: StepLog = { debug: silent, info: silent, warn: silent, error: silent };

/** The context of an adapter with only these parts. */
export function contextWith(part: Partial<AdapterContext> = {}): AdapterContext {
    return {
        stepKey: 'step',
        mode: 'live',
        signal: new AbortController().signal,
        log,
        clock: systemClock,
        outbound: noNetwork,
        platform: undefined,
        ...noResources,
        ...part,
    };
}
