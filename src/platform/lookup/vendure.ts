import type { AdapterContext } from '../../core/adapter/context';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';

/** The platform of an adapter's context; the core does not know its type. The only cast of this kind. */
export function vendureOf(cx: AdapterContext): VendurePlatform {
    if (cx.platform === undefined) {
        throw flowError('INPUT_INVALID', {
            problem: `the step "${cx.stepKey}" works on a shop, and there is none; a loader is tried with loaderContract on a shop, or with testFlowStep in one`,
        });
    }
    return cx.platform as VendurePlatform;
}
