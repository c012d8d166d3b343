import type { RequestContext } from '@vendure/core';
import { textNaming } from '../../../test/kit/naming';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { TaskQueue } from '../../core/concurrency/task-queue';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { setUp } from '../setup';
import { assertMayEditCode, inlineCodes } from './inline-code';

const { registry } = setUp({});

const script = (code: string, more: JsonObject = {}): JsonObject => ({ op: 'script', args: { code, ...more } });
const step = (key: string, operators: readonly JsonValue[], kind = 'TRANSFORM'): JsonObject => ({
    key,
    kind,
    config: { operators },
});
const within = (path: string, ...operators: readonly JsonValue[]): JsonObject => ({
    op: 'each',
    args: { path, operators },
});
const ofSteps = (...steps: readonly JsonValue[]): JsonObject => ({ steps });
const ofHooks = (hooks: JsonObject, ...steps: readonly JsonValue[]): JsonObject => ({ steps, hooks });
const interceptor = (code: string, more: JsonObject = {}): JsonObject => ({ type: 'INTERCEPTOR', code, ...more });
const SET: JsonObject = { op: 'set', args: { path: 'a', value: 1 } };
const caller = (may: boolean): RequestContext =>
    ({
        userHasPermissions: ([name]: string[]) => may && name === 'EditFlowScript',
        session: { user: { identifier: 'ann@example.com' } },
    }) as unknown as RequestContext;
const codes = (definition: JsonObject): readonly string[] =>
    runAtOnce(inlineCodes(definition, registry)).map(({ code }) => code);

/** Every place that can contain code, as a definition with code in that place only. */
const PLACES: Readonly<Record<string, (...code: readonly string[]) => JsonObject>> = {
    'an operator': (...all) =>
        ofSteps(
            step(
                'shape',
                all.map(code => script(code)),
            ),
        ),
    'an operator of another step': (...all) =>
        ofSteps(
            step(
                'other',
                all.map(code => script(code)),
            ),
        ),
    'a step of the same key and another kind': (...all) =>
        ofSteps(
            step(
                'shape',
                all.map(code => script(code)),
                'EXTRACT',
            ),
        ),
    'an operator that gets whole batches': (...all) =>
        ofSteps(
            step(
                'shape',
                all.map(code => script(code, { batch: true })),
            ),
        ),
    'an operator within another one': (...all) =>
        ofSteps(step('shape', [within('lines', ...all.map(code => script(code)))])),
    'an operator within one for another list': (...all) =>
        ofSteps(step('shape', [within('taxes', ...all.map(code => script(code)))])),
    'an operator two levels deep': (...all) =>
        ofSteps(step('shape', [within('lines', within('taxes', ...all.map(code => script(code))))])),
    'a list of another name': (...all) =>
        ofSteps({ key: 'shape', kind: 'TRANSFORM', config: { before: all.map(code => script(code)) } }),
    'a step without a key': (...all) => ofSteps({ config: { operators: all.map(code => script(code)) } }),
    'a hook before loads': (...all) => ofHooks({ BEFORE_LOAD: all.map(code => interceptor(code)) }),
    'a hook after extracts': (...all) => ofHooks({ AFTER_EXTRACT: all.map(code => interceptor(code)) }),
    'a hook of rejected records': (...all) => ofHooks({ ON_RECORD_ERROR: all.map(code => interceptor(code)) }),
};
const MOVES = Object.keys(PLACES).flatMap(from =>
    Object.keys(PLACES)
        .filter(to => to !== from)
        .map(to => [from, to] as const),
);

const isRefused = async (before: JsonObject | undefined, after: JsonObject): Promise<boolean> => {
    await expect(
        assertMayEditCode({ lane: new TaskQueue(), registry }, caller(true), { before, after }),
    ).resolves.toBeUndefined();
    try {
        await assertMayEditCode({ lane: new TaskQueue(), registry }, caller(false), { before, after });
        return false;
    } catch (error) {
        expect(error).toMatchObject({ code: 'FORBIDDEN' });
        return true;
    }
};

