import { z } from 'zod';
import { said } from '../../../test/kit/said';
import { defineExtractor } from './extractor';
import { secretCode } from '../schema/fields';
import { Registry } from './registry';
import { noSecretIsSent } from './secret-hosts';
import { defineTrigger } from './trigger';

const config = z.strictObject({});
const extractor = (code: string, aliases: readonly string[] = []) =>
    defineExtractor({
        code,
        aliases,
        title: code,
        summary: code,
        config,
        extract: async function* () {
            /* no pages */
        },
    });
const trigger = (code: string) => defineTrigger({ code, title: code, summary: code, config });

describe('the registry of adapters', () => {
    it('finds an adapter by its code and by its aliases', () => {
        const csv = extractor('csv', ['csvFile']);
        const registry = Registry.of([csv]);
        expect(registry.get('extractor', 'csv')).toBe(csv);
        expect(registry.get('extractor', 'csvFile')).toBe(csv);
    });

    it('rejects two adapters of a kind with the same code or alias, whichever group they come from', () => {
        expect(() => Registry.of([extractor('csv')], [extractor('csv')])).toThrow(
            expect.objectContaining({ code: 'ADAPTER_DUPLICATE' }),
        );
        expect(() => Registry.of([extractor('csv', ['table'])], [extractor('table')])).toThrow(/"table"/);
    });

    it('rejects an adapter with a field for a secret that does not declare where the secret is sent', () => {
        const keys = z.strictObject({
            auth: z.union([z.strictObject({ keySecretCode: secretCode('Key', 'The key.') }), z.string()]),
            others: z.array(secretCode('Key', 'A key.')).optional(),
        });
        const silent = { ...trigger('signed'), config: keys };
        expect(() => Registry.of([silent])).toThrow(
            expect.objectContaining({
                code: 'ADAPTER_REFUSED',
                message: expect.stringMatching(/trigger "signed" .*\(auth\.keySecretCode, others\[\]\)/) as string,
            }),
        );
        expect(() => Registry.of([{ ...silent, secretUses: noSecretIsSent }])).not.toThrow();
    });

    it('lets adapters of different kinds share a code', () => {
        expect(() => Registry.of([extractor('schedule'), trigger('schedule')])).not.toThrow();
    });

    it('names similar codes for an unknown one, and all codes if none is similar', () => {
        const registry = Registry.of([extractor('inMemory'), extractor('csv'), extractor('json')]);
        expect(() => registry.get('extractor', 'inmemry')).toThrow(
            expect.objectContaining({
                code: 'ADAPTER_NOT_FOUND',
                message: expect.stringContaining(said('did-you-mean', { guess: 'inMemory' })) as string,
            }),
        );
        expect(() => registry.get('extractor', 'spreadsheet')).toThrow(/Known: inMemory, csv, json/);
    });

    it('names none that Flow alone puts into definitions', () => {
        const registry = Registry.of([extractor('csv')]).withInternal([extractor('spreadsheets')]);
        expect(registry.hint('extractor', 'spreadsheet').message).toBe('Known: csv.');
        expect(registry.get('extractor', 'spreadsheets').code).toBe('spreadsheets');
    });
});
