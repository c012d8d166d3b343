import { ChannelService, GlobalSettingsService } from '@vendure/core';
import { withDatabaseErrors } from '../../database/database-errors';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';

/** The channel that a run works in, as far as all loads need it. */
export interface RunChannel {
    readonly id: Id;
    readonly code: string;
    /** What is new belongs to it as well. */
    readonly defaultId: Id;
    /** The language of the texts outside of `translations`. */
    readonly language: string;
    /** The languages that texts may have. */
    readonly languages: readonly string[];
}

/** The languages that texts of a run's channel may have, its own first. */
export async function languagesOf(platform: VendurePlatform): Promise<readonly string[]> {
    return (await readRunChannel(platform)).languages;
}

/** Reads what a run's channel is. */
export async function readRunChannel({ ctx, injector }: VendurePlatform): Promise<RunChannel> {
    const { channel, languageCode } = ctx;
    return withDatabaseErrors(async () => {
        const { id: defaultId } = await injector.get(ChannelService).getDefaultChannel(ctx);
        const available = channel.availableLanguageCodes?.length
            ? channel.availableLanguageCodes
            : (await injector.get(GlobalSettingsService).getSettings(ctx)).availableLanguages;
        return {
            id: channel.id,
            code: channel.code,
            defaultId,
            language: languageCode,
            languages: [...new Set<string>([channel.defaultLanguageCode, languageCode, ...available])],
        };
    });
}
