import type { AdapterContext } from '../../core/adapter/context';
import { logEvent } from '../../core/adapter/log-event';
import { MAX_PLANNED } from './unit-of-work';

/**
 * Logs once for each step that its dry run has had to forget planned changes; `called` is the name of the planned
 * entities.
 */
export function overflowOf(cx: AdapterContext, called: string, most = MAX_PLANNED): (isFull: boolean) => void {
    let isTold = false;
    return isFull => {
        if (!isFull || isTold) return;
        isTold = true;
        logEvent(cx.log, 'DRY_RUN_INCOMPLETE', { most, what: called });
    };
}
