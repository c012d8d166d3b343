import fc from 'fast-check';
import { definitions, TRIED } from './arbitrary.fixture';
import { copied, isRefused, pasted, readPart } from './clipboard';
import { type Definition, edgesOf, stepsOf } from './definition';
import { beginning, changed, redone, undone } from './history';

const read = (value: unknown) => readPart(typeof value === 'string' ? value : JSON.stringify(value));
const step = (key: unknown, config: unknown = {}): Definition => ({ key, kind: 'LOAD', config });
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('the clipboard', () => {
    it('pastes steps and the edges between them into any pipeline, under new keys', () =>
        fc.assert(
            fc.property(definitions, definitions, (from, into) => {
                const part = readPart(
                    copied(
                        from,
                        stepsOf(from).map(({ key }) => key),
                    ),
                );
                if (isRefused(part)) throw new Error(part.problem);
                const { definition, keys } = pasted(into, part);
                expect(new Set(keys).size).toBe(stepsOf(from).length);
                expect(stepsOf(definition)).toHaveLength(stepsOf(from).length + stepsOf(into).length);
                expect(edgesOf(definition)).toHaveLength(edgesOf(from).length + edgesOf(into).length);
                const copies = stepsOf(definition).filter(({ key }) => keys.includes(key));
                const withoutKeys = (steps: ReturnType<typeof stepsOf>): string =>
                    JSON.stringify(steps.map(({ raw }) => ({ ...raw, key: '' })));
                expect(withoutKeys(copies)).toBe(withoutKeys(stepsOf(from)));
            }),
            TRIED,
        ));

    it('takes a whole document too', () => {
        const part = read({ flow: 1, code: 'a', definition: { steps: [step('a')], edges: [] } });
        expect(part).toEqual({ steps: [step('a')], edges: [] });
    });

    it.each([
        ['<script>alert(1)</script>', 'no-json'],
        ['[1, 2', 'no-json'],
        ['[]', 'no-steps'],
        [{ steps: {} }, 'no-steps'],
        [{ steps: [] }, 'no-steps'],
        [{ steps: Array.from({ length: 201 }, (_, i) => step(`k${i}`)) }, 'too-many'],
        [{ steps: [step('a', nested(40))] }, 'too-deep'],
        [' '.repeat(1024 * 1024 + 1), 'too-large'],
    ])('rejects %#', (text, problem) => expect(read(text)).toEqual({ problem }));

    it.each([
        [[step('a'), null], 'no-step', 2],
        [[step('a', 7)], 'no-step', 1],
        [[{ key: 'a', config: {} }], 'no-step', 1],
        [[step('a b')], 'key', 1],
        [[step(7)], 'key', 1],
        [[step('<img>')], 'key', 1],
    ])('says which of %j it does not take', (steps, problem, at) => expect(read({ steps })).toEqual({ problem, at }));

    it('rejects names that would change prototypes', () => {
        expect(read('{"steps":[{"key":"a","kind":"LOAD","config":{"__proto__":{"admin":true}}}]}')).toEqual({
            problem: 'reserved',
            at: 1,
        });
        expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
    });

    it('takes no edge that leads out of what was copied', () => {
        expect(
            read({
                steps: [step('a')],
                edges: [
                    { from: 'a', to: 'b' },
                    { from: 'c', to: 'a' },
                ],
            }),
        ).toEqual({
            steps: [step('a')],
            edges: [],
        });
    });
});

describe('the history', () => {
    it('takes everything back and brings it again', () =>
        fc.assert(
            fc.property(fc.array(fc.integer(), { maxLength: 20 }), values => {
                const done = values.reduce<ReturnType<typeof beginning<number>>>(
                    (history, value) => changed(history, value),
                    beginning(0),
                );
                let history = done;
                while (history.past.length > 0) history = undone(history);
                expect(history.present).toBe(0);
                while (history.future.length > 0) history = redone(history);
                expect(history.present).toBe(done.present);
                expect(history.past).toEqual(done.past);
            }),
            TRIED,
        ));

    it('takes what was typed in one go back in one go', () => {
        const typed = ['a', 'ab', 'abc'].reduce((history, text) => changed(history, text, 'name'), beginning(''));
        expect(undone(typed).present).toBe('');
        expect(undone(changed(typed, 'abcd', 'price')).present).toBe('abc');
        // After an undo, typing starts a new entry.
        expect(undone(changed(undone(changed(typed, 'x')), 'abcde', 'name')).present).toBe('abc');
    });

    it('forgets what was undone once something else is done', () => {
        const history = changed(undone(changed(beginning(1), 2)), 3);
        expect(redone(history).present).toBe(3);
    });
});
