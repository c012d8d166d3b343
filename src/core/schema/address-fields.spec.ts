import { naming } from '../../../test/kit/naming';
import { z } from 'zod';
import type { JsonValue } from '../value/json';
import { addressesOf, addressFieldsOf, blockedAddresses, hostAddress, urlAddress } from './address-fields';
import { withRules } from './fields';
import { clause } from '../errors/rendered';

const server = withRules(
    z.strictObject({
        host: hostAddress(z.string().min(1)).optional(),
        auth: z
            .strictObject({ tokenUrl: urlAddress(z.string(), [9200]).optional().meta({ title: 'Token' }) })
            .prefault({}),
        mirrors: z.array(z.strictObject({ url: urlAddress(z.string()) })).default([]),
        target: z.union([urlAddress(z.string()), z.strictObject({ host: hostAddress(z.string()) })]).optional(),
        note: z.string().optional(),
    }),
    () => undefined,
);
const found = (value: JsonValue): readonly string[] =>
    addressesOf(server, value).map(
        ({ form, path, text, usualPorts }) => `${form} ${path}=${text} ${usualPorts.join()}`,
    );

describe('the addresses that a configuration names', () => {
    it('are found at any depth, through defaults, lists and alternatives', () => {
        expect(
            found({
                host: 'a.example.com',
                auth: { tokenUrl: 'https://b.example.com' },
                mirrors: [{ url: 'https://c.example.com' }, { url: 'https://d.example.com' }],
                target: { host: 'e.example.com' },
                note: 'https://f.example.com',
            }),
        ).toEqual([
            'host host=a.example.com ',
            'url auth.tokenUrl=https://b.example.com 9200',
            'url mirrors[0].url=https://c.example.com ',
            'url mirrors[1].url=https://d.example.com ',
            'host target.host=e.example.com ',
        ]);
        expect(found({ target: 'https://g.example.com' })).toEqual(['url target=https://g.example.com ']);
        expect(found({})).toEqual([]);
    });

    it('are listed by the paths of their fields', () => {
        expect(addressFieldsOf(server)).toEqual(['host', 'auth.tokenUrl', 'mirrors[].url', 'target', 'target.host']);
        expect(addressFieldsOf(z.strictObject({ sku: z.string() }))).toEqual([]);
    });

    it('are reported with their paths if they are blocked', () => {
        const addresses = addressesOf(server, { host: 'a.example.com', target: 'https://b.example.com' });
        const problem = clause`private`;
        expect(blockedAddresses(addresses, ({ form }) => (form === 'host' ? problem : undefined))).toEqual([
            {
                path: 'host',
                message: expect.stringMatching(naming('host', '"a.example.com"', 'private')) as string,
                facts: expect.objectContaining({ path: 'host', value: '"a.example.com"', reason: problem }) as object,
            },
        ]);
    });
});
