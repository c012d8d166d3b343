import type { AdapterContext } from '../../core/adapter/context';
import { trustedLine } from '../../core/adapter/trusted-line';
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
        trustedLine(
            cx.log,
            'WARN',
            `The dry run plans more than ${most} ${called}; it no longer knows of the first ones.`,
        );
    };
}
