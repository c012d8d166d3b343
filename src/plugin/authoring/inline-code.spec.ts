import type { RequestContext } from '@vendure/core';
import { said } from '../../../test/kit/said';
import type { JsonObject } from '../../core/data/json';
import { Lane } from '../../core/work/lane';
import { atOnce } from '../../core/work/work';
import { assertMayEditCode, inlineCodes } from './inline-code';

const codesOf = (definition: JsonObject): ReadonlySet<string> => atOnce(inlineCodes(definition));
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
            ...codesOf({
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
            ...codesOf({
                steps: [null, { config: { operators: [7, { op: 'script' }, { op: 'set', args: { code: 'x' } }] } }],
                hooks: 'none',
            }),
        ]).toEqual([]);
        expect([...codesOf({})]).toEqual([]);
    });

    it('is that of operators within operators, too, however deep', () => {
        const within = (op: object): object => ({ op: 'each', args: { path: 'l', operators: [op] } });
        const script = within(within({ op: 'script', args: { code: 'a' } }));
        expect([...codesOf({ steps: [{ config: { operators: [script] } }] } as JsonObject)]).toEqual(['a']);
    });

    it('needs a permission of its own where it is new or changed', async () => {
        for (const [before, after] of [
            [undefined, withCode('a')],
            [withCode('a'), withCode('b')],
            [withCode('a'), withHook('b')],
            [{}, withHook('a')],
        ] as const) {
            await expect(assertMayEditCode(new Lane(), caller(false), { before, after })).rejects.toThrow(
                said('lacks-permission-for-code-in-definition', {
                    user: 'ann@example.com',
                    permission: 'EditFlowScript',
                }),
            );
            await expect(assertMayEditCode(new Lane(), caller(true), { before, after })).resolves.toBeUndefined();
        }
    });

    it('can be kept, moved and taken out by everybody', async () => {
        for (const [before, after] of [
            [withCode('a'), withCode('a')],
            [withCode('a'), withHook('a')],
            [withCode('a'), { steps: [] }],
            [undefined, {}],
        ] as const) {
            await expect(assertMayEditCode(new Lane(), caller(false), { before, after })).resolves.toBeUndefined();
        }
    });
});
