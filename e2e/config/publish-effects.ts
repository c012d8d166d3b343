import type { Effect, Script } from '../../src/core/adapter/loader';
import type { VendurePlatform } from '../../src/platform/context';
import {
    announcedTogether,
    bringCollectionsUpToDate,
    changesCollections,
    EffectPublication,
} from '../../src/platform/effects/publish';

/** Makes effects known as those of one run are. */
export async function publishEffects(effects: readonly Effect[], platform: VendurePlatform): Promise<void> {
    const publication = new EffectPublication(platform, true);
    const ofCollections: Effect[] = [];
    for (const together of announcedTogether(effects)) await publication.announce(together);
    if (changesCollections(effects)) await bringCollectionsUpToDate(platform, changes => kept(changes, ofCollections));
    for (const together of announcedTogether(ofCollections)) await publication.announce(together);
    await publication.index([...effects, ...ofCollections]);
}

// eslint-disable-next-line require-yield -- a script that writes nothing
function* kept(changes: readonly Effect[], into: Effect[]): Script<void> {
    into.push(...changes);
}
