import type { JsonObject } from '../value/json';
import { atOnce } from '../work/work';
import { partOf } from './part';

const START = '{"key":"start","kind":"TRIGGER","config":{"type":"MANUAL"}}';
const SOURCE = '{"key":"in","kind":"EXTRACT","config":{"adapterCode":"generator","count":1,"template":{}}}';
const STEP = '{"key":"step","kind":"TRANSFORM","config":{"operators":[]}}';
const definition = (behind = '', rest = ''): string =>
    `{"version":1,"steps":[${START},${SOURCE},${STEP}${behind}],"edges":[{"from":"start","to":"in"},{"from":"in","to":"step"}]${rest}}`;

describe('the part of a definition that a step is tried with', () => {
    it.each([false, true])('has the step, and a source of its own where records are given: %s', isGiven => {
        const { steps } = atOnce(partOf(definition(), 'step', isGiven)).definition as { steps: readonly JsonObject[] };
        expect(steps.map(({ key }) => key)).toEqual(['trigger', isGiven ? 'records' : 'in', 'step']);
    });

    it.each<[string, string]>([
        ['behind the step', definition(',{"key":"x","kind":"LOAD","config":{"__proto__":1}}')],
        ['in another field', definition('', ',"errorHandling":{"constructor":{}}')],
        ['in hooks that are no part of it', definition('', ',"hooks":{"ON_COMPLETE":[{"prototype":1}]}')],
    ])('cannot be cut out of one that holds a key that none may have, %s', (_, text) => {
        for (const isGiven of [false, true])
            expect(() => atOnce(partOf(text, 'step', isGiven))).toThrow(
                expect.objectContaining({ code: 'DEFINITION_INVALID' }),
            );
    });
});
