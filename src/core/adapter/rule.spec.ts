import { z } from 'zod';
import { naming } from '../../../test/kit/naming';
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
                message: expect.stringMatching(naming('"own"', 'error', 'severity', 'reporting()')) as string,
            }),
        );
    });

    it('is rejected with two implementations, and with none', () => {
        const both = { ...own, config, compile: () => () => undefined, open: () => () => [] };
        const error = (definition: object): Error => {
            try {
                return defineRule(definition as typeof both) as never;
            } catch (thrown) {
                return thrown as Error;
            }
        };
        const errors = [error(both), error({ ...own, config })];
        const message = expect.stringMatching(naming('"own"', 'compile', 'open')) as string;
        expect(errors).toMatchObject(errors.map(() => ({ code: 'OPTION_INVALID', message })));
        expect(errors[0]!.message).not.toBe(errors[1]!.message);
    });

    it('takes the severity in any case of letters; the default is ERROR', () => {
        expect(config.parse({ field: 'a' })).toEqual({ field: 'a', severity: 'ERROR' });
        expect(config.shape.severity.meta()?.['aliases']).toEqual({});
    });
});
