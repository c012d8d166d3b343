import { fileIdsOf } from './file-use';

describe('the files of a definition', () => {
    it('are those that its extract steps name', () => {
        const step = (kind: string, config: object): object => ({ key: 'a', kind, config });
        const steps = [
            step('EXTRACT', { adapterCode: 'csv', fileId: '7' }),
            step('EXTRACT', { adapterCode: 'csv' }),
            step('LOAD', { fileId: '8' }),
            step('EXTRACT', { fileId: 9 }),
            { kind: 'EXTRACT' },
        ];
        expect(fileIdsOf({ version: 1, steps } as never)).toEqual(['7', '9']);
        expect(fileIdsOf({ version: 1 })).toEqual([]);
    });
});
