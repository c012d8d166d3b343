import type { Effect, StatementProgram } from '../../src/core/adapter/loader';
import type { VendurePlatform } from '../../src/platform/context';
import {
    publishedTogether,
    refreshCollections,
    changesCollections,
    EventPublication,
} from '../../src/platform/effects/publish';

/** Publishes effects in the same way as those of one run. */
export async function publishEffects(effects: readonly Effect[], platform: VendurePlatform): Promise<void> {
    const publication = new EventPublication(platform, true);
    const ofCollections: Effect[] = [];
    for (const together of publishedTogether(effects)) await publication.announce(together);
    if (changesCollections(effects)) await refreshCollections(platform, changes => kept(changes, ofCollections));
    for (const together of publishedTogether(ofCollections)) await publication.announce(together);
    await publication.index([...effects, ...ofCollections]);
}

// eslint-disable-next-line require-yield -- a script that writes nothing
function* kept(changes: readonly Effect[], into: Effect[]): StatementProgram<void> {
    into.push(...changes);
}
