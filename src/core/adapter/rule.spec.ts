import { z } from 'zod';
import { said } from '../../../test/kit/said';
import { defineRule, reporting } from './rule';

const own = { code: 'own', title: 'Own', summary: 'A rule.', examples: [] };
const config = z.strictObject({ field: z.string(), ...reporting() });

describe('a custom rule', () => {
    it('checks records or batches, as it is defined', () => {
        expect(defineRule({ ...own, config, compile: () => () => undefined })).toMatchObject({
            kind: 'rule',
            form: 'record',
        });
        expect(defineRule({ ...own, config, open: () => () => [] })).toMatchObject({ kind: 'rule', form: 'batch' });
    });

    it('is rejected without the fields that every rule has', () => {
        const define = (): unknown =>
            defineRule({ ...own, config: z.strictObject({ field: z.string() }), compile: () => () => undefined });
        expect(define).toThrow(
            expect.objectContaining({
                code: 'OPTION_INVALID',
                message: expect.stringContaining(said('lacks-fields-error-and-severity')),
            }),
        );
    });

    it('is rejected with two implementations, and with none', () => {
        const both = { ...own, config, compile: () => () => undefined, open: () => () => [] };
        expect(() => defineRule(both)).toThrow(said('both-compile-and-open'));
        expect(() => defineRule({ ...own, config } as unknown as typeof both)).toThrow(
            said('neither-compile-nor-open'),
        );
    });

    it('takes the severity in any case of letters; the default is ERROR', () => {
        expect(config.parse({ field: 'a' })).toEqual({ field: 'a', severity: 'ERROR' });
        expect(config.shape.severity.meta()?.['aliases']).toEqual({});
    });
});
