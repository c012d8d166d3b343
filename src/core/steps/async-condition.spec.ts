import fc from 'fast-check';
import { compileConditions, type Condition } from '../operators/logic/condition';
import { compileAsyncCondition } from './async-condition';

const { condition } = fc.letrec<{ condition: Condition }>(tie => ({
    condition: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record({ field: fc.constantFrom('a', 'b', 'c'), value: fc.integer({ min: 0, max: 2 }) }),
        fc.array(tie('condition'), { minLength: 1, maxLength: 4 }).map(all => ({ all })),
        fc.array(tie('condition'), { minLength: 1, maxLength: 4 }).map(any => ({ any })),
        tie('condition').map(not => ({ not })),
    ),
}));
const digit = fc.integer({ min: 0, max: 2 });

const SURE = { warn: () => undefined };

describe('conditions that let the event loop turn', () => {
    it('decide as those that do not, whenever they have to turn', async () => {
        const data = fc.record({ a: digit, b: digit, c: digit });
        await fc.assert(
            fc.asyncProperty(
                fc.array(condition, { minLength: 1, maxLength: 4 }),
                data,
                fc.infiniteStream(fc.boolean()),
                async (list, record, due) => {
                    const pace = {
                        get isDue() {
                            return due.next().value as boolean;
                        },
                        turn: async () => undefined,
                    };
                    expect(await compileAsyncCondition(list)(record, pace, SURE)).toBe(
                        compileConditions(list)(record, SURE),
                    );
                },
            ),
        );
    });

    it('return at once as long as there is time', () => {
        const pace = { isDue: false, turn: () => Promise.reject(new Error('there was time')) };
        const list: Condition[] = [
            {
                any: [
                    { field: 'a', value: 1 },
                    { field: 'b', value: 2 },
                ],
            },
            { not: { field: 'c', value: 3 } },
        ];
        expect(compileAsyncCondition(list)({ b: 2 }, pace, SURE)).toBe(true);
        expect(compileAsyncCondition(list)({ b: 2, c: 3 }, pace, SURE)).toBe(false);
    });
});
