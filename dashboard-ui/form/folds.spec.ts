import { foldedFields } from './folds';
import type { Field } from './json-schema';

const field = (key: string, { group, isRequired = false }: { group?: string; isRequired?: boolean } = {}): Field => ({
    key,
    schema: group === undefined ? {} : { group },
    isRequired,
});
const many = [...'abcdefghij'].map(key => field(key));
const told = (fields: readonly Field[]): unknown => {
    const { first, folds } = foldedFields(fields);
    const keys = (some: readonly Field[]): string => some.map(({ key }) => key).join('');
    return [keys(first), ...folds.map(fold => [fold.title, keys(fold.fields)])];
};

describe('the fields of a form', () => {
    it('are all shown if they are few', () => expect(told(many.slice(0, 8))).toEqual(['abcdefgh']));

    it('are the five first ones of many, the others folded', () =>
        expect(told(many)).toEqual(['abcde', [undefined, 'fghij']]));

    it('are always those that are required, in their order', () => {
        const required = [...'klmn'].map(key => field(key, { isRequired: true }));
        expect(told([...many, ...required])).toEqual(['aklmn', [undefined, 'bcdefghij']]);
        expect(told([...required, ...required, ...many])).toEqual(['klmnklmn', [undefined, 'abcdefghij']]);
    });

    it('are folded by group, whatever their number', () =>
        expect(
            told([
                field('a'),
                field('b', { group: 'Pages' }),
                field('c', { group: 'Time' }),
                field('d', { group: 'Pages' }),
            ]),
        ).toEqual(['a', ['Pages', 'bd'], ['Time', 'c']]));
});
