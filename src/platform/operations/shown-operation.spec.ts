import { customerGroup } from '../entity-descriptions/customer';
import type { OperationDefinition } from './argument';
import { idsIn, operationInput, readableOperation, shownOperation } from './shown-operation';

const definitions: readonly OperationDefinition[] = [
    {
        code: 'gateway',
        args: {
            key: { type: 'string', ui: { component: 'password-form-input' } },
            limit: { type: 'int' },
            isTest: { type: 'boolean' },
            ids: { type: 'ID', list: true },
            steps: { type: 'int', list: true },
            groups: { type: 'ID', list: true, ui: { component: 'customer-group-form-input' } },
            owner: { type: 'ID' },
        },
    },
];
const stored = (args: Readonly<Record<string, string>>) => ({
    code: 'gateway',
    args: Object.entries(args).map(([name, value]) => ({ name, value })),
});

describe('an operation that is stored', () => {
    it('is the same however its texts were written', () => {
        const shown = { code: 'gateway', args: { limit: 10, isTest: true, ids: ['1', '2'], steps: [1, 2] } };
        for (const args of [
            { limit: '10', isTest: 'true', ids: '["1","2"]', steps: '[1,2]' },
            { limit: '10.0', isTest: 'true', ids: '[ 1, "2" ]', steps: '["1", 2]' },
        ])
            expect(shownOperation(definitions, stored(args))).toEqual(shown);
        expect(operationInput(definitions, shown)).toEqual({
            code: 'gateway',
            arguments: [
                { name: 'limit', value: '10' },
                { name: 'isTest', value: 'true' },
                { name: 'ids', value: '["1","2"]' },
                { name: 'steps', value: '[1,2]' },
            ],
        });
    });

    it('keeps texts that do not fit its definition, also without a definition', () => {
        const odd = stored({ limit: '', isTest: 'maybe', ids: 'none', steps: '{}', colour: 'red' });
        const args = { limit: '', isTest: 'maybe', ids: 'none', steps: '{}', colour: 'red' };
        expect(shownOperation(definitions, odd)).toEqual({ code: 'gateway', args });
        expect(operationInput(definitions, { code: 'gateway', args })).toEqual({
            code: 'gateway',
            arguments: odd.args,
        });
        const gone = { code: 'gone', args: [{ name: 'limit', value: '10' }] };
        const shown = shownOperation(definitions, gone);
        expect(shown).toEqual({ code: 'gone', args: { limit: '10' } });
        expect(operationInput(definitions, shown)).toEqual({ code: 'gone', arguments: gone.args });
    });

    it('is shown to people without what forms hide', () => {
        const shown = shownOperation(definitions, stored({ key: 'sk-1', limit: '3' }));
        expect(readableOperation(definitions, shown)).toEqual({ code: 'gateway', args: { key: '(secret)', limit: 3 } });
    });

    it('is shown with names in the place of known ids', () => {
        const shown = shownOperation(definitions, stored({ groups: '["1","2"]', owner: '1' }));
        expect(idsIn(definitions, shown)).toEqual([
            [customerGroup, '1'],
            [customerGroup, '2'],
        ]);
        const names = new Map([[customerGroup, new Map([['1', 'Trade']])]]);
        expect(readableOperation(definitions, shown, names)).toEqual({
            code: 'gateway',
            args: { groups: ['Trade', '2'], owner: '1' },
        });
    });
});