describe('code in definitions', () => {
    it('is that of script operators and of interceptors, in drafts of any shape', () => {
        const hooks = { BEFORE_LOAD: [interceptor('b'), { type: 'LOG', message: 'code' }] };
        expect(codes(ofHooks(hooks, step('shape', [script('a')])))).toEqual(['a', 'b']);
        const odd: JsonValue = [
            null,
            { kind: 'TRANSFORM', config: { operators: [7, { op: 'script' }, { op: 'set', args: { code: 'x' } }] } },
        ];
        expect(codes({ steps: odd, hooks: 'none' })).toEqual([]);
        expect(codes({})).toEqual([]);
    });

    it('is every text in a field for code if the step or the adapter is unknown', () => {
        const unknownStep = { key: 'a', kind: 'FEED', config: { of: [{ code: 'a' }], text: 'b' } };
        const unknownOperator = step('shape', [{ op: 'evaluate', args: { code: 'c', text: 'd' } }]);
        const unknownSource = { key: 'b', kind: 'EXTRACT', config: { adapterCode: 'computed', code: 'e' } };
        const unknownHook = {
            BEFORE_LOAD: [
                { type: 'EVALUATE', code: 'f' },
                { type: 'LOG', code: 'g' },
            ],
        };
        expect(codes(ofHooks(unknownHook, unknownStep, unknownOperator, unknownSource))).toEqual(['a', 'c', 'e', 'f']);
    });

    it('is that of operators within operators, too, however deep', () => {
        expect(codes(ofSteps(step('shape', [within('l', within('m', script('a')))])))).toEqual(['a']);
    });

    it('needs its own permission if it is new or changed, and is named by its path', async () => {
        const rejected = (before: JsonObject | undefined, after: JsonObject, path: string): Promise<void> =>
            expect(
                assertMayEditCode({ lane: new TaskQueue(), registry }, caller(false), { before, after }),
            ).rejects.toMatchObject({
                code: 'FORBIDDEN',
                facts: { who: 'ann@example.com', permission: 'EditFlowScript', what: textNaming(` ${path}`) },
            });
        const shape = (code: string): JsonObject => ofSteps(step('first', []), step('shape', [SET, script(code)]));
        await rejected(undefined, shape('a'), 'steps[1].config.operators[1].args.code');
        await rejected(shape('a'), shape('b'), 'steps[1].config.operators[1].args.code');
        await rejected({}, ofHooks({ BEFORE_LOAD: [interceptor('a')] }), 'hooks.BEFORE_LOAD[0].code');
        const nested = ofSteps(step('shape', [within('lines', SET, script('a'))]));
        await rejected({}, nested, 'steps[0].config.operators[0].args.operators[1].args.code');
    });

    describe.each(Object.keys(PLACES))('in %s', place => {
        const at = PLACES[place]!;

        it('needs it where it is new, changed, copied, or in another order', async () => {
            expect(await isRefused(undefined, at('a'))).toBe(true);
            expect(await isRefused(at('a'), at('b'))).toBe(true);
            expect(await isRefused(at('a'), at('a', 'a'))).toBe(true);
            expect(await isRefused(at('a', 'b'), at('b', 'a'))).toBe(true);
            expect(await isRefused(at('a', 'b'), at('a', 'c', 'b'))).toBe(true);
        });

        it('is kept and taken out by everybody', async () => {
            expect(await isRefused(at('a', 'b', 'a'), at('a', 'b', 'a'))).toBe(false);
            expect(await isRefused(at('a', 'b', 'a'), at('a', 'a'))).toBe(false);
            expect(await isRefused(at('a', 'b'), at('b'))).toBe(false);
            expect(await isRefused(at('a'), {})).toBe(false);
        });
    });

    it.each(MOVES)('needs it where it is moved from %s to %s, or copied', async (from, to) => {
        expect(await isRefused(PLACES[from]!('a'), PLACES[to]!('a'))).toBe(true);
        const both: JsonObject = {
            steps: [from, to].flatMap(place => PLACES[place]!('a').steps as JsonValue[]),
            hooks: { ...(PLACES[from]!('a').hooks as JsonObject), ...(PLACES[to]!('a').hooks as JsonObject) },
        };
        expect(await isRefused(PLACES[from]!('a'), both)).toBe(true);
    });

    it('is distinguished by names of one length, however many settings and scripts an operator has', () => {
        const settings = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`setting${i}`, 'x'.repeat(10)]));
        const scripts = Array.from({ length: 200 }, (_, i) => script(`a${i}`));
        const many = ofSteps(step('shape', [{ op: 'each', args: { ...settings, path: 'l', operators: scripts } }]));
        const places = runAtOnce(inlineCodes(many, registry)).map(({ place }) => place.length);
        expect(Math.max(...places)).toBeLessThan(1_000);
    });

    it('needs it where its step gets another name, or two scripts change places', async () => {
        expect(await isRefused(ofSteps(step('shape', [script('a')])), ofSteps(step('form', [script('a')])))).toBe(true);
        const two = (first: string, second: string): JsonObject =>
            ofSteps(step('one', [script(first)]), step('two', [script(second)]));
        expect(await isRefused(two('a', 'b'), two('b', 'a'))).toBe(true);
    });

    it('is in its place whatever is edited round it', async () => {
        const before = ofHooks(
            { BEFORE_LOAD: [interceptor('h')] },
            step('shape', [script('a', { timeout: 100 }), within('lines', script('b'))]),
            step('last', [script('c')]),
        );
        const after = ofHooks(
            {
                RUN_STARTED: [{ type: 'LOG', message: 'x' }],
                BEFORE_LOAD: [{ type: 'LOG' }, interceptor('h', { name: 'n' })],
            },
            step('new', [SET]),
            { ...step('last', [SET, script('c')]), disabled: true },
            step('shape', [SET, within('other', SET), within('lines', SET, script('b')), SET, script('a')]),
        );
        expect(await isRefused(before, after)).toBe(false);
    });
});
