import { setUp } from '../setup';
import { fileIdsOf } from './file-use';

const { registry } = setUp({});

describe('the files of a definition', () => {
    const step = (kind: string, config: object): object => ({ key: 'a', kind, config });

    it('are those that its steps name', () => {
        const steps = [
            step('EXTRACT', { adapterCode: 'csv', fileId: '7' }),
            step('EXTRACT', { adapterCode: 'csv' }),
            step('LOAD', { fileId: '8' }),
            { kind: 'EXTRACT' },
        ];
        expect(fileIdsOf({ version: 1, steps } as never, registry)).toEqual(['7']);
        expect(fileIdsOf({ version: 1 }, registry)).toEqual([]);
    });

    it('are all possible ids for a step of an unknown kind', () => {
        const steps = [step('FEED', { fileId: '8', other: { id: 9 } })];
        expect(fileIdsOf({ version: 1, steps } as never, registry)).toEqual(['8', '9']);
    });
});
