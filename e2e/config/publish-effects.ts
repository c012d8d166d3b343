import type { Effect } from '../../src/core/adapter/loader';
import type { VendurePlatform } from '../../src/platform/context';
import { RunPublication } from '../../src/platform/effects/publish';

/** Makes effects known as those of one run are. */
export async function publishEffects(effects: readonly Effect[], platform: VendurePlatform): Promise<void> {
    const publication = new RunPublication(platform);
    await publication.announce(effects);
    await publication.finish();
}
