import type { JsonObject } from '../value/json';
import { runAtOnce } from '../concurrency/yielding-task';
import { partOf } from './part';

const START = '{"key":"start","kind":"TRIGGER","config":{"type":"MANUAL"}}';
const SOURCE = '{"key":"in","kind":"EXTRACT","config":{"adapterCode":"generator","count":1,"template":{}}}';
const STEP = '{"key":"step","kind":"TRANSFORM","config":{"operators":[]}}';
const definition = (after = '', rest = ''): string =>
    `{"version":1,"steps":[${START},${SOURCE},${STEP}${after}],"edges":[{"from":"start","to":"in"},{"from":"in","to":"step"}]${rest}}`;

describe('the part of a definition that a step is tried with', () => {
    it.each([false, true])('has the step, and a separate source if records are given: %s', isGiven => {
        const { steps } = runAtOnce(partOf(definition(), 'step', isGiven)).definition as {
            steps: readonly JsonObject[];
        };
        expect(steps.map(({ key }) => key)).toEqual(['trigger', isGiven ? 'records' : 'in', 'step']);
    });

    it.each<[string, boolean, readonly string[], readonly string[]]>([
        ['alone', true, ['records', 'step'], ['BEFORE_TRANSFORM']],
        ['after its sources', false, ['in', 'step'], ['AFTER_EXTRACT', 'BEFORE_TRANSFORM']],
    ])('has nothing of steps and hooks that it does not need, %s', (_, isGiven, keys, stages) => {
        const others =
            ',{"key":"x","kind":"NONSENSE"},{"key":"nowhere","kind":"TRANSFORM"},{"key":"out","kind":"LOAD"}';
        const hooks = '"AFTER_EXTRACT":[],"BEFORE_TRANSFORM":[],"BEFORE_LOAD":[7],"AFTER_NONSENSE":7,"ON_RETRY":7';
        const text = definition(others, `,"hooks":{${hooks}}`).replace(
            '"edges":[',
            '"edges":[{"from":"nowhere","to":"step"},{"from":"step","to":"out"},{"from":"ghost","to":"step"},',
        );
        const part = runAtOnce(partOf(text, 'step', isGiven));
        const { steps, hooks: kept } = part.definition as { steps: readonly JsonObject[]; hooks: JsonObject };
        expect(steps.map(({ key }) => key)).toEqual(['trigger', ...keys]);
        expect(Object.keys(kept)).toEqual(stages);
        expect((part.inPlace['steps'] as ReadonlyArray<JsonObject | null>).map(step => step?.['key'] ?? null)).toEqual([
            null,
            isGiven ? null : 'in',
            'step',
            null,
            null,
            null,
        ]);
    });

    it.each<[string, string, readonly unknown[]]>([
        [
            'passes on what another one has read',
            '',
            [
                ['in', false],
                ['more', true],
                ['end', false],
            ],
        ],
        [
            'looks it up',
            ',"seedMode":"lookup"',
            [
                ['in', false],
                ['more', false],
                ['end', false],
            ],
        ],
    ])('has an EXTRACT step after another one, which %s', (_, mode, kept) => {
        const more = `{"key":"more","kind":"EXTRACT","config":{"adapterCode":"x"${mode}}}`;
        const text = definition(`,${more},{"key":"end","kind":"TRANSFORM","config":{}}`).replace(
            '{"from":"in","to":"step"}',
            '{"from":"in","to":"more"},{"from":"more","to":"end"}',
        );
        const { steps, edges } = runAtOnce(partOf(text, 'end', false)).definition as unknown as {
            steps: readonly JsonObject[];
            edges: readonly JsonObject[];
        };
        expect(steps.slice(1).map(({ key, disabled }) => [key, disabled === true])).toEqual(kept);
        expect(edges.filter(({ from }) => from === 'trigger')).toEqual([{ from: 'trigger', to: 'in' }]);
        const alone = runAtOnce(partOf(text, 'more', false)).definition as unknown as { steps: readonly JsonObject[] };
        expect(alone.steps.map(({ key, disabled }) => [key, disabled])).toEqual([
            ['trigger', undefined],
            ['more', undefined],
        ]);
        const given = (): unknown => runAtOnce(partOf(text, 'more', true));
        if (mode === '') expect(given).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
        else expect(given).not.toThrow();
    });

    it.each<[string, string]>([
        ['after the step', definition(',{"key":"x","kind":"LOAD","config":{"__proto__":1}}')],
        ['in another field', definition('', ',"errorHandling":{"constructor":{}}')],
        ['in hooks that are not part of it', definition('', ',"hooks":{"ON_COMPLETE":[{"prototype":1}]}')],
    ])('cannot be taken from a definition with a forbidden key, %s', (_, text) => {
        for (const isGiven of [false, true])
            expect(() => runAtOnce(partOf(text, 'step', isGiven))).toThrow(
                expect.objectContaining({ code: 'DEFINITION_INVALID' }),
            );
    });
});
