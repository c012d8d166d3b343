import type { AdapterContext } from '../../core/adapter/context';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';

/** What a platform adapter was handed; the core does not know its type. The one cast of its kind. */
export function vendureOf(cx: AdapterContext): VendurePlatform {
    if (cx.platform === undefined) {
        throw flowError('INPUT_INVALID', {
            problem: `the step "${cx.stepKey}" works on a shop, and there is none; a loader is tried with loaderContract on a shop, or with testFlowStep in one`,
        });
    }
    return cx.platform as VendurePlatform;
}
