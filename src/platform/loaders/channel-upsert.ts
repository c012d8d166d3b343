import { Channel, ChannelService, CurrencyCode, GlobalSettingsService, LanguageCode, Permission } from '@vendure/core';
import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import type { CreateChannelInput, UpdateChannelInput } from '@vendure/common/lib/generated-types';
import type { LoaderFixture } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { known, quoted } from '../entities/record-issues';
import { withFreshIndexes } from '../services/fresh-indexes';
import type { RequestedInput } from '../services/service-entity';
import {
    codeOf,
    codesOf,
    unpaddedText,
    sellerName,
    integerValue,
    booleanValue,
    zoneName,
} from '../services/service-field';
import { serviceLoader } from '../services/service-loader';

const outlet = {
    code: 'outlet',
    token: 'outlet-token',
    defaultLanguageCode: 'en',
    defaultCurrencyCode: 'EUR',
    pricesIncludeTax: true,
    defaultTaxZone: 'Europe',
    defaultShippingZone: 'Europe',
};
const keys = ['outlet', 'outlet-token'];

/** What the examples begin with. */
const given: readonly LoaderFixture[] = [{ loader: 'channelUpsert', records: [outlet] }];

/** Channels, by ChannelService. */
export const channelUpsert = serviceLoader({
    code: 'channelUpsert',
    title: 'Channels',
    category: 'Settings',
    entity: {
        name: 'Channel',
        called: ['channel', 'channels'],
        type: Channel,
        key: 'code',
        unique: ['token'],
        customFields: 'Channel',
        permissions: {
            create: [Permission.SuperAdmin, Permission.CreateChannel],
            update: [Permission.SuperAdmin, Permission.UpdateChannel],
            delete: [Permission.SuperAdmin, Permission.DeleteChannel],
        },
        fields: {
            code: unpaddedText('code'),
            token: unpaddedText('token that identifies it in requests'),
            defaultLanguageCode: codeOf('default language', Object.values(LanguageCode)),
            availableLanguageCodes: codesOf('available languages', Object.values(LanguageCode)),
            defaultCurrencyCode: codeOf('default currency', Object.values(CurrencyCode)),
            availableCurrencyCodes: codesOf('available currencies', Object.values(CurrencyCode)),
            pricesIncludeTax: booleanValue('whether its prices include tax', { isNeeded: true }),
            defaultTaxZone: zoneName('name of the default tax zone', { isNeeded: true }),
            defaultShippingZone: zoneName('name of the default shipping zone', { isNeeded: true }),
            seller: sellerName('name of the seller', {}),
            trackInventory: booleanValue('whether its stock is tracked', { initially: true }),
            outOfStockThreshold: integerValue('out-of-stock threshold', { initially: 0 }),
        },
        // As in the service: the default ones are among those of the channel.
        derive: (said, before) => ({
            ...said,
            ...withDefault({ said, before }, ['availableLanguageCodes', 'defaultLanguageCode']),
            ...withDefault({ said, before }, ['availableCurrencyCodes', 'defaultCurrencyCode']),
        }),
        open(platform) {
            const channels = platform.injector.get(ChannelService);
            return {
                create: (ctx, input) => channels.create(ctx, input as unknown as CreateChannelInput),
                update: (ctx, input) => channels.update(ctx, input as UpdateChannelInput),
                remove: (ctx, id) => channels.delete(ctx, id),
                refresh: ctx => withFreshIndexes(channels, 'allChannels', ctx),
                check: requested =>
                    requested.isDelete ? checkDelete(requested, platform) : checkValues(requested, platform),
            };
        },
    },
    notes: [
        'A record is {code, token, defaultLanguageCode, availableLanguageCodes, defaultCurrencyCode, availableCurrencyCodes, pricesIncludeTax, defaultTaxZone, defaultShippingZone, seller, trackInventory, outOfStockThreshold, customFields}; zones and sellers are named.',
        "The default language is one of the languages in the shop's global settings. A new channel has no stock location, shipping method or payment method: Vendure assigns them one by one.",
        'If the default currency changes, the prices in the former one change their currency too, as in the Admin API.',
        "Vendure deletes a channel with its prices even if it has orders; they stay in the default channel. The default channel and the run's own channel are not deleted.",
        'A step knows the channels that existed when its run started. Channels created by a run are available to the next run.',
    ],
    examples: [
        {
            in: [outlet],
            keys,
            does: ['create'],
            after: [{ ...outlet, availableLanguageCodes: ['en'], availableCurrencyCodes: ['EUR'] }],
        },
        {
            note: 'Only differences are written.',
            given,
            in: [{ code: 'outlet', availableCurrencyCodes: ['EUR', 'USD'], seller: 'Default Seller' }, outlet],
            keys,
            does: ['update', 'unchanged'],
            after: [{ availableCurrencyCodes: ['EUR', 'USD'], seller: 'Default Seller' }],
        },
        { given, in: [{ code: 'outlet', __operation: 'DELETE' }], keys, does: ['delete'] },
        {
            given,
            in: [
                { ...outlet, code: 'window' },
                { code: 'outlet', defaultLanguageCode: 'xx' },
                { code: 'outlet', availableCurrencyCodes: ['USD'] },
                { code: 'outlet', defaultTaxZone: 'Atlantis' },
                { code: 'outlet', pricesIncludeTax: false },
            ],
            keys: [...keys, 'window'],
            does: ['reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['token', 'defaultLanguageCode', 'availableCurrencyCodes', 'defaultTaxZone'],
            after: [{ pricesIncludeTax: false }],
        },
    ],
});

type Derived = Parameters<NonNullable<Parameters<typeof serviceLoader>[0]['entity']['derive']>>;

function withDefault(
    { said, before }: { readonly said: Derived[0]; readonly before: Derived[1] },
    [list, standard]: readonly [list: string, standard: string],
): Derived[0] {
    const had = before.get(list) as readonly string[] | null;
    const one = said[standard];
    if (said[list] !== undefined || typeof one !== 'string' || had?.includes(one) === true) return {};
    return { [list]: [...(had ?? []), one] };
}

async function checkValues(requested: RequestedInput, { injector }: VendurePlatform): Promise<void> {
    const { ctx, values, faults: issues, nameOf } = requested;
    checkRight(requested, Permission.UpdateChannel);
    const list = values.get('availableCurrencyCodes') as readonly string[] | null;
    const currency = values.get('defaultCurrencyCode') as string;
    if (list?.includes(currency) !== true)
        issues.add(nameOf('availableCurrencyCodes'), `lacks ${quoted(currency)}, which is the default currency`, list);
    const { availableLanguages } = await injector.get(GlobalSettingsService).getSettings(ctx);
    const language = values.get('defaultLanguageCode');
    if (values.changed.has('defaultLanguageCode') && !availableLanguages.includes(language as LanguageCode))
        issues.add(
            nameOf('defaultLanguageCode'),
            `is ${quoted(language)}, which is not a language of the global settings; ${known(availableLanguages)}`,
            language,
        );
}

async function checkDelete(requested: RequestedInput, { ctx }: VendurePlatform): Promise<void> {
    const { key, faults: issues } = requested;
    checkRight(requested, Permission.DeleteChannel);
    const refuse = (problem: string): void => issues.add('__operation', `is "DELETE", but ${problem}`, 'DELETE');
    if (key === DEFAULT_CHANNEL_CODE) refuse('the default channel has to stay');
    else if (key === ctx.channel.code) refuse('the run works in this channel');
}

/** The service checks the permission in the channel itself, but only if there is a session. */
function checkRight({ ctx, id, key, faults: issues, nameOf }: RequestedInput, right: Permission): void {
    if (id === undefined || ctx.userHasPermissions([Permission.SuperAdmin])) return;
    if (!ctx.userHasPermissions([right], id))
        issues.add(nameOf('code'), `is ${quoted(key)}, in which the run's user lacks the permission ${right}`, key);
}
