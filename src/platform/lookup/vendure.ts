import type { AdapterContext } from '../../core/adapter/context';
import type { VendurePlatform } from '../context';

/** What a platform adapter was handed; the core does not know its type. The one cast of its kind. */
export function vendureOf(cx: AdapterContext): VendurePlatform {
    return cx.platform as VendurePlatform;
}
