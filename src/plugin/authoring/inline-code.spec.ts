import type { RequestContext } from '@vendure/core';
import { said } from '../../../test/kit/said';
import type { JsonObject } from '../../core/data/json';
import { assertMayEditCode, inlineCodes } from './inline-code';

const withCode = (code: string): JsonObject => ({
    steps: [{ key: 'shape', kind: 'TRANSFORM', config: { operators: [{ op: 'script', args: { code } }] } }],
});
const withHook = (code: string): JsonObject => ({ steps: [], hooks: { BEFORE_LOAD: [{ type: 'INTERCEPTOR', code }] } });
const caller = (may: boolean): RequestContext =>
    ({
        userHasPermissions: ([name]: string[]) => may && name === 'EditFlowScript',
        session: { user: { identifier: 'ann@example.com' } },
    }) as unknown as RequestContext;

describe('code in definitions', () => {
    it('is that of script operators and of interceptors, in drafts of any shape', () => {
        expect([
            ...inlineCodes({
                ...withCode('a'),
                ...{
                    hooks: {
                        BEFORE_LOAD: [
                            { type: 'INTERCEPTOR', code: 'b' },
                            { type: 'LOG', message: 'code' },
                        ],
                    },
                },
            }),
        ]).toEqual(['a', 'b']);
        expect([
            ...inlineCodes({
                steps: [null, { config: { operators: [7, { op: 'script' }, { op: 'set', args: { code: 'x' } }] } }],
                hooks: 'none',
            }),
        ]).toEqual([]);
        expect([...inlineCodes({})]).toEqual([]);
    });

    it('is that of operators within operators, too, however deep', () => {
        const within = (op: object): object => ({ op: 'each', args: { path: 'l', operators: [op] } });
        const script = within(within({ op: 'script', args: { code: 'a' } }));
        expect([...inlineCodes({ steps: [{ config: { operators: [script] } }] } as JsonObject)]).toEqual(['a']);
    });

    it('needs a permission of its own where it is new or changed', () => {
        for (const [before, after] of [
            [undefined, withCode('a')],
            [withCode('a'), withCode('b')],
            [withCode('a'), withHook('b')],
            [{}, withHook('a')],
        ] as const) {
            expect(() => assertMayEditCode(caller(false), { before, after })).toThrow(
                said('lacks-permission-for-code-in-definition', {
                    user: 'ann@example.com',
                    permission: 'EditFlowScript',
                }),
            );
            expect(() => assertMayEditCode(caller(true), { before, after })).not.toThrow();
        }
    });

    it('can be kept, moved and taken out by everybody', () => {
        for (const [before, after] of [
            [withCode('a'), withCode('a')],
            [withCode('a'), withHook('a')],
            [withCode('a'), { steps: [] }],
            [undefined, {}],
        ] as const) {
            expect(() => assertMayEditCode(caller(false), { before, after })).not.toThrow();
        }
    });
});
