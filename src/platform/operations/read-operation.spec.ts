import type { JsonObject, JsonValue } from '../../core/value/json';
import { RecordIssues } from '../entities/record-issues';
import { FieldReader } from '../entities/read-field';
import type { OperationDefinition } from './argument';
import { readOperation, readOperations } from './read-operation';

const ids = { type: 'ID', list: true, ui: { component: 'facet-value-form-input' } } as const;
const definitions: readonly OperationDefinition[] = [
    {
        code: 'by-facet',
        args: { values: ids, isAny: { type: 'boolean' }, isAnd: { type: 'boolean', defaultValue: true } },
    },
    {
        code: 'price',
        args: {
            rate: { type: 'int', ui: { component: 'number-form-input', min: 0, max: 100 } },
            share: { type: 'float', required: false },
            tax: {
                type: 'string',
                defaultValue: 'auto',
                ui: { options: [{ value: 'auto' }, { value: 'none' }] } as never,
            },
            from: { type: 'datetime', required: false },
            steps: { type: 'int', list: true, required: false },
            owner: { type: 'ID', required: false },
        },
    },
];

function reading(value: JsonValue | undefined) {
    const issues = new RecordIssues();
    const data: JsonObject = value === undefined ? {} : { f: value };
    const operations = readOperations(new FieldReader(data, issues), 'f', definitions);
    const told = issues.count > 0 ? issues.error().details?.['faults'] : [];
    return { operations, paths: (told as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path) };
}

const price = (args: JsonObject): JsonValue => [{ code: 'price', args: { rate: 7, ...args } }];

describe('configurable operations of a record', () => {
    it('have the arguments of their definition in its order, as text, with the defaults of those that are not given', () => {
        const { operations, paths } = reading(
            price({ steps: [1, 2], share: 0.5, from: '2026-07-01T02:00:00+02:00', owner: 12 }),
        );
        expect(paths).toEqual([]);
        expect(operations).toEqual([
            {
                code: 'price',
                args: [
                    { name: 'rate', value: '7' },
                    { name: 'share', value: '0.5' },
                    { name: 'tax', value: 'auto' },
                    { name: 'from', value: '2026-07-01T00:00:00.000Z' },
                    { name: 'steps', value: '[1,2]' },
                    { name: 'owner', value: '12' },
                ],
            },
        ]);
    });

    it('name what their ids are of, where the form field of the definition says so', () => {
        const { operations } = reading([{ code: 'by-facet', args: { values: ['room:attic ', 'room:cellar'] } }]);
        expect(operations![0]!.args).toEqual([
            expect.objectContaining({
                name: 'values',
                isList: true,
                names: [
                    { name: 'room:attic', path: 'f.0.args.values.0' },
                    { name: 'room:cellar', path: 'f.0.args.values.1' },
                ],
            }),
            { name: 'isAnd', value: 'true' },
        ]);
    });

    it('are emptied by null, and are left alone if the field is missing', () => {
        expect(reading(null).operations).toEqual([]);
        expect(reading(undefined)).toEqual({ operations: undefined, paths: [] });
        const alone = (value: JsonValue) =>
            readOperation(new FieldReader({ f: value }, new RecordIssues()), 'f', definitions);
        expect([alone(null), alone({ code: 'by-facet', args: { values: [] } })]).toEqual([
            null,
            expect.objectContaining({ code: 'by-facet' }),
        ]);
    });

    it.each<[string, JsonValue, string]>([
        ['no list', { code: 'price' }, 'f'],
        ['no object', ['price'], 'f.0'],
        ['no code', [{ args: {} }], 'f.0.code'],
        ['an unknown code', [{ code: 'prize', args: {} }], 'f.0.code'],
        ["Vendure's own name of the arguments", [{ code: 'price', arguments: [], args: { rate: 1 } }], 'f.0.arguments'],
        ['no object of arguments', [{ code: 'price', args: [] }], 'f.0.args'],
        ['an unknown argument', price({ rat: 1 }), 'f.0.args.rat'],
        ['a missing one', [{ code: 'price' }], 'f.0.args.rate'],
        ['an emptied one', price({ rate: null }), 'f.0.args.rate'],
        ['text for a number', price({ rate: '7' }), 'f.0.args.rate'],
        ['a part of a whole number', price({ rate: 7.5 }), 'f.0.args.rate'],
        ['too little', price({ rate: -1 }), 'f.0.args.rate'],
        ['too much', price({ rate: 101 }), 'f.0.args.rate'],
        ['no choice', price({ tax: 'most' }), 'f.0.args.tax'],
        ['no time', price({ from: 'soon' }), 'f.0.args.from'],
        ['a number for a time', price({ from: '1' }), 'f.0.args.from'],
        ['a day that there is not', price({ from: '2026-02-30' }), 'f.0.args.from'],
        ['one for a list', price({ steps: 1 }), 'f.0.args.steps'],
        ['text in a list of numbers', price({ steps: [1, 'x'] }), 'f.0.args.steps.1'],
        ['no id', price({ owner: '' }), 'f.0.args.owner'],
        ['text for a switch', [{ code: 'by-facet', args: { values: [], isAny: 'true' } }], 'f.0.args.isAny'],
        ['no name', [{ code: 'by-facet', args: { values: [true] } }], 'f.0.args.values.0'],
        ['a name that no database stores', [{ code: 'by-facet', args: { values: ['a\0'] } }], 'f.0.args.values.0'],
    ])('are rejected with %s', (_, value, path) => {
        expect(reading(value)).toEqual({ operations: undefined, paths: [path] });
    });
});
