import {
    BcryptPasswordHashingStrategy,
    ChannelService,
    CurrencyCode,
    LanguageCode,
    type VendureConfig,
} from '@vendure/core';
import { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import type { RunningServer } from './test-server';

/** The token of the default channel, which every shop has. */
export const DEFAULT_CHANNEL = 'e2e-default-channel';

/** A channel that a test has created. */
export interface MadeChannel {
    readonly id: string;
    readonly token: string;
}

/** The permissions and channels of a new administrator. */
export interface AdministratorOrder {
    readonly name: string;
    /** One role with these permissions. Without any, the role can log in and do nothing else. */
    readonly permissions: readonly string[];
    /** The channel of the role; default: the default channel. */
    readonly channelIds?: readonly string[];
}

/** Why an operation was rejected. */
export interface Refusal {
    readonly code: string;
    readonly message: string;
}

class QuickPasswords extends BcryptPasswordHashingStrategy {
    override hash(plaintext: string): Promise<string> {
        return Promise.resolve(`plain:${plaintext}`);
    }

    override check(plaintext: string, hash: string): Promise<boolean> {
        return hash.startsWith('plain:')
            ? Promise.resolve(hash === `plain:${plaintext}`)
            : super.check(plaintext, hash);
    }
}

/** For suites with many administrators: with Vendure's rounds, each password and each login takes a third of a second. */
export const quickPasswords: Partial<VendureConfig> = {
    authOptions: { passwordHashingStrategy: new QuickPasswords() },
};

/** Creates a channel whose token is its code. Only the superadmin has a role there. */
export async function makeChannel(shop: RunningServer, code: string): Promise<MadeChannel> {
    const { defaultShippingZone, defaultTaxZone } = await shop.app.get(ChannelService).getDefaultChannel();
    const { createChannel } = await shop.adminClient.query(
        gql`mutation Channel($input: CreateChannelInput!) { createChannel(input: $input) { ... on Channel { id } ... on ErrorResult { message } } }`,
        {
            input: {
                code,
                token: code,
                defaultLanguageCode: LanguageCode.en,
                pricesIncludeTax: false,
                defaultCurrencyCode: CurrencyCode.USD,
                availableCurrencyCodes: [CurrencyCode.USD],
                availableLanguageCodes: [LanguageCode.en],
                defaultTaxZoneId: `T_${defaultTaxZone.id}`,
                defaultShippingZoneId: `T_${defaultShippingZone.id}`,
            },
        },
    );
    if (!createChannel.id) throw new Error(`Channel "${code}" was not made: ${createChannel.message}`);
    return { id: createChannel.id as string, token: code };
}

/** Creates an administrator with his own role; returns a client that is logged in as him. */
export async function makeAdministrator(
    shop: RunningServer,
    { name, permissions, channelIds }: AdministratorOrder,
): Promise<SimpleGraphQLClient> {
    const { createRole } = await shop.adminClient.query(
        gql`mutation Role($input: CreateRoleInput!) { createRole(input: $input) { id } }`,
        { input: { code: name, description: name, permissions, ...(channelIds && { channelIds }) } },
    );
    await shop.adminClient.query(
        gql`mutation Admin($input: CreateAdministratorInput!) { createAdministrator(input: $input) { id } }`,
        {
            input: {
                firstName: name,
                lastName: name,
                emailAddress: `${name}@shop.test`,
                password: 'secret',
                roleIds: [createRole.id],
            },
        },
    );
    return logIn(shop, name);
}

/** A client with a separate session, for an administrator that was created here. */
export async function logIn(shop: RunningServer, name: string): Promise<SimpleGraphQLClient> {
    const client = anonymousClient(shop);
    await client.asUserWithCredentials(`${name}@shop.test`, 'secret');
    return client;
}

/** A client of the admin API that has not logged in. */
export function anonymousClient(shop: RunningServer): SimpleGraphQLClient {
    const config = {
        apiOptions: { channelTokenKey: 'vendure-token' },
        authOptions: { authTokenHeaderKey: 'vendure-auth-token' },
    };
    return new SimpleGraphQLClient(config as never, `${shop.url}/admin-api`);
}

/** Uses this client in another channel, and then returns it to its former channel. */
export async function inChannel<T>(client: SimpleGraphQLClient, token: string, work: () => Promise<T>): Promise<T> {
    const { channelToken } = client as unknown as { readonly channelToken: string | null };
    client.setChannelToken(token);
    try {
        return await work();
    } finally {
        client.setChannelToken(channelToken ?? DEFAULT_CHANNEL);
    }
}

/** Returns why the operation was rejected; throws if it was not. */
export async function refusal(answer: Promise<unknown>): Promise<Refusal> {
    const errors = await refusals(answer);
    if (errors.length === 0) throw new Error('The operation was not rejected');
    return errors[0]!;
}

/** Returns why the operation, or parts of it, were rejected; an empty list if nothing was. */
export async function refusals(answer: Promise<unknown>): Promise<readonly Refusal[]> {
    try {
        await answer;
        return [];
    } catch (error) {
        const { response } = error as {
            response?: { errors?: ReadonlyArray<{ message: string; extensions?: { code?: string } }> };
        };
        if (!response?.errors) throw error;
        return response.errors.map(({ message, extensions }) => ({ code: extensions?.code ?? '', message }));
    }
}
